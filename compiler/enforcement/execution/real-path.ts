/**
 * Where a path really leads. Decisions compare canonical paths, segment by segment; this is where they come from. What
 * cannot be resolved is `undefined`, and no decision counts that as inside anything.
 */

import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { deepestRealPath } from "@portcullis/runtime/node";

/** The canonical path of something that exists: links resolved, case as the file system has it. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * The place that a path names, links on the way resolved but not a link at the place itself. The place may be empty: a
 * deleted file was somewhere too. `undefined` when a link on the way leads nowhere, or cannot be followed.
 */
export function realPlace(path: string): string | undefined {
  const parent = dirname(path);
  if (parent === path) return realPath(path);
  const folder = deepestRealPath(parent);
  return folder === undefined ? undefined : join(folder, basename(path));
}

/** Whether something, a link included, is at a path, and whether it is a symbolic link. */
export function linkAt(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** The form that policies read: `/` between segments and before the first one, on every system (`/C:/work`). */
export function policyPath(path: string): string {
  const slashed = sep === "\\" ? path.replaceAll("\\", "/") : path;
  return slashed.startsWith("/") ? slashed : `/${slashed}`;
}

/** Both canonical: `path` is `folder` or lies below it, by whole segments. */
export function liesIn(path: string, folder: string): boolean {
  const base = folder.endsWith(sep) ? folder : folder + sep;
  return path === folder || path.startsWith(base);
}
