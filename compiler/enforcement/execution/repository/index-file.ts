/**
 * The index, by its own bytes: the entries that a commit would be made of. What git could read in two ways is refused: flags
 * that leave an entry out of a commit or out of sight, versions of a merge, and every extension but TREE, whose claims are held
 * against the entries.
 *
 *     "DIRC" version count | entry … | signature size bytes … | hash of all before it, or zeros
 *     entry: 24 bytes | mode | 12 bytes | hash | flags | name NUL (versions 2 and 3: NULs up to a multiple of 8)
 *     name in version 4: how many bytes to cut off the name before | the bytes to put there NUL
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { type FileError, readRegularFile } from "../regular-file.ts";
import { checkCacheTree } from "./cache-tree.ts";
import { GitError, type HashName } from "./git.ts";
import { type Entry, EXECUTABLE, FILE, isOddName, LINK, type Listing, MOST_PATHS, SUBMODULE } from "./objects.ts";
import { type Folder, foldersOf } from "./trees.ts";

const LARGEST_INDEX = 1 << 30;
const LONGEST_PATH = 4096;
const HEADER = 12;
const MODE_AT = 24;
const HASH_AT = 40;

const ASSUME_UNCHANGED = 0x8000;
const EXTENDED = 0x4000;
const STAGE = 0x3000;
const NAME_LENGTH = 0x0fff;
const INTENT_TO_ADD = 0x2000;

/** What a commit of the index would hold. */
export interface Staged {
  readonly entries: Listing;
  /** Each folder of the entries as a tree, by its path with a slash at the end; the whole by the empty path. */
  readonly folders: ReadonlyMap<string, Folder>;
}

/** Throws GitError. Without an index nothing is staged: a commit would be empty. */
export function stagedIn(gitDir: string, hashName: HashName, path = join(gitDir, "index")): Staged {
  const bytes = bytesOf(path);
  const reader = bytes && new IndexReader(bytes, hashName);
  const entries: Listing = reader?.entries() ?? new Map();
  const cacheTree = reader?.cacheTree();
  const folders = foldersOf(entries, hashName);
  if (cacheTree !== undefined) checkCacheTree(cacheTree, folders, hashName);
  return { entries, folders };
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readRegularFile(path, { bytes: LARGEST_INDEX });
  } catch (error) {
    const { problem, message } = error as FileError;
    if (problem === "absent") return undefined;
    throw new GitError(`the index: ${message}`);
  }
}

class IndexReader {
  private readonly bytes: Buffer;
  private readonly width: number;
  private readonly version: number;
  /** Where the hash begins. */
  private readonly end: number;
  private at = HEADER;

  constructor(bytes: Buffer, hashName: HashName) {
    this.bytes = bytes;
    this.width = hashName === "sha1" ? 20 : 32;
    this.end = bytes.length - this.width;
    if (this.end < HEADER || bytes.toString("latin1", 0, 4) !== "DIRC") throw broken();
    this.version = bytes.readUInt32BE(4);
    if (this.version < 2 || this.version > 4) throw new GitError(`the index is of version ${this.version}`);
    const said = bytes.subarray(this.end);
    const hash = createHash(hashName).update(bytes.subarray(0, this.end)).digest();
    // With `index.skipHash` git writes zeros.
    if (!hash.equals(said) && said.some((byte) => byte !== 0)) throw broken();
  }

  entries(): Map<string, Entry> {
    const count = this.bytes.readUInt32BE(8);
    if (count > MOST_PATHS) throw new GitError("the index holds too many paths");
    const found = new Map<string, Entry>();
    let last = "";
    for (let i = 0; i < count; i++) {
      const { name, entry } = this.entry(last);
      // One character a byte: they are in order as the bytes are.
      if (name <= last) throw new GitError("the entries of the index are not in order, or not merged");
      found.set(name, entry);
      last = name;
    }
    return found;
  }

