/**
 * The bundle's `.manifest`: revision, roots, one `wasm` element an entrypoint.
 * https://www.openpolicyagent.org/docs/management-bundles#bundle-file-format
 */

import type { BundleRegoVersions } from "@portcullis/runtime/abi";

export interface Manifest {
  readonly revision: string;
  readonly roots: readonly string[];
  readonly rego_version: number;
  /** By the pattern that is their path: modules of another version. */
  readonly file_rego_versions?: { readonly [pattern: string]: number };
  /** Absent without entrypoints: an OPA without a wasm engine takes no other manifest. */
  readonly wasm?: readonly { readonly entrypoint: string; readonly module: string }[];
  readonly metadata: { readonly [key: string]: unknown };
}

export interface ManifestParts {
  readonly revision: string;
  readonly roots: readonly string[];
  /** `pkg/rule`, in any order. */
  readonly entrypoints: readonly string[];
  /** Default: all modules are of v1. */
  readonly rego?: BundleRegoVersions | undefined;
  readonly metadata?: { readonly [key: string]: unknown };
}

/** Entrypoints and roots come out sorted and unique: the manifest must not depend on the order of sources. */
export function buildManifest(parts: ManifestParts): Manifest {
  const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
  const { version, files }: BundleRegoVersions = parts.rego ?? { version: 1 };
  const wasm = sorted(parts.entrypoints).map((entrypoint) => ({ entrypoint, module: "/policy.wasm" }));
  return {
    revision: parts.revision,
    roots: sorted(parts.roots),
    rego_version: version,
    ...(files === undefined ? {} : { file_rego_versions: files }),
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
