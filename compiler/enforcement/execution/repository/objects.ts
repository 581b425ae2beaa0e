/**
 * Objects of a repository, none of them believed. Git checks the name of an object against its content only sometimes, and
 * a writer to the repository can put other content under an old name. Here every object that is used is hashed, from
 * the commit down, so that a commit's name stands for all that is below it.
 *
 * SHA-1 is as strong as it is: two contents with one name, made by the author of the first of them, are not told apart.
 */

import { createHash } from "node:crypto";
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Git, GitError, type HashName } from "./git.ts";

/** A file, a link or a submodule by its name in git: what it is, and the hash of its content. */
export interface Entry {
  readonly mode: number;
  readonly hash: string;
}

/** Paths are bytes: each is kept as a string with one character a byte. */
export type Listing = ReadonlyMap<string, Entry>;

/** The path on disk of a listed one. */
export function pathBelow(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(folder), Buffer.from(`/${path}`, "latin1")]);
}

export const EXECUTABLE = 0o100755;
export const FILE = 0o100644;
export const LINK = 0o120000;
export const SUBMODULE = 0o160000;
export const FOLDER = 0o040000;

/** More paths than a person's repository has: trees that hold themselves many times could name any number. */
export const MOST_PATHS = 2_000_000;

/** Bytes of objects that are held at once, unless one is larger. */
const LARGEST_SHARE = 64 << 20;

interface TreeEntry extends Entry {
  readonly name: string;
}

interface Stored {
  readonly type: string;
  readonly body: Buffer;
}

export class Objects {
  private readonly git: Git;
  readonly hashName: HashName;
  private readonly read = new Map<string, Stored>();
  private readonly checked = new Set<string>();
  private readonly trees = new Map<string, readonly TreeEntry[]>();

  /** `store`: the folder of the objects. Throws GitError where git would wait for a pipe. */
  constructor(git: Git, store: string, hashName: HashName) {
    this.git = git;
    this.hashName = hashName;
    refuseOddFiles(store);
  }

  /** A commit's tree, and when it was committed, in milliseconds since 1970. Throws GitError. */
  commit(name: string): { readonly tree: string; readonly committed: number | undefined } {
    this.load([name]);
    const header = this.get(name, "commit").toString("latin1").split("\n\n", 1)[0] as string;
    const tree = /^tree ([0-9a-f]+)\n/.exec(header)?.[1];
    if (tree === undefined) throw new GitError(`the commit ${name} names no tree`);
    const seconds = /^committer .*> (\d{1,12}) [+-]\d{4}$/m.exec(header)?.[1];
    return { tree, committed: seconds === undefined ? undefined : Number(seconds) * 1000 };
  }

  blob(name: string): Buffer {
    this.load([name]);
    return this.get(name, "blob");
  }

  /** Throws GitError unless every name is that of a blob whose content has it. Holds a share of them at a time. */
  requireBlobs(names: readonly string[]): void {
    for (const some of this.shares(names)) {
      this.load(some);
      for (const name of some) {
        this.get(name, "blob");
        this.read.delete(name);
      }
    }
  }

  /** Names of objects in groups that are read at once. What is missing is refused when it is asked for. */
  private shares(names: readonly string[]): string[][] {
    if (names.length === 0) return [];
    const input = Buffer.from(`${names.join("\n")}\n`);
    const rows = this.git.run(["cat-file", "--batch-check"], { input }).toString("latin1").trimEnd().split("\n");
    const found: string[][] = [];
    let left = 0;
    for (const [i, name] of names.entries()) {
      const size = Number(/ (\d+)$/.exec(rows[i] ?? "")?.[1] ?? 0);
      if (size > left || found.length === 0) {
        found.push([]);
        left = LARGEST_SHARE;
      }
      (found.at(-1) as string[]).push(name);
      left -= size;
    }
    return found;
  }

  /** Throws GitError if the object exists and cannot be read: then the answer is unknown. */
  has(name: string): boolean {
    this.load([name], { isStrict: true });
    return this.read.has(name);
  }

  /** Asks for commits and their trees at once. What git says of them is a hint: all that is used is asked for by name, and hashed. */
  prepare(commits: readonly string[]): void {
    try {
      const said = this.git.run(["rev-list", "--objects", "--no-walk", "--filter=blob:none", ...commits]);
      this.load(said.toString("latin1").match(/^[0-9a-f]{40,64}/gm) ?? []);
    } catch {
      // What cannot be read is asked for again, and refused there.
    }
  }

