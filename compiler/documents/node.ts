/** `@portcullis/compiler/node`: the Host over the real file system. */

import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import type { Host } from "./host.ts";

/** Folders that never hold policy sources. */
const SKIPPED = new Set(["node_modules", ".git"]);

/**
 * Reads folders of sources for `compile` and `check`. Symbolic links to files are followed; links to folders are not, so no
 * cycle can occur. A link that leads out of the folder, or nowhere, is listed and not read: what lies there is not part of the
 * set. Its functions throw the errors of `node:fs`.
 */
export const nodeHost: Host = {
  listFiles(dir) {
    const files: string[] = [];
    const walk = (relative: string): void => {
      for (const entry of readdirSync(join(dir, relative), { withFileTypes: true })) {
        const path = relative === "" ? entry.name : `${relative}/${entry.name}`;
        if (entry.isDirectory()) {
          if (!SKIPPED.has(entry.name)) walk(path);
        } else if (entry.isFile() || (entry.isSymbolicLink() && isNoFolder(join(dir, path)))) {
          files.push(path);
        }
      }
    };
    walk("");
    return files;
  },
  readFile(dir, path) {
    const file = join(dir, path);
    return readFileSync(lstatSync(file).isSymbolicLink() ? targetInside(dir, file) : file);
  },
};

/** What a link of the folder leads to. Throws for a place outside of it. */
function targetInside(dir: string, link: string): string {
  const folder = realpathSync(dir);
  const target = realpathSync(link);
  if (target.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return target;
  throw new Error(
    `it is a link that leads out of \`${dir}\`: put the file itself there, or name the folder that has it`,
  );
}

/** Whether reading what a link leads to gives a file, or says why not. Emacs locks a file by a link that leads nowhere. */
function isNoFolder(link: string): boolean {
  try {
    return statSync(link).isFile();
  } catch {
    return !basename(link).startsWith(".#");
  }
}
