/** Paths compared segment by segment. A folder is kept with a slash at its end, so that texts can be compared for it. */

import { isWritten } from "./text.ts";

/** An empty segment, `.` or `..`, or a slash at the end. */
const UNTIDY = /\/\.{0,2}(?:\/|$)/;

/** An absolute path that names every folder once and leads straight to its place. */
export function isCanonical(path: unknown): path is string {
  return typeof path === "string" && path.startsWith("/") && (path === "/" || !UNTIDY.test(path));
}

/** The folder that an absolute path names, with a slash at its end. One with `..` holds no canonical path. */
export function folderOf(path: string): string | undefined {
  if (!path.startsWith("/")) return undefined;
  if (path !== "/" && isCanonical(path)) return `${path}/`;
  const named = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  return named.length === 0 ? "/" : `/${named.join("/")}/`;
}

/** What a contract may name as a target: canonical, absolute or from the contract's root, and not the root itself. */
export function isTarget(target: string): boolean {
  const path = target.startsWith("/") ? target : `/${target}`;
  return path !== "/" && isWritten(target) && isCanonical(path) && !target.includes("\\");
}

/** A canonical path lies in the folder, or is the folder. */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder) || (path.length === folder.length - 1 && folder.startsWith(path));
}
