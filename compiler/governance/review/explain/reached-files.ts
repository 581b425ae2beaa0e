/** The modules that an entrypoint can reach: the others need not be read to explain it. */

import type { SourceFile } from "@portcullis/rego/diagnostics";
import { RegoIndex, referencesIn } from "./rego-index.ts";

/** A module begins with its package. `undefined` for a name that is not written plainly. */
function packageOf({ text }: SourceFile): readonly string[] | undefined {
  const name = /^(?:\s|#[^\n]*\n)*package[ \t]+([a-zA-Z_][\w.]*)[ \t\r]*(?:\n|#|;|$)/.exec(text)?.[1];
  return name?.split(".");
}

/** The files whose package stands above or below something that the entrypoint refers to, step by step. */
export function reachedFiles(files: readonly SourceFile[], entrypoint: string): SourceFile[] {
  const packages = new Map(files.map((file) => [file, packageOf(file)]));
  const isNear = (file: SourceFile, path: readonly string[]): boolean => {
    const own = packages.get(file);
    return own === undefined || own.every((name, i) => i >= path.length || path[i] === name);
  };
  const reached = new Set<SourceFile>();
  const paths: (readonly string[])[] = [entrypoint.split("/")];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    for (const file of files) {
      if (reached.has(file) || !isNear(file, path)) continue;
      reached.add(file);
      // What the file says of its own package may stand in another file.
      const own = packages.get(file);
      if (own !== undefined) paths.push(own);
      const index = new RegoIndex([file]);
      for (const { rules, defaults } of index.groups.values())
        for (const rule of [...rules, ...defaults])
          for (const found of referencesIn(index, rule, [rule.rule]))
            if (found.root === "data") paths.push(found.fixed);
    }
  }
  return files.filter((file) => reached.has(file));
}
