/**
 * The index's extension TREE: trees that git wrote before, by folder. `git commit` writes a tree that it names without looking
 * at the entries, so each one that counts must be the tree of its entries.
 *
 *     node: name NUL count " " children "\n" hash (none where the count is -1), then the children
 */

import { GitError, type HashName } from "./git.ts";
import type { Folder } from "./trees.ts";

/** Throws GitError unless every tree that the extension names is that of the folder. */
export function checkCacheTree(bytes: Buffer, folders: ReadonlyMap<string, Folder>, hashName: HashName): void {
  const width = hashName === "sha1" ? 20 : 32;
  const seen = new Set<string>();
  let at = 0;
  /** The folders whose children are being read, the innermost last, with how many are to come. */
  const first = { path: "", left: 1 };
  const open = [first];
  for (let around: typeof first | undefined = first; around !== undefined; around = open.at(-1)) {
    if (around.left-- === 0) {
      open.pop();
      continue;
    }
    const { name, count, children, end } = nodeAt(bytes, at);
    if ((name === "") !== (at === 0)) throw forged();
    const path = name === "" ? "" : `${around.path}${name}/`;
    if (seen.has(path)) throw forged();
    seen.add(path);
    at = end;
    if (count >= 0) {
      const folder = folders.get(path);
      const hash = bytes.toString("hex", at, at + width);
      if (folder === undefined || folder.count !== count || folder.hash !== hash) throw forged();
      at += width;
    }
    open.push({ path, left: children });
  }
  if (at !== bytes.length) throw forged();
}

interface Node {
  readonly name: string;
  readonly count: number;
  readonly children: number;
  /** Where its hash begins, or its children. */
  readonly end: number;
}

const LONGEST_NUMBERS = 24;

function nodeAt(bytes: Buffer, at: number): Node {
  const nul = bytes.indexOf(0, at);
  if (nul < 0) throw forged();
  const name = bytes.toString("latin1", at, nul);
  const from = nul + 1;
  const numbers = bytes.toString("latin1", from, from + LONGEST_NUMBERS);
  const match = /^(-1|0|[1-9]\d{0,8}) (0|[1-9]\d{0,8})\n/.exec(numbers);
  if (match === null || name.includes("/")) throw forged();
  const [line, count, children] = match as unknown as [string, string, string];
  return { name, count: Number(count), children: Number(children), end: from + line.length };
}

function forged(): GitError {
  return new GitError("the index names trees that are not those of its entries: git read-tree HEAD, and stage again");
}
