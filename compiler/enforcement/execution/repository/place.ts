/**
 * Where a repository keeps its parts, and the commit that is checked out. Its files are read, and nothing in them is obeyed.
 * What git could read in two ways is refused: a repository that is not a plain folder, a state that a command left behind, a
 * branch that stands in two places.
 */

import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { realPath } from "../real-path.ts";
import { type FileError, readRegularFile } from "../regular-file.ts";
import { GitError } from "./git.ts";

export interface RepositoryPlace {
  /** The folder of the work tree. */
  readonly top: string;
  /** HEAD, refs, objects and the index. */
  readonly gitDir: string;
}

/** The branch that is checked out, by its full name, and its commit. */
export interface Head {
  readonly ref: string;
  readonly commit: string;
}

const LARGEST_LINE = 4096;
const LARGEST_REFS = 256 << 20;

/** The repositories around a folder, the outermost first. The folder must be canonical. Throws GitError. */
export function repositoriesAround(folder: string): RepositoryPlace[] {
  const found: RepositoryPlace[] = [];
  for (let dir = folder; ; dir = dirname(dir)) {
    if (isThere(join(dir, ".git"))) found.unshift(repositoryAt(dir));
    // Git takes such a folder for a repository of its own, and looks no further. Its refs may be another's (`commondir`), and its
    // objects where a variable says.
    else if (isThere(join(dir, "HEAD")) && ["refs", "commondir"].some((name) => isThere(join(dir, name))))
      throw new GitError(`\`${dir}\` looks like the inside of a repository`);
    if (dirname(dir) === dir) return found;
  }
}

/** The repository whose work tree's top is a folder. Throws GitError unless it is a plain folder `.git` in no odd state. */
export function repositoryAt(top: string): RepositoryPlace {
  const gitDir = join(top, ".git");
  if (!isPlainFolder(gitDir))
    throw new GitError(
      `\`${gitDir}\` is no folder: linked work trees and submodules cannot be closed, their repository can`,
    );
  return plain({ top, gitDir });
}

/** The repository of a submodule, which may keep a file that says where it is. Throws GitError. */
export function submoduleAt(top: string): RepositoryPlace {
  const named = join(top, ".git");
  return plain({ top, gitDir: isPlainFolder(named) ? named : resolve(top, line(named, /^gitdir: (.+)$/)) });
}

/** Git looks for another repository, further out, where one of these is missing. */
const PARTS = ["objects", "refs"];

function plain(place: RepositoryPlace): RepositoryPlace {
  for (const part of PARTS)
    if (!isPlainFolder(join(place.gitDir, part))) throw new GitError(`\`${part}\` of the repository is no folder`);
  for (const name of readdirSync(place.gitDir)) {
    if (isElsewhere(name)) throw new GitError(`the repository keeps a part elsewhere: \`${name}\``);
    if (isState(name)) throw new GitError(`the repository is in the middle of something: \`${name}\` is there`);
  }
  return place;
}

/** Refs in another form, or those of another folder. */
function isElsewhere(name: string): boolean {
  return /^(?:commondir|gitdir|reftable)$/i.test(name);
}

/** Files of git that are not the state of a command. */
const NO_STATES = /^(?:(?:ORIG_|FETCH_)?HEAD|\w*_EDITMSG|\w*_DESCRIPTION|MERGE_RR|GIT\w+)$/;

/** What a merge, a rebase, a cherry-pick, a revert, a bisection or another unfinished command leaves. */
function isState(name: string): boolean {
  if (/^(?:rebase-merge|rebase-apply|sequencer|BISECT_.*)$/i.test(name)) return true;
  return /^[A-Z][A-Z_]*$/.test(name) && !NO_STATES.test(name);
}

/** Throws GitError for anything but a branch that stands in one place. */
export function headOf({ gitDir }: RepositoryPlace): Head {
  const text = headLine(gitDir);
  if (isHash(text)) throw new GitError("HEAD is on no branch: git switch to one");
  const ref = /^ref: (refs\/heads\/[^\s\\:?*[^~\x7f]+)$/.exec(text)?.[1];
  if (ref === undefined || ref.includes("@{") || ref.split("/").some(isOddPart))
    throw new GitError("HEAD names no branch");
  return { ref, commit: commitOf(gitDir, ref) };
}

/** The same of a submodule, where HEAD names a commit mostly. Throws GitError. */
export function submoduleCommit(place: RepositoryPlace): string {
  const text = headLine(place.gitDir);
  return isHash(text) ? text : headOf(place).commit;
}

function headLine(gitDir: string): string {
  return line(join(gitDir, "HEAD"), /^(.+)$/);
}

function isOddPart(part: string): boolean {
  return part === "" || /^\.|\.\.|\.lock$|\.$/.test(part);
}

/** A commit's full name, in either of git's hashes. */
export function isHash(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/** Git takes the ref's own file where there is one, and its row of the packed ones otherwise. */
function commitOf(gitDir: string, ref: string): string {
  const packed = packedRefs(gitDir).get(Buffer.from(ref).toString("latin1"));
  const loose = join(gitDir, ref);
  if (!isThere(loose)) {
    if (packed === undefined) throw new GitError(`there is no commit on \`${ref}\``);
    return packed;
  }
  if (realPath(dirname(loose)) !== join(realpathSync.native(gitDir), dirname(ref)))
    throw new GitError(`\`${ref}\` lies behind a link, or cannot be read`);
  const commit = line(loose, /^(.+)$/);
  if (!isHash(commit)) throw new GitError(`\`${ref}\` names no commit`);
  return commit;
}

const PACKED = /^([0-9a-f]{40}|[0-9a-f]{64}) (refs\/[^\x00-\x20\x7f~^:?*[\\]+)$/;

/** By names with one character a byte. INVARIANT: in order, as git searches them, and so each but once. */
function packedRefs(gitDir: string): ReadonlyMap<string, string> {
  const path = join(gitDir, "packed-refs");
  const found = new Map<string, string>();
  if (!isThere(path)) return found;
  const lines = bytesOf(path, LARGEST_REFS).toString("latin1").split("\n");
  if (lines.pop() !== "") throw oddRefs();
  let last = "";
  let canPeel = false;
  for (const [i, row] of lines.entries()) {
    if (i === 0 && /^# pack-refs with: [a-z -]*$/.test(row)) continue;
    if (canPeel && /^\^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(row)) {
      canPeel = false;
      continue;
    }
    const [, commit, name] = (PACKED.exec(row) ?? []) as string[];
    if (commit === undefined || name === undefined || name <= last) throw oddRefs();
    found.set(name, commit);
    last = name;
    canPeel = true;
  }
  return found;
}

function oddRefs(): GitError {
  return new GitError("`packed-refs` is not what git writes");
}

function line(path: string, form: RegExp): string {
  const text = bytesOf(path, LARGEST_LINE).toString("utf8");
  const found = text.endsWith("\n") && !text.includes("\ufffd") && form.exec(text.slice(0, -1))?.[1];
  if (!found) throw new GitError(`\`${path}\` is not what git writes there`);
  return found;
}

/** The content of a regular file of at most `bytes`. Throws GitError. */
export function bytesOf(path: string, bytes: number): Buffer {
  try {
    return readRegularFile(path, { bytes });
  } catch (error) {
    throw new GitError(`\`${path}\`: ${(error as FileError).message}`);
  }
}

/** Also true of what cannot be looked at: reading it then fails, and nothing else is read in its place. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

/** No link to one either. */
function isPlainFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
