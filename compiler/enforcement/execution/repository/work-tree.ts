/**
 * The work tree, compared with a listing by the bytes on the disk. No filter, attribute, flag or time stamp has a say. What is
 * below the top and is called `.git` is one path and never ignored: git itself would look into it, or away.
 */

import { createHash } from "node:crypto";
import { type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { eachChunk, FileError } from "../regular-file.ts";
import { GitError, type HashName } from "./git.ts";
import type { Ignored } from "./ignored.ts";
import { type Entry, EXECUTABLE, FILE, hashOf, LINK, type Listing, pathBelow, SUBMODULE } from "./objects.ts";

export interface WorkTreeQuestion {
  readonly top: string;
  readonly hashName: HashName;
  readonly baseline: Listing;
  readonly ignored: Ignored;
  /** Whether a submodule's folder holds something else than its commit. */
  readonly isChangedSubmodule: (path: string, commit: string) => boolean;
  /** By `performance.now()`. */
  readonly until: number;
}

/** Equal to no content: what git does not store (a pipe, a device), and a submodule that was changed. */
const NOT_STORED = "not stored";

/** The baseline's paths as they are on the disk, and every other path that is not ignored. Throws GitError. */
export function workTreeListing(question: WorkTreeQuestion): Listing {
  return new Walk(question).listing();
}

/** Whether nothing is in the folder of a submodule: it was not checked out. */
export function isEmptySubmodule(top: string, path: string): boolean {
  return readFolder(pathBelow(top, path)).length === 0;
}

/** Whether an entry is a link that is not on the disk as such. */
export function isLinkElsewhere(top: string, path: string, entry: Entry | undefined, hashName: HashName): boolean {
  if (entry?.mode !== LINK) return false;
  try {
    return linkHash(pathBelow(top, path), hashName) !== entry.hash;
  } catch {
    return true;
  }
}

function linkHash(place: Buffer, hashName: HashName): string {
  return hashOf(hashName, "blob", readlinkSync(place, { encoding: "buffer" }));
}

class Walk {
  private readonly q: WorkTreeQuestion;
  /** Every folder that the baseline has something in, with a slash at its end. */
  private readonly folders: ReadonlySet<string>;
  private readonly found = new Map<string, Entry>();
  /** Files, links and folders that the baseline does not have, by path. */
  private strange: string[] = [];

  constructor(question: WorkTreeQuestion) {
    this.q = question;
    this.folders = foldersOf(question.baseline.keys());
  }

  listing(): Listing {
    this.walk("");
    // A folder that is ignored is not looked into, so git is asked before each step down.
    while (this.strange.length > 0) {
      const asked = this.strange;
      this.strange = [];
      const ignored = this.q.ignored(asked);
      for (const path of asked) {
        if (ignored.has(path)) continue;
        if (path.endsWith("/")) this.walk(path);
        else this.found.set(path, this.entry(path));
      }
    }
    return this.withHashes();
  }

  /** `folder`: empty for the top, or with a slash at its end. Folders of the baseline are walked at once. */
  private walk(folder: string): void {
    const { top, baseline, until } = this.q;
    for (const one of readFolder(pathBelow(top, folder))) {
      if (performance.now() > until) throw new GitError("reading the work tree takes too long");
      const path = folder + one.name.toString("latin1");
      const isFolder = one.isDirectory();
      if (one.name.toString("latin1") === ".git") {
        if (folder !== "") this.found.set(path, { mode: FILE, hash: NOT_STORED });
      } else if (isFolder && baseline.get(path)?.mode === SUBMODULE) this.found.set(path, this.submodule(path));
      else if (isFolder && this.folders.has(`${path}/`)) this.walk(`${path}/`);
      else if (isFolder) this.strange.push(`${path}/`);
      else if (baseline.has(path)) this.found.set(path, this.entry(path));
      else this.strange.push(path);
    }
  }

  /** What came has to be hashed only where something went that it may be. */
  private withHashes(): Listing {
    const { baseline } = this.q;
    const isSomethingGone = [...baseline.keys()].some((path) => !this.found.has(path));
    for (const [path, { mode, hash }] of this.found) {
      if (hash === NOT_STORED || (!baseline.has(path) && !isSomethingGone)) continue;
      if (mode === FILE || mode === EXECUTABLE) this.found.set(path, { mode, hash: this.hashOfFile(path) });
    }
    return this.found;
  }

  private submodule(path: string): Entry {
    const { hash } = this.q.baseline.get(path) as Entry;
    return { mode: SUBMODULE, hash: this.q.isChangedSubmodule(path, hash) ? NOT_STORED : hash };
  }

  /** Without its hash, if it is a file. */
  private entry(path: string): Entry {
    const place = pathBelow(this.q.top, path);
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) return { mode: LINK, hash: linkHash(place, this.q.hashName) };
    if (!stats?.isFile()) return { mode: FILE, hash: NOT_STORED };
    return { mode: this.isExecutable(path, stats.mode) ? EXECUTABLE : FILE, hash: "" };
  }

  private isExecutable(path: string, mode: number): boolean {
    if (process.platform !== "win32") return (mode & 0o100) !== 0;
    // Windows has no such bit.
    return this.q.baseline.get(path)?.mode === EXECUTABLE;
  }

  private hashOfFile(path: string): string {
    const hash = createHash(this.q.hashName);
    let size = 0;
    try {
      const limits = { bytes: Number.POSITIVE_INFINITY, until: this.q.until };
      const read = eachChunk(
        pathBelow(this.q.top, path),
        limits,
        (chunk) => void hash.update(chunk),
        (bytes) => {
          size = bytes;
          hash.update(`blob ${size}\0`);
        },
      );
      // Other bytes than were announced: somebody is writing.
      return read === size ? hash.digest("hex") : NOT_STORED;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new GitError(`\`${path}\`: ${error.message}`);
    }
  }
}

function readFolder(folder: Buffer): Dirent<Buffer>[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  } catch {
    throw new GitError(`the folder \`${folder.toString("utf8")}\` cannot be read`);
  }
}

/** Every folder above a path, with a slash at its end. */
function foldersOf(paths: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) for (const { index } of path.matchAll(/\//g)) found.add(path.slice(0, index + 1));
  return found;
}