  /** Every file, link and submodule of a tree. Throws GitError. */
  listing(tree: string): Map<string, Entry> {
    const found = new Map<string, Entry>();
    for (let level = [{ prefix: "", tree }]; level.length > 0; ) {
      this.load(level.map((folder) => folder.tree));
      const below: { prefix: string; tree: string }[] = [];
      for (const folder of level) {
        for (const { name, mode, hash } of this.entries(folder.tree)) {
          const path = folder.prefix + name;
          if (mode === FOLDER) below.push({ prefix: `${path}/`, tree: hash });
          else found.set(path, { mode, hash });
        }
        if (found.size + below.length > MOST_PATHS) throw new GitError("a tree holds too many paths");
      }
      level = below;
    }
    return found;
  }

  /** What stands in one tree. A name that no checkout could write is refused. */
  private entries(tree: string): readonly TreeEntry[] {
    const known = this.trees.get(tree);
    if (known !== undefined) return known;
    const body = this.get(tree, "tree");
    const width = this.hashName === "sha1" ? 20 : 32;
    const found: TreeEntry[] = [];
    const names = new Set<string>();
    for (let at = 0; at < body.length; ) {
      const blank = body.indexOf(0x20, at);
      const end = body.indexOf(0, blank);
      // Without the blank there is no mode, without the NUL no name: both are refused below.
      if (end + 1 + width > body.length) throw new GitError(`the tree ${tree} is broken`);
      const name = body.toString("latin1", blank + 1, end);
      if (isOddName(name) || names.has(name))
        throw new GitError(`the tree ${tree} holds a name that no checkout writes`);
      names.add(name);
      found.push({
        name,
        mode: modeOf(body.toString("latin1", at, blank)),
        hash: body.toString("hex", end + 1, end + 1 + width),
      });
      at = end + 1 + width;
    }
    this.trees.set(tree, found);
    return found;
  }

  /** The content of an object, once its name has been found to be that of the content. */
  private get(name: string, type: string): Buffer {
    const stored = this.read.get(name);
    if (stored === undefined) throw new GitError(`the object ${name} is missing`);
    if (stored.type !== type) throw new GitError(`the object ${name} is a ${stored.type}, not a ${type}`);
    if (!this.checked.has(name)) {
      if (hashOf(this.hashName, type, stored.body) !== name)
        throw new GitError(`the object ${name} does not have this hash`);
      this.checked.add(name);
    }
    return stored.body;
  }

  /** Reads objects that were not read before. */
  private load(names: readonly string[], options: { readonly isStrict?: boolean } = {}): void {
    const wanted = [...new Set(names)].filter((name) => !this.read.has(name));
    if (wanted.length === 0) return;
    const input = Buffer.from(`${wanted.join("\n")}\n`);
    const answer = this.git.run(["cat-file", "--batch", "--buffer"], { input, ...options });
    for (let at = 0; at < answer.length; ) {
      const end = answer.indexOf(0x0a, at);
      const [name, type, size] = answer.toString("latin1", at, end).split(" ") as [string, string, string?];
      at = end + 1;
      // `NAME missing`
      if (size === undefined) continue;
      this.read.set(name, { type, body: answer.subarray(at, at + Number(size)) });
      at += Number(size) + 1;
    }
  }
}

/** The name that git gives to content. */
export function hashOf(hashName: HashName, type: string, body: Uint8Array): string {
  return createHash(hashName).update(`${type} ${body.length}\0`).update(body).digest("hex");
}

/** A pipe in the place of an object, a pack or a list would be waited for. A link to a file is how some tools share packs. */
function refuseOddFiles(store: string): void {
  const folders = entriesIn(store)
    .map((one) => one.name)
    .filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const folder of [...folders, "pack", "info"]) {
    for (const one of entriesIn(join(store, folder))) {
      if (one.isFile() || (one.isDirectory() && folder === "info")) continue;
      const file = join(store, folder, one.name);
      if (one.isSymbolicLink() && statSync(file, { throwIfNoEntry: false })?.isFile() !== false) continue;
      throw new GitError(`\`${folder}/${one.name}\` of the objects is no regular file`);
    }
  }
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * As git reads modes: old ones of files count by the owner's bit. Git keeps the last 32 bits of a longer number and a double the
 * first 53, so that a link was a file here: no more digits are read than git ever wrote.
 */
function modeOf(text: string): number {
  if (!/^[0-7]{5,7}$/.test(text)) throw new GitError(`a tree holds something of mode ${JSON.stringify(text)}`);
  const mode = Number.parseInt(text, 8);
  const kind = mode & 0o170000;
  if (kind === 0o100000) return (mode & 0o100) === 0 ? FILE : EXECUTABLE;
  if (kind === FOLDER || kind === LINK || kind === SUBMODULE) return kind;
  throw new GitError(`a tree holds something of mode ${JSON.stringify(text)}`);
}

/** A name in a folder that no checkout writes, or that git keeps for itself. */
export function isOddName(name: string): boolean {
  return name === "" || name === "." || name === ".." || name.includes("/") || name.toLowerCase() === ".git";
}
