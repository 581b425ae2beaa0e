/** A host without the files that `--ignore` names. */

import type { Host } from "@portcullis/documents";

/** Globs are matched with the names of files and of the folders that they are in: `*` and `?` for any characters of one, `[a-z]` for some. */
export function ignoring(host: Host, globs: readonly string[]): Host {
  if (globs.length === 0) return host;
  const patterns = globs.map(patternOf);
  const isIgnored = (path: string): boolean => path.split("/").some((name) => patterns.some((p) => p.test(name)));
  return {
    listFiles: (dir) => host.listFiles(dir).filter((path) => !isIgnored(path)),
    readFile: (dir, path) => host.readFile(dir, path),
  };
}

function patternOf(glob: string): RegExp {
  const source = glob.replace(/\[([^\]/]+)\]|[\s\S]/g, (part, characters: string | undefined) => {
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    if (characters !== undefined) return `[${characters.replace(/[\\[]/g, "\\$&")}]`;
    return part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  });
  return new RegExp(`^${source}$`, "s");
}
