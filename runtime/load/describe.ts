/** The contents of a bundle, without instantiating it. */

import { openSource, type PolicySource, type SourceOptions } from "./source.ts";
import { bundleSectionOf, policySectionOf } from "./verify.ts";

export interface BundleDescription {
  readonly revision: string | undefined;
  /** Against rollback; `undefined` for a bundle that was built without one. */
  readonly sequence: number | undefined;
  /** Of the manifest, or of the module; empty where neither says. */
  readonly roots: readonly string[];
  /** Who compiled the module. */
  readonly producer: "portcullis" | "opa or another compiler";
  /** `pkg/rule`, in the module's order; from the manifest when the module does not say. */
  readonly entrypoints: readonly string[];
  /** Names of the builtins that the host must supply. */
  readonly builtins: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** Throws LoadError for bytes that `load` would refuse. */
export async function describeBundle(source: PolicySource, options: SourceOptions = {}): Promise<BundleDescription> {
  const { module, manifest, facts, files, wasmBytes } = await openSource(source, options);
  const section = policySectionOf(module);
  const listed =
    files ?? (wasmBytes === undefined ? new Map<string, Uint8Array>() : new Map([["policy.wasm", wasmBytes]]));
  return {
    revision: facts.revision,
    sequence: facts.sequence,
    roots: manifest?.roots ?? bundleSectionOf(module)?.roots ?? [],
    producer: section === undefined ? "opa or another compiler" : "portcullis",
    entrypoints: section?.entrypoints ?? manifest?.wasm?.map((w) => w.entrypoint) ?? [],
    builtins: section?.builtins.map((b) => b.name) ?? [],
    files: [...listed].map(([path, bytes]) => ({ path, bytes: bytes.length })),
  };
}
