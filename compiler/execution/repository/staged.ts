/** What the index would commit. Git reads a copy of it: flags in it (assumed unchanged, left out of a checkout) have no say. */

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FileError, readRegularFile } from "../regular-file.ts";
import { type Git, GitError } from "./git.ts";
import type { Entry, Listing, Objects } from "./objects.ts";

const LARGEST_INDEX = 1 << 30;

/** Stands for a path that a merge left in several versions: equal to no content. */
const UNMERGED = "unmerged";

const LISTED = ["ls-files", "--stage", "-z"];

/**
 * With folders as they stand in a sparse index. Git leaves them closed where a sparse checkout is set up, and closes others
 * that this checkout does not have: this one has all.
 */
function closedFolders({ gitDir }: Git): readonly string[] {
  mkdirSync(join(gitDir, "info"));
  writeFileSync(join(gitDir, "info/sparse-checkout"), "/*\n");
  const settings = ["core.sparseCheckout", "core.sparseCheckoutCone", "index.sparse"];
  return [...settings.flatMap((name) => ["-c", `${name}=true`]), ...LISTED, "--sparse"];
}

/**
 * Git opens the folders of a sparse index, and believes their trees; here those are hashed first. So it is lent no objects
 * for this: an index that needs none is listed, and any other only with its folders closed. A complaint is a refusal, as what
 * git cannot open it leaves out.
 */
function linesOf(git: Git): readonly string[] {
  const options = { isStrict: true, hasObjects: false };
  try {
    return git.list(LISTED, options);
  } catch {
    return git.list(closedFolders(git), options);
  }
}

/** Throws GitError. `gitDir`: where the index is; without one, nothing is staged. */
export function stagedListing(git: Git, objects: Objects, gitDir: string): Listing {
  const index = copyOf(join(gitDir, "index"));
  if (index === undefined) return new Map();
  writeFileSync(join(git.gitDir, "index"), index);
  for (const name of readdirSync(gitDir).filter((one) => one.startsWith("sharedindex."))) {
    const shared = copyOf(join(gitDir, name));
    if (shared !== undefined) writeFileSync(join(git.gitDir, name), shared);
  }
  const found = new Map<string, Entry>();
  for (const line of linesOf(git)) {
    const tab = line.indexOf("\t");
    const [mode, hash, stage] = line.slice(0, tab).split(" ") as [string, string, string];
    const path = line.slice(tab + 1);
    if (stage !== "0") found.set(path, { mode: Number.parseInt(mode, 8), hash: UNMERGED });
    else if (mode === "040000") for (const [inner, entry] of objects.listing(hash, path)) found.set(inner, entry);
    else found.set(path, { mode: Number.parseInt(mode, 8), hash });
  }
  return found;
}

function copyOf(path: string): Buffer | undefined {
  try {
    return readRegularFile(path, { bytes: LARGEST_INDEX });
  } catch (error) {
    const { problem, message } = error as FileError;
    if (problem === "absent") return undefined;
    throw new GitError(`the index: ${message}`);
  }
}
