/**
 * What a generated repository holds, by path, in bytes: its baseline, the commit that is checked out, its index, and what was
 * laid on the disk. Paths are kept with one character a byte.
 */

/** What stands at a path. A submodule's `content` is the name of its commit. */
export interface Item {
  readonly kind: "file" | "link" | "submodule" | "other";
  readonly content: string;
  readonly executable: boolean;
}

export type Files = ReadonlyMap<string, Item>;

export function file(content: string, executable = false): Item {
  return { kind: "file", content, executable };
}

export function link(target: string): Item {
  return { kind: "link", content: target, executable: false };
}

/** No path stands where another needs a folder. */
export function isFree(files: Files, path: string): boolean {
  if (files.has(path)) return false;
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1))
    if (files.has(path.slice(0, at))) return false;
  for (const other of files.keys()) if (other.startsWith(`${path}/`)) return false;
  return true;
}
