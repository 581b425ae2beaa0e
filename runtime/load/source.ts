/** The source of `load`, taken apart: a bundle, the bytes of a module, or a compiled module. */

import { isSource, type PolicyApprovals, sha256, sourcesHash } from "../abi/index.ts";
import { LoadError } from "../errors.ts";
import type { PolicyLimits } from "../history/index.ts";
import type { OptionTable } from "../options.ts";
import type { WasmModule } from "../platform.ts";
import type { Verification } from "../trust/index.ts";
import { BUNDLE_LIMITS, type BundleLimits, DEFAULT_BUNDLE_LIMITS, holdLimit } from "./limits.ts";
import { type BundleManifest, checkManifest, readManifest } from "./manifest.ts";
import { type Entry, readArchive } from "./tar.ts";
import { bundleSectionOf, compileModule, isGzip, isWasm } from "./verify.ts";

/** A `bundle.tar.gz`, the bytes of a `policy.wasm`, or a module that is already compiled (share it between threads). */
export type PolicySource = Uint8Array | ArrayBuffer | WasmModule;

/** What is asked of a source before anything in it is compiled. */
export interface SourceOptions {
  /**
   * Keys that a bundle must be signed with. Without this nothing is verified, signed or not. With it, a module without its
   * bundle is refused: it has no signature.
   */
  readonly verification?: Verification;
  /** What a bundle may take; beyond it, it is refused with `bundle-too-large`. */
  readonly bundleLimits?: Partial<BundleLimits>;
  /** The manifest of a module that comes without its bundle; the module's own facts must agree with it. */
  readonly manifest?: BundleManifest;
}

export const SOURCE_OPTIONS: OptionTable = {
  verification: {
    keys: { "*": { algorithm: "string", key: "string|object", scope: "string" } },
    keyId: "string",
    scope: "string",
    minimumRevision: "limit",
  },
  bundleLimits: BUNDLE_LIMITS,
  manifest: "object",
};

/** What a bundle, or a module of one, says of itself. */
export interface BundleFacts {
  readonly revision: string | undefined;
  readonly sequence: number | undefined;
  readonly versions: { readonly lanes?: string; readonly roles?: string };
  /** Below them everything is the policy's. */
  readonly roots: readonly string[];
  /** What the host has to supply below `data`, before anything is decided. */
  readonly hostData?: readonly string[];
  /** By tool, the arguments whose files the host says where they lie. */
  readonly pathArguments?: { readonly [tool: string]: readonly string[] };
  /** What the host keeps a history for, and under which name; absent where the policy has no limits. */
  readonly limits?: PolicyLimits | undefined;
  readonly historyName?: string | undefined;
  /** What is needed to verify approvals that are bound to one call; `undefined` where no call needs one. */
  readonly approvals?: PolicyApprovals | undefined;
}

export interface OpenedSource {
  readonly module: WasmModule;
  /** From a bundle, or from the options. */
  readonly manifest: BundleManifest | undefined;
  readonly facts: BundleFacts;
  readonly files: ReadonlyMap<string, Uint8Array> | undefined;
  readonly wasmBytes: Uint8Array | undefined;
}

/** Reads, verifies and compiles. Throws LoadError, which names the fault. */
export async function openSource(source: PolicySource, options: SourceOptions = {}): Promise<OpenedSource> {
  const limits = { ...DEFAULT_BUNDLE_LIMITS, ...options.bundleLimits };
  if (source instanceof WebAssembly.Module) return openModule(source, undefined, options);
  if (!(source instanceof Uint8Array || source instanceof ArrayBuffer)) {
    throw new LoadError("not-a-policy", "load takes the bytes of a bundle or module, or a WebAssembly.Module");
  }
  const bytes = source instanceof Uint8Array ? source : new Uint8Array(source);
  if (bytes.length === 0) throw new LoadError("not-a-policy", "there is nothing to load: 0 bytes");
  if (isGzip(bytes)) return openBundle(await readArchive(bytes, limits), limits, options.verification);
  if (!isWasm(bytes)) throw new LoadError("not-a-policy", "neither a bundle (gzip) nor a WebAssembly module");
  holdLimit(limits, "module", bytes.length, "the module has too many bytes");
  if (options.verification !== undefined) throw unsignable();
  return openModule(await compileModule(bytes, false), bytes, options);
}

function openModule(module: WasmModule, wasmBytes: Uint8Array | undefined, options: SourceOptions): OpenedSource {
  if (options.verification !== undefined) throw unsignable();
  const manifest = options.manifest && checkManifest(options.manifest);
  return { module, manifest, facts: factsOf(module, manifest), files: undefined, wasmBytes };
}

function unsignable(): LoadError {
  return new LoadError("signature-missing", "a module without its bundle has no signature");
}

