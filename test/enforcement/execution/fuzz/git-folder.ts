/** One git folder that a seed changes: what is in it, and how its index and files are written by hand. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Random } from "../../../rego/plan/generate/random.ts";
import { type CacheNode, type RawEntry, type RawIndex, readIndex, writeIndex } from "../index-bytes.ts";
import { openTestRepository } from "../repository.ts";

/** Names of objects that every folder has. */
export interface Names {
  readonly base: string;
  /** A commit after the baseline that changes `docs` alone, and one that changes `x.sh`. */
  readonly good: string;
  readonly evil: string;
  readonly evilTree: string;
  readonly evilBlob: string;
  readonly baseTree: string;
  readonly docsTree: string;
}

export class Folder {
  readonly top: string;
  readonly names: Names;
  readonly random: Random;

  constructor(top: string, names: Names, random: Random) {
    this.top = top;
    this.names = names;
    this.random = random;
  }

  in(...path: string[]): string {
    return join(this.top, ".git", ...path);
  }

  git(...args: string[]): string {
    return openTestRepository(this.top).git(...args);
  }

  put(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.in(path)), { recursive: true });
    rmSync(this.in(path), { recursive: true, force: true });
    writeFileSync(this.in(path), text);
  }

  stage(): void {
    const path = this.random.pick(["docs/a.txt", "docs/deep/b.txt", "docs/new/c.txt"]);
    mkdirSync(dirname(join(this.top, path)), { recursive: true });
    writeFileSync(join(this.top, path), `${this.random.int(1000)}\n`);
    this.git("add", path);
    if (this.random.chance(1 / 2)) this.git("write-tree");
  }

  index(change: (index: RawIndex) => RawIndex): void {
    writeIndex(this.in("index"), change(readIndex(this.in("index"))));
  }

  entry(change: (entry: RawEntry) => Partial<RawEntry>): void {
    const { random } = this;
    this.index((index) => {
      const chosen = random.int(index.entries.length);
      const entries = index.entries.map((one, i) => (i === chosen ? { ...one, ...change(one) } : one));
      const isExtended = entries.some(({ flags }) => (flags & 0x4000) !== 0);
      // A cache of trees that is left would say what the entries were.
      const extensions = random.chance(1 / 2) ? [] : index.extensions;
      return { version: isExtended ? 3 : index.version, entries, extensions };
    });
  }

  extension(signature: string, body: Buffer, isAlone = this.random.chance(1 / 2)): void {
    this.index((index) => ({
      ...index,
      extensions: [...(isAlone ? [] : index.extensions), { signature, body }],
    }));
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.random.int(256)));
  }

  commit(): string {
    const { base, good, evil } = this.names;
    return this.random.pick([base, good, evil]);
  }

  node(depth = 0): CacheNode {
    const { random, names } = this;
    const name = depth === 0 ? "" : random.pick(["docs", "deep", "src", "x.sh", "none"]);
    const hash = random.pick([names.evilTree, names.baseTree, names.docsTree, names.evilBlob, "e".repeat(40)]);
    const count = random.pick([-1, 0, 1, 2, 4, 5]);
    const children = depth > 2 ? [] : Array.from({ length: random.int(3) }, () => this.node(depth + 1));
    return { name, count, hash, children };
  }
}

/** What may be done to a folder. Throws where what was done before left nothing to do this to. */
export type Change = readonly [what: string, change: (folder: Folder) => void];
