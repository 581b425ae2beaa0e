/** The trees that a list of paths makes, by their own bytes: what git writes when it commits the list. */

import { GitError, type HashName } from "./git.ts";
import { type Entry, FOLDER, hashOf, type Listing } from "./objects.ts";

/** A folder as a tree. */
export interface Folder {
  readonly hash: string;
  readonly body: Uint8Array;
  /** Paths below it, at any depth. */
  readonly count: number;
}

/** By the folders' paths with a slash at the end, the deepest first. The last is the whole, by the empty path. Throws GitError. */
export function foldersOf(entries: Listing, hashName: HashName): Map<string, Folder> {
  const open = childrenOf(entries);
  const paths = [...open.keys()].map((path) => ({ path, depth: path.split("/").length }));
  paths.sort((a, b) => b.depth - a.depth);
  // The whole is as deep as the folders in it.
  const order = [...paths.map(({ path }) => path).filter((path) => path !== ""), ""];
  const found = new Map<string, Folder>();
  for (const path of order) {
    const { files, folders } = open.get(path) as Children;
    const rows = [...files];
    let count = files.length;
    for (const name of folders) {
      if (entries.has(path + name))
        throw new GitError(`${JSON.stringify(path + name)} is staged as a file and a folder`);
      const below = found.get(`${path}${name}/`) as Folder;
      count += below.count;
      rows.push({ name, mode: FOLDER, hash: below.hash });
    }
    const body = bodyOf(rows);
    found.set(path, { hash: hashOf(hashName, "tree", body), body, count });
  }
  return found;
}

interface Row extends Entry {
  readonly name: string;
}

interface Children {
  readonly files: Row[];
  readonly folders: Set<string>;
}

function childrenOf(entries: Listing): Map<string, Children> {
  const found = new Map<string, Children>([["", { files: [], folders: new Set() }]]);
  for (const [path, entry] of entries) {
    const cut = path.lastIndexOf("/") + 1;
    childrenIn(found, path.slice(0, cut)).files.push({ name: path.slice(cut), ...entry });
  }
  return found;
}

/** A folder, put into those around it when it is seen first. */
function childrenIn(found: Map<string, Children>, path: string): Children {
  const known = found.get(path);
  if (known !== undefined) return known;
  const made: Children = { files: [], folders: new Set() };
  found.set(path, made);
  const cut = path.lastIndexOf("/", path.length - 2) + 1;
  childrenIn(found, path.slice(0, cut)).folders.add(path.slice(cut, -1));
  return made;
}

/** Git orders a tree by bytes, as if the names of folders ended with a slash. */
function bodyOf(rows: readonly Row[]): Buffer {
  const byKey = new Map(rows.map((row) => [row.mode === FOLDER ? `${row.name}/` : row.name, row]));
  // One character a byte: strings are in order as their bytes are.
  const sorted = [...byKey.keys()].sort().map((key) => byKey.get(key) as Row);
  return Buffer.concat(
    sorted.flatMap(({ mode, name, hash }) => [
      Buffer.from(`${mode.toString(8)} ${name}\0`, "latin1"),
      Buffer.from(hash, "hex"),
    ]),
  );
}
