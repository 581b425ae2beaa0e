/** The contents of a bundle, without instantiating it. */

import { openSource, type PolicySource } from "./source.ts";
import { policySectionOf } from "./verify.ts";

export interface BundleDescription {
  readonly revision: string | undefined;
  /** Roots of the manifest; empty for a bare module. */
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
export async function describeBundle(source: PolicySource): Promise<BundleDescription> {
  const { module, manifest, files, wasmBytes } = await openSource(source);
  const section = policySectionOf(module);
  const listed =
    files ?? (wasmBytes === undefined ? new Map<string, Uint8Array>() : new Map([["policy.wasm", wasmBytes]]));
  return {
    revision: manifest?.revision,
    roots: manifest?.roots ?? [],
    producer: section === undefined ? "opa or another compiler" : "portcullis",
    entrypoints: section?.entrypoints ?? manifest?.wasm?.map((w) => w.entrypoint) ?? [],
    builtins: section?.builtins.map((b) => b.name) ?? [],
    files: [...listed].map(([path, bytes]) => ({ path, bytes: bytes.length })),
  };
}
