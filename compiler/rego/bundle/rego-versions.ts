/** What a bundle's manifest says of the versions of Rego that its modules are written in, as `opa build -b` says it. */

import type { BundleRegoVersions } from "@portcullis/runtime/abi";
import type { RegoVersion, SourceFile } from "../diagnostics/index.ts";

/**
 * `general` of all modules, and by its path each that is of another. A module of v0 that imports a later version is one of v1, too.
 * `undefined` where all are of v1.
 */
export function bundleVersions(
  modules: readonly { readonly path: string; readonly file: SourceFile }[],
  general: RegoVersion = 1,
): BundleRegoVersions | undefined {
  const version = readAs(general);
  const others = modules
    .filter(({ file }) => readAs(file.regoVersion) !== version)
    .map(({ path, file }): [string, number] => [patternOf(path), readAs(file.regoVersion)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (version === 1 && others.length === 0) return undefined;
  return { version, ...(others.length === 0 ? {} : { files: Object.fromEntries(others) }) };
}

function readAs(version: RegoVersion): 1 | 2 {
  return version === 2 ? 2 : 1;
}

/** A pattern that matches this path, and no other. */
function patternOf(path: string): string {
  return `/${path.replace(/[\\*?[\]{},]/g, "\\$&")}`;
}
