/**
 * Ignored paths, by the `.gitignore` files of the baseline. Those of the work tree, `.git/info/exclude` and a user's own do not
 * count: somebody who wants to hide a file could write them. Git decides, in a folder of ours that holds those files alone.
 */

import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Git, GitError } from "./git.ts";
import { EXECUTABLE, FILE, type Listing, type Objects, pathBelow } from "./objects.ts";

/** Tells which of some paths are ignored. A folder's path ends with a slash. */
export type Ignored = (paths: readonly string[]) => ReadonlySet<string>;

/** Throws GitError. */
export function ignoredBy(git: Git, objects: Objects, baseline: Listing): Ignored {
  for (const [path, { mode, hash }] of baseline) {
    // Git does not read a link either.
    if (!/(?:^|\/)\.gitignore$/.test(path) || (mode !== FILE && mode !== EXECUTABLE)) continue;
    put(git, path, objects.blob(hash));
  }
  return (paths) => ask(git, paths);
}

function put(git: Git, path: string, content: Buffer): void {
  try {
    mkdirSync(pathBelow(git.workTree, dirname(path)), { recursive: true });
    // Two paths that are one here, as on a disk that folds case, would mix their rules.
    writeFileSync(pathBelow(git.workTree, path), content, { flag: "wx" });
  } catch {
    throw new GitError("the ignore rules of the baseline cannot be laid out here");
  }
}

function ask(git: Git, paths: readonly string[]): ReadonlySet<string> {
  // Git looks whether a path is a folder: some rules are for folders alone.
  const asked = paths.filter((path) => lay(git, path));
  const input = Buffer.from(asked.map((path) => `${asPathspec(path)}\0`).join(""), "latin1");
  const said = git.list(["check-ignore", "--no-index", "--verbose", "-z", "--stdin"], { input, allowed: [0, 1] });
  const found = new Set<string>();
  // SOURCE, LINE, PATTERN, PATH: the last rule that matches, which may say that the path is not ignored.
  for (let i = 0; i < said.length; i += 4) {
    const [pattern, path] = said.slice(i + 2, i + 4) as [string, string];
    if (!pattern.startsWith("!")) found.add(path);
  }
  return new Set(asked.filter((path) => found.has(asPathspec(path))));
}

/** With `./` before it, no name is taken for a pattern. */
function asPathspec(path: string): string {
  return `./${path.replace(/\/$/, "")}`;
}

/**
 * Makes a path in our folder what it is on the disk. `false` for a folder in the place of a file of rules, which has to stay:
 * it is not asked about, and what is in it is asked about as in a folder.
 */
function lay(git: Git, path: string): boolean {
  const place = pathBelow(git.workTree, path.replace(/\/$/, ""));
  if (!path.endsWith("/")) {
    // A file where the baseline has a folder: nothing is below it any more, and no rules of there can count.
    if (isFolderAt(place)) rmSync(place, { recursive: true });
    return true;
  }
  try {
    mkdirSync(place, { recursive: true });
    return true;
  } catch {
    return false;
  }
}

function isFolderAt(place: Buffer): boolean {
  try {
    return lstatSync(place).isDirectory();
  } catch {
    return false;
  }
}