async function openBundle(
  entries: ReadonlyMap<string, Entry>,
  limits: BundleLimits,
  verification: Verification | undefined,
): Promise<OpenedSource> {
  const files = new Map([...entries].map(([path, { bytes }]) => [path, bytes]));
  // Before anything but the archive itself is read.
  if (verification !== undefined) {
    const { holdSignature } = await import("../trust/index.ts");
    await holdSignature(files, verification);
  }
  holdOneReading(files);
  const wasm = entries.get("policy.wasm");
  if (wasm === undefined) {
    throw new LoadError("bundle-incomplete", "the bundle holds no policy.wasm: compile it with `portcullis build`");
  }
  const listed = files.get(".manifest");
  const manifest = listed && readManifest(listed, limits);
  if (manifest?.wasm?.some(({ module }) => module !== wasm.name))
    throw new LoadError("bundle-mismatch", `the manifest names a module that is not the bundle's \`${wasm.name}\``);
  if (!isWasm(wasm.bytes))
    throw new LoadError("module-invalid", "the bundle's policy.wasm is not a WebAssembly module");
  const expected = manifest?.metadata?.["portcullis_wasm_sha256"];
  if (typeof expected === "string" && (await sha256(wasm.bytes)) !== expected)
    throw new LoadError("bundle-mismatch", "the bundle's policy.wasm is not the one that its manifest names");
  const module = await compileModule(wasm.bytes, typeof expected === "string");
  const facts = factsOf(module, manifest);
  await holdSources(module, files);
  return { module, manifest, facts, files, wasmBytes: wasm.bytes };
}

/**
 * The Rego and data of a bundle are what its module was compiled from. A bundle without Rego cannot show another policy
 * than the one that runs; the data is OPA's to read even then. Throws LoadError.
 */
async function holdSources(module: WasmModule, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const section = bundleSectionOf(module);
  const sources = [...files.keys()].filter(isSource);
  if (section === undefined || sources.length === 0) return;
  const expected = sources.some((path) => path.endsWith(".rego")) ? section.sources : section.data;
  if (expected !== (await sourcesHash(files)))
    throw new LoadError("bundle-mismatch", "the bundle's Rego or data is not what its policy.wasm was compiled from");
}

/** What OPA would take for a second manifest or signature, or for a patch of other bundles. */
function holdOneReading(files: ReadonlyMap<string, Uint8Array>): void {
  for (const path of files.keys()) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (
      (path !== name && name === ".signatures.json") ||
      name === "patch.json" ||
      (/\.manifest(\.pb)?$/.test(path) && path !== ".manifest")
    )
      throw new LoadError("bundle-corrupt", `the bundle holds \`${path}\`, which OPA would take for a part of it`);
  }
}

/**
 * What the module says of itself, the versions of Rego that its text was read as among it; a manifest must say the same, where
 * both say something. Throws LoadError.
 */
function factsOf(module: WasmModule, manifest: BundleManifest | undefined): BundleFacts {
  const own = bundleSectionOf(module);
  const metadata = manifest?.metadata ?? {};
  const sequence = metadata["portcullis_sequence"];
  if (sequence !== undefined && !(Number.isSafeInteger(sequence) && (sequence as number) >= 0))
    throw new LoadError("bundle-corrupt", "the bundle's `portcullis_sequence` is not a whole number");
  const said: BundleFacts = {
    revision: manifest?.revision,
    sequence: sequence as number | undefined,
    versions: versionsOf(metadata["portcullis_versions"]),
    roots: [...(manifest?.roots ?? [])].sort(),
  };
  if (own === undefined) return said;
  const { revision, roots, limits, history_name: historyName } = own;
  const facts: BundleFacts = {
    ...{ revision, sequence: own.sequence, versions: versionsOf(own.versions) },
    roots: [...roots].sort(),
  };
  const isSame =
    JSON.stringify([facts, own.rego?.version ?? 1, own.rego?.files ?? {}]) ===
    JSON.stringify([said, manifest?.rego_version ?? 1, manifest?.file_rego_versions ?? {}]);
  if (manifest !== undefined && !isSame)
    throw new LoadError("bundle-mismatch", "the manifest is not the one that the module was built with");
  return {
    ...facts,
    hostData: own.host_data ?? [],
    pathArguments: own.path_arguments ?? {},
    approvals: own.approvals,
    limits: limits as PolicyLimits | undefined,
    historyName,
  };
}

function versionsOf(value: unknown): BundleFacts["versions"] {
  const { lanes, roles } = (value ?? {}) as { readonly [name: string]: unknown };
  return { ...(typeof lanes === "string" && { lanes }), ...(typeof roles === "string" && { roles }) };
}