  private entry(last: string): { readonly name: string; readonly entry: Entry } {
    const { bytes, at, width } = this;
    const flagsAt = at + HASH_AT + width;
    if (flagsAt + 4 > this.end) throw broken();
    const flags = bytes.readUInt16BE(flagsAt);
    const name = this.name(flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4), last);
    refuseFlags(name, flags, bytes.readUInt16BE(flagsAt + 2));
    if ((flags & NAME_LENGTH) !== Math.min(name.length, NAME_LENGTH)) throw broken();
    // A split index has entries without a name, which stand for some of the other part.
    if (name === "") throw new GitError(refusalOf("link"));
    if (name.length > LONGEST_PATH || name.split("/").some(isOddName))
      throw new GitError(`the index holds ${JSON.stringify(name)}, which no checkout writes`);
    const mode = bytes.readUInt32BE(at + MODE_AT);
    if (mode !== FILE && mode !== EXECUTABLE && mode !== LINK && mode !== SUBMODULE)
      throw new GitError(`the index holds ${JSON.stringify(name)} with the mode ${mode.toString(8)}`);
    const hash = bytes.toString("hex", at + HASH_AT, at + HASH_AT + width);
    if (/^0+$/.test(hash)) throw new GitError(`the index holds ${JSON.stringify(name)} without a content`);
    return { name, entry: { mode, hash } };
  }

  /** The name that is stored at a place; the next entry begins behind it. */
  private name(place: number, last: string): string {
    let from = place;
    let cut = last.length;
    if (this.version === 4) [cut, from] = this.number(place);
    const end = this.bytes.indexOf(0, from);
    if (end < 0 || cut > last.length) throw broken();
    if (end - from > LONGEST_PATH) throw new GitError("the index holds a path that is too long");
    const start = this.at;
    this.at = this.version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
    // INVARIANT: nothing but NULs between the name and the next entry.
    if (this.at > this.end || this.bytes.subarray(end, this.at).some((byte) => byte !== 0)) throw broken();
    return last.slice(0, last.length - cut) + this.bytes.toString("latin1", from, end);
  }

  /** A number in bytes of seven bits, as packs have it, and where it ends. One that does not end is too large for any use. */
  private number(place: number): [value: number, end: number] {
    let at = place;
    let byte = this.bytes[at++] as number;
    let value = byte & 0x7f;
    while ((byte & 0x80) !== 0) {
      byte = this.bytes[at++] as number;
      value = (value + 1) * 128 + (byte & 0x7f);
    }
    return [value, at];
  }

  /** What stands behind the entries. */
  cacheTree(): Buffer | undefined {
    let found: Buffer | undefined;
    while (this.at < this.end) {
      const signature = this.bytes.toString("latin1", this.at, this.at + 4);
      const from = this.at + 8;
      this.at = from + this.bytes.readUInt32BE(this.at + 4);
      if (this.at > this.end) throw broken();
      if (signature !== "TREE" || found !== undefined) throw new GitError(refusalOf(signature));
      found = this.bytes.subarray(from, this.at);
    }
    return found;
  }
}

/** The extensions that people meet, and how an index gets rid of each. */
const EXTENSIONS: { readonly [signature: string]: string } = {
  link: "is split: git update-index --no-split-index",
  sdir: "is sparse: git sparse-checkout disable",
  FSMN: "believes a file system monitor: git update-index --no-fsmonitor",
  UNTR: "has a cache of untracked files: git update-index --no-untracked-cache",
  REUC: "remembers a merge: git read-tree HEAD, and stage again",
};

function refusalOf(signature: string): string {
  const known = EXTENSIONS[signature];
  if (known !== undefined) return `the index ${known}`;
  return `the index holds the extension ${JSON.stringify(signature)}: git read-tree HEAD, and stage again`;
}

function refuseFlags(name: string, flags: number, extended: number): void {
  const at = JSON.stringify(name);
  if ((flags & STAGE) !== 0) throw new GitError(`the index holds ${at} unmerged`);
  if ((flags & ASSUME_UNCHANGED) !== 0)
    throw new GitError(`the index assumes that ${at} is unchanged: git update-index --no-assume-unchanged`);
  if ((flags & EXTENDED) === 0) return;
  if ((extended & INTENT_TO_ADD) !== 0)
    throw new GitError(`the index holds ${at} as to be added later: git add it, or git rm --cached it`);
  throw new GitError(`the index leaves ${at} out of the work tree: git update-index --no-skip-worktree`);
}

function broken(): GitError {
  return new GitError("the index is not what git writes");
}
