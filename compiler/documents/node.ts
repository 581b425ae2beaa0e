/** `@portcullis/compiler/node`: the Host over the real file system. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "./host.ts";

/** Folders that never hold policy sources. */
const SKIPPED = new Set(["node_modules", ".git"]);

/**
 * Reads folders of sources for `compile` and `check`. Symbolic links to files are followed; links to folders are not, so no
 * cycle can occur. Its functions throw the errors of `node:fs`.
 */
export const nodeHost: Host = {
  listFiles(dir) {
    const files: string[] = [];
    const walk = (relative: string): void => {
      for (const entry of readdirSync(join(dir, relative), { withFileTypes: true })) {
        const path = relative === "" ? entry.name : `${relative}/${entry.name}`;
        if (entry.isDirectory()) {
          if (!SKIPPED.has(entry.name)) walk(path);
        } else if (entry.isFile() || (entry.isSymbolicLink() && isFile(join(dir, path)))) {
          files.push(path);
        }
      }
    };
    walk("");
    return files;
  },
  readFile(dir, path) {
    return readFileSync(join(dir, path));
  },
};

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
