/**
 * The bundle's `.manifest`, held to what OPA takes, so that both read the same:
 * https://www.openpolicyagent.org/docs/management-bundles#bundle-file-format
 */

import { LoadError } from "../errors.ts";
import { readJsonObject } from "./json-file.ts";
import type { BundleLimits } from "./limits.ts";

/** `.manifest` of a bundle, in OPA's format (https://www.openpolicyagent.org/docs/management-bundles). */
export interface BundleManifest {
  readonly revision?: string;
  readonly roots?: readonly string[];
  readonly rego_version?: number;
  readonly file_rego_versions?: { readonly [pattern: string]: number };
  readonly wasm?: readonly { readonly entrypoint: string; readonly module: string }[];
  readonly metadata?: { readonly [key: string]: unknown };
}

const MEMBERS = ["revision", "roots", "rego_version", "file_rego_versions", "wasm", "metadata"];

/** Throws LoadError. */
export function readManifest(bytes: Uint8Array, limits: BundleLimits): BundleManifest {
  const manifest = readJsonObject(bytes, ".manifest", limits);
  // To OPA `1.0` is no whole number; here it is the same as `1` once it is read.
  hold(!/"rego_version"\s*:\s*[^\s,}]*[.eE]/.test(new TextDecoder().decode(bytes)), "rego_version");
  return checkManifest(manifest);
}

/** A manifest that somebody read already. Throws LoadError for one that OPA would refuse or understand differently. */
export function checkManifest(value: object): BundleManifest {
  const manifest = value as { readonly [key: string]: unknown };
  const {
    revision,
    roots = [""],
    rego_version: version = 1,
    file_rego_versions: versions = {},
    metadata = {},
  } = manifest;
  holdNames(manifest, MEMBERS);
  hold(revision === undefined || typeof revision === "string", "revision");
  hold(Array.isArray(roots) && roots.every((root) => typeof root === "string"), "roots");
  holdApart(roots as readonly string[]);
  hold(isRegoVersion(version), "rego_version");
  hold(isRecord(versions) && Object.values(versions).every(isRegoVersion), "file_rego_versions");
  hold(isRecord(metadata), "metadata");
  holdModules(manifest["wasm"] ?? [], roots as readonly string[]);
  return manifest as BundleManifest;
}

function holdModules(wasm: unknown, roots: readonly string[]): void {
  hold(Array.isArray(wasm), "wasm");
  const names = new Set<string>();
  for (const element of wasm as readonly unknown[]) {
    hold(isRecord(element), "wasm");
    const { entrypoint, module } = element as { readonly [key: string]: unknown };
    holdNames(element as object, ["entrypoint", "module", "annotations"]);
    hold(typeof entrypoint === "string" && typeof module === "string" && !names.has(entrypoint), "wasm");
    names.add(entrypoint as string);
    hold(
      roots.some((root) => isBelow(entrypoint as string, trimmed(root))),
      "entrypoints: one is outside of its roots",
    );
  }
}

/** OPA's reader does not tell `roots` and `Roots`: a name that differs so from one of the format's is refused. */
function holdNames(object: object, names: readonly string[]): void {
  // Upper case first: so the long s and the Kelvin sign become the letters that they are read as.
  for (const key of Object.keys(object)) {
    const folded = key.toUpperCase().toLowerCase();
    hold(names.includes(key) || !names.includes(folded), folded);
  }
}

/** No root may be inside of another one. */
function holdApart(roots: readonly string[]): void {
  const all = new Set(roots.map(trimmed));
  hold(all.size === roots.length && !(all.has("") && all.size > 1), "roots: they overlap");
  for (const root of all) {
    for (let at = root.indexOf("/"); at >= 0; at = root.indexOf("/", at + 1))
      hold(!all.has(root.slice(0, at)), "roots: they overlap");
  }
}

function trimmed(root: string): string {
  return root.replace(/^\/+|\/+$/g, "");
}

function isBelow(path: string, root: string): boolean {
  return root === "" || path === root || path.startsWith(`${root}/`);
}

function isRegoVersion(value: unknown): boolean {
  return value === 0 || value === 1 || value === 2;
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hold(holds: boolean, what: string): void {
  if (!holds) throw new LoadError("bundle-corrupt", `the bundle's .manifest is wrong about its ${what}`);
}
