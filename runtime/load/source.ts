/** The source of `load`, taken apart: a bundle, the bytes of a module, or a compiled module. */

import { LoadError } from "../errors.ts";
import type { WasmModule } from "../platform.ts";
import { readBundle } from "./tar.ts";
import { compileModule, isGzip, isWasm } from "./verify.ts";

/** A `bundle.tar.gz`, the bytes of a `policy.wasm`, or a module that is already compiled (share it between threads). */
export type PolicySource = Uint8Array | ArrayBuffer | WasmModule;

export interface BundleManifest {
  readonly revision?: string;
  readonly roots?: readonly string[];
  readonly rego_version?: number;
  readonly wasm?: readonly { readonly entrypoint: string; readonly module: string }[];
  readonly metadata?: { readonly [key: string]: unknown };
}

export interface OpenedSource {
  readonly module: WasmModule;
  /** Only from a bundle. */
  readonly manifest: BundleManifest | undefined;
  readonly files: ReadonlyMap<string, Uint8Array> | undefined;
  readonly wasmBytes: Uint8Array | undefined;
}

/** Reads, verifies and compiles. Throws LoadError, which names the fault. */
export async function openSource(source: PolicySource): Promise<OpenedSource> {
  if (source instanceof WebAssembly.Module)
    return { module: source, manifest: undefined, files: undefined, wasmBytes: undefined };
  if (!(source instanceof Uint8Array || source instanceof ArrayBuffer)) {
    throw new LoadError(
      "not-a-policy",
      "load takes the bytes of a bundle or of a WebAssembly module, or a WebAssembly.Module",
    );
  }
  const bytes = source instanceof Uint8Array ? source : new Uint8Array(source);
  if (bytes.length === 0) throw new LoadError("not-a-policy", "there is nothing to load: 0 bytes");
  if (isWasm(bytes))
    return { module: await compileModule(bytes), manifest: undefined, files: undefined, wasmBytes: bytes };
  if (isGzip(bytes)) return openBundle(await readBundle(bytes));
  throw new LoadError(
    "not-a-policy",
    "neither a bundle (gzip) nor a WebAssembly module: the first bytes match neither",
  );
}

async function openBundle(files: Map<string, Uint8Array>): Promise<OpenedSource> {
  const wasmBytes = files.get("policy.wasm");
  if (wasmBytes === undefined) {
    throw new LoadError(
      "bundle-incomplete",
      "the bundle holds no policy.wasm: compile it with `portcullis build` (or `opa build -t wasm`)",
    );
  }
  const manifest = readManifest(files.get(".manifest"));
  if (!isWasm(wasmBytes)) throw new LoadError("module-invalid", "the bundle's policy.wasm is not a WebAssembly module");
  const expected = manifest?.metadata?.["portcullis_wasm_sha256"];
  if (typeof expected === "string") {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", wasmBytes as Uint8Array<ArrayBuffer>));
    const actual = Array.from(digest, (b) => b.toString(16).padStart(2, "0")).join("");
    if (actual !== expected)
      throw new LoadError("bundle-mismatch", "the bundle's policy.wasm is not the one that its manifest names");
  }
  return { module: await compileModule(wasmBytes, typeof expected === "string"), manifest, files, wasmBytes };
}

function readManifest(bytes: Uint8Array | undefined): BundleManifest | undefined {
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as BundleManifest;
  } catch {
    // Falls through: not UTF-8 and not JSON are told alike.
  }
  throw new LoadError("bundle-corrupt", "the bundle's .manifest is not a JSON object");
}
