/** A Host over texts in memory, for tests: `{ "roles.yaml": "…" }` or bytes, below one folder. */

import type { Host } from "../../../compiler/documents/host.ts";

export type Files = { readonly [path: string]: string | Uint8Array };

/** `folders` maps a folder's name to its files. Reading order is that of the object, so a test can shuffle it. */
export function virtualHost(folders: { readonly [dir: string]: Files }): Host {
  const folder = (dir: string): Files => {
    const files = folders[dir];
    if (files === undefined) throw Object.assign(new Error(`no folder ${dir}`), { code: "ENOENT" });
    return files;
  };
  return {
    listFiles: (dir) => Object.keys(folder(dir)),
    readFile(dir, path) {
      const content = Object.hasOwn(folder(dir), path) ? folder(dir)[path] : undefined;
      if (content === undefined) throw Object.assign(new Error(`no file ${dir}/${path}`), { code: "ENOENT" });
      return typeof content === "string" ? new TextEncoder().encode(content) : content;
    },
  };
}
