/** The contents of a bundle, without instantiating it. */

import { LoadError } from "../errors.ts";
import { holdOptions } from "../options.ts";
import { DEFAULT_BUNDLE_LIMITS } from "./limits.ts";
import { readManifest } from "./manifest.ts";
import { openSource, type PolicySource, SOURCE_OPTIONS, type SourceOptions } from "./source.ts";
import { readBundle } from "./tar.ts";
import { bundleSectionOf, policySectionOf } from "./verify.ts";

/** What a bundle says of itself, read without loading a policy. */
export interface BundleDescription {
  readonly revision: string | undefined;
  /** Against rollback; `undefined` for a bundle that was built without one. */
  readonly sequence: number | undefined;
  /** The roots by the manifest, or else by the module; empty if neither has any. */
  readonly roots: readonly string[];
  /** Who compiled the module; `undefined` for a bundle without one. */
  readonly producer: "portcullis" | "opa or another compiler" | undefined;
  /** Who takes it. */
  readonly fits: readonly Fit[];
  /** `pkg/rule`, in the module's order; from the manifest when the module does not say. */
  readonly entrypoints: readonly string[];
  /** Names of the builtins that the host must supply. */
  readonly builtins: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/**
 * `wasm`: this runtime, and OPA's SDKs for WebAssembly. `opa-wasm`: an OPA with a wasm engine, which evaluates the module.
 * `opa`: every OPA, with or without one, which evaluates the Rego.
 */
export type Fit = "wasm" | "opa-wasm" | "opa";

/** Throws LoadError for bytes that `load` would refuse, but for a bundle that has Rego and no module; TypeError for an option that there is not. */
export async function describeBundle(source: PolicySource, options: SourceOptions = {}): Promise<BundleDescription> {
  holdOptions(options, SOURCE_OPTIONS);
  try {
    return await describeModule(source, options);
  } catch (error) {
    // What is said of a bundle without a module was said after its signature and its names were checked.
    const isIncomplete = error instanceof LoadError && error.code === "bundle-incomplete";
    const described = isIncomplete ? await describeRego(source, options) : undefined;
    if (described !== undefined) return described;
    throw error;
  }
}

/** A bundle that only OPA evaluates; `undefined` for one without Rego. */
async function describeRego(source: PolicySource, options: SourceOptions): Promise<BundleDescription | undefined> {
  const limits = { ...DEFAULT_BUNDLE_LIMITS, ...options.bundleLimits };
  const files = await readBundle(new Uint8Array(source as ArrayBuffer), limits);
  if (![...files.keys()].some((path) => path.endsWith(".rego"))) return undefined;
  const listed = files.get(".manifest");
  const manifest = listed && readManifest(listed, limits);
  const sequence = manifest?.metadata?.["portcullis_sequence"];
  return {
    revision: manifest?.revision,
    sequence: typeof sequence === "number" ? sequence : undefined,
    roots: manifest?.roots ?? [],
    producer: undefined,
    fits: (manifest?.wasm ?? []).length === 0 ? ["opa"] : [],
    entrypoints: [],
    builtins: [],
    files: [...files].map(([path, bytes]) => ({ path, bytes: bytes.length })),
  };
}

async function describeModule(source: PolicySource, options: SourceOptions): Promise<BundleDescription> {
  const { module, manifest, facts, files, wasmBytes } = await openSource(source, options);
  const section = policySectionOf(module);
  const listed =
    files ?? (wasmBytes === undefined ? new Map<string, Uint8Array>() : new Map([["policy.wasm", wasmBytes]]));
  return {
    revision: facts.revision,
    sequence: facts.sequence,
    roots: manifest?.roots ?? bundleSectionOf(module)?.roots ?? [],
    producer: section === undefined ? "opa or another compiler" : "portcullis",
    fits: (manifest?.wasm ?? []).length > 0 ? ["wasm", "opa-wasm"] : ["wasm"],
    entrypoints: section?.entrypoints ?? manifest?.wasm?.map((w) => w.entrypoint) ?? [],
    builtins: section?.builtins.map((b) => b.name) ?? [],
    files: [...listed].map(([path, bytes]) => ({ path, bytes: bytes.length })),
  };
}
