/** `@portcullis/compiler/node`: the Host over the real file system. */

import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import type { Host } from "./host.ts";

/** Folders that never hold policy sources. */
const SKIPPED = new Set(["node_modules", ".git"]);

/**
 * Reads folders of sources for `compile` and `check`. Symbolic links to files are followed. What a link leads to outside of the
 * folder, or nowhere, is listed, with the files of a folder there, and not read: it is not part of the set, and its rules would be
 * missing without a word. A link to a folder of the set adds nothing. Its functions throw the errors of `node:fs`.
 */
export const nodeHost: Host = {
  listFiles(dir) {
    const root = realpathSync.native(dir);
    const files: string[] = [];
    /** Folders that links lead to: each is listed once, so that no cycle can occur. */
    const linked = new Set([root]);
    const walk = (relative: string, real: string): void => {
      for (const entry of readdirSync(join(dir, relative), { withFileTypes: true })) {
        const path = relative === "" ? entry.name : `${relative}/${entry.name}`;
        const isLink = entry.isSymbolicLink();
        if (entry.isDirectory() || (isLink && isFolder(join(dir, path)))) {
          const place = isLink ? realpathSync.native(join(dir, path)) : join(real, entry.name);
          if (SKIPPED.has(entry.name) || linked.has(place) || (isLink && isListed(root, place))) continue;
          if (isLink) linked.add(place);
          walk(path, place);
        } else if (entry.isFile() || (isLink && isNoFolder(join(dir, path)))) {
          files.push(path);
        }
      }
    };
    walk("", root);
    return files;
  },
  readFile(dir, path) {
    return readFileSync(placeInside(dir, join(dir, path)));
  },
};

/** Where a file of the folder lies. Throws for a place outside of it. */
function placeInside(dir: string, file: string): string {
  const place = realpathSync.native(file);
  if (isInside(realpathSync.native(dir), place)) return place;
  const [is, what] = lstatSync(file).isSymbolicLink() ? ["is", "the file itself"] : ["is behind", "the folder itself"];
  throw new Error(`it ${is} a link that leads out of \`${dir}\`: put ${what} there, or name the folder that has it`);
}

function isInside(folder: string, place: string): boolean {
  return place.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a folder is listed without the link that leads there. */
function isListed(root: string, place: string): boolean {
  return (
    isInside(root, place) &&
    !place
      .slice(root.length)
      .split(sep)
      .some((name) => SKIPPED.has(name))
  );
}

function isFolder(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}

/** Whether reading what a link leads to gives a file, or says why not. Emacs locks a file by a link that leads nowhere. */
function isNoFolder(link: string): boolean {
  try {
    return statSync(link).isFile();
  } catch {
    return !basename(link).startsWith(".#");
  }
}
