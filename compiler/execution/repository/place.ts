/** Where a repository keeps its parts, and the commit that is checked out. Its files are read, and nothing in them is obeyed. */

import { lstatSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type FileError, readRegularFile } from "../regular-file.ts";
import { GitError } from "./git.ts";

export interface RepositoryPlace {
  /** The folder of the work tree. */
  readonly top: string;
  /** What belongs to this work tree: HEAD and the index. */
  readonly gitDir: string;
  /** What all work trees share: objects and refs. */
  readonly commonDir: string;
}

const LARGEST_LINE = 4096;
const LARGEST_REFS = 256 << 20;

/** The repositories around a folder, the outermost first. The folder must be canonical. */
export function repositoriesAround(folder: string): RepositoryPlace[] {
  const found: RepositoryPlace[] = [];
  for (let dir = folder; ; dir = dirname(dir)) {
    if (isThere(join(dir, ".git"))) found.unshift(repositoryAt(dir));
    if (dirname(dir) === dir) return found;
  }
}

/** The repository whose work tree's top is a folder. Throws GitError. */
export function repositoryAt(top: string): RepositoryPlace {
  const named = join(top, ".git");
  // A linked work tree and a submodule have a file that says where.
  const gitDir = isFolder(named) ? named : resolve(top, line(named, /^gitdir: (.+)$/));
  const common = join(gitDir, "commondir");
  const commonDir = isThere(common) ? resolve(gitDir, line(common, /^(.+)$/)) : gitDir;
  if (isThere(join(commonDir, "reftable")))
    throw new GitError("the repository keeps its refs in a reftable, which is not read");
  return { top, gitDir, commonDir };
}

/** The hash of the commit that is checked out. Throws GitError. */
export function headOf({ gitDir, commonDir }: RepositoryPlace): string {
  let text = line(join(gitDir, "HEAD"), /^(.+)$/);
  for (let steps = 0; steps < 5; steps++) {
    if (isHash(text)) return text;
    const name = /^ref: (refs\/[^\s\\:?*[^~]+)$/.exec(text)?.[1];
    if (name === undefined || name.split("/").some((part) => part === "" || /^\.|\.\.|\.lock$/.test(part)))
      throw new GitError("HEAD names no commit and no ref");
    text = refOf(commonDir, name);
  }
  throw new GitError("HEAD leads from ref to ref");
}

/** A commit's full name, in either of git's hashes. */
export function isHash(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

function refOf(commonDir: string, name: string): string {
  const loose = join(commonDir, name);
  if (isThere(loose) && !isFolder(loose)) return line(loose, /^(.+)$/);
  const packed = join(commonDir, "packed-refs");
  const rows = isThere(packed) ? textOf(packed, LARGEST_REFS).split("\n") : [];
  const row = rows.find((one) => one.slice(one.indexOf(" ") + 1) === name);
  if (row === undefined) throw new GitError(`there is no commit on \`${name}\``);
  return row.slice(0, row.indexOf(" "));
}

function line(path: string, form: RegExp): string {
  const found = form.exec(textOf(path, LARGEST_LINE).replace(/\r?\n$/, ""))?.[1];
  if (found === undefined) throw new GitError(`\`${path}\` is not what git writes there`);
  return found;
}

function textOf(path: string, bytes: number): string {
  try {
    return readRegularFile(path, { bytes }).toString("utf8");
  } catch (error) {
    throw new GitError(`\`${path}\`: ${(error as FileError).message}`);
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
