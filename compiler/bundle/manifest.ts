/**
 * The bundle's `.manifest`: revision, roots, one `wasm` element an entrypoint.
 * https://www.openpolicyagent.org/docs/management-bundles#bundle-file-format
 */

export interface Manifest {
  readonly revision: string;
  readonly roots: readonly string[];
  readonly rego_version: 1;
  /** Absent without entrypoints: an OPA without a wasm engine takes no other manifest. */
  readonly wasm?: readonly { readonly entrypoint: string; readonly module: string }[];
  readonly metadata: { readonly [key: string]: unknown };
}

export interface ManifestParts {
  readonly revision: string;
  readonly roots: readonly string[];
  /** `pkg/rule`, in any order. */
  readonly entrypoints: readonly string[];
  readonly metadata?: { readonly [key: string]: unknown };
}

/** Entrypoints and roots come out sorted and unique: the manifest must not depend on the order of sources. */
export function buildManifest(parts: ManifestParts): Manifest {
  const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
  const wasm = sorted(parts.entrypoints).map((entrypoint) => ({ entrypoint, module: "/policy.wasm" }));
  return {
    revision: parts.revision,
    roots: sorted(parts.roots),
    rego_version: 1,
    ...(wasm.length > 0 ? { wasm } : {}),
    metadata: parts.metadata ?? {},
  };
}

/**
 * The smallest set of roots that covers packages and data: a root inside another one is dropped, since OPA refuses
 * overlapping roots. Paths are segments; the result is joined with `/`.
 */
export function coveringRoots(paths: readonly (readonly string[])[]): string[] {
  const names = [...new Set(paths.map((p) => p.join("/")))].sort();
  if (names.includes("")) return [""];
  return names.filter((name) => !names.some((other) => other !== name && name.startsWith(`${other}/`)));
}
