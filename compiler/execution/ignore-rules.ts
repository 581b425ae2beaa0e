/**
 * Ignored paths, by the `.gitignore` files of the baseline. Those of the work tree, `.git/info/exclude` and a user's own do not
 * count: somebody who wants to hide a file could write them.
 */

import type { Repository } from "./git.ts";

/** The rules of every `.gitignore` of a commit as one list that holds from the top: the deeper file last, as it decides. */
export function ignoreRules(repository: Repository, commit: string): string {
  const files = repository
    .list(["ls-tree", "-r", "-z", "--full-tree", commit])
    .map(treeEntry)
    .filter((entry) => entry.path === ".gitignore" || entry.path.endsWith("/.gitignore"))
    // A link is not read by git either.
    .filter((entry) => entry.mode !== "120000" && entry.mode !== "160000")
    .sort((a, b) => depth(a.path) - depth(b.path));
  return files
    .flatMap(({ path, object }) => {
      const folder = path.slice(0, -".gitignore".length);
      const text = repository
        .run(["cat-file", "blob", object])
        .toString("utf8")
        .replace(/^\ufeff/, "");
      return text.split("\n").map((line) => ruleFromTop(line.replace(/\r$/, ""), folder));
    })
    .filter((rule) => rule !== "")
    .map((rule) => `${rule}\n`)
    .join("");
}

function depth(path: string): number {
  return path.split("/").length;
}

interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  readonly path: string;
}

/** `MODE TYPE OBJECT<tab>PATH`. */
function treeEntry(line: Buffer): TreeEntry {
  const text = line.toString("utf8");
  const tab = text.indexOf("\t");
  const [mode = "", , object = ""] = text.slice(0, tab).split(" ");
  return { mode, object, path: text.slice(tab + 1) };
}

/** A line of `folder`'s file (`""`, or with a slash at its end) as a rule from the top; `""` for a line that is no rule. */
export function ruleFromTop(line: string, folder: string): string {
  if (line === "" || line.startsWith("#")) return "";
  const negated = line.startsWith("!");
  const pattern = negated ? line.slice(1) : line;
  if (pattern.trim() === "") return "";
  const place = `/${folder.replace(/[\\*?[\]]/g, "\\$&")}`;
  // A slash anywhere but at the end ties a pattern to its folder.
  const tied = pattern.trimEnd().slice(0, -1).includes("/");
  const rule = tied ? place + pattern.replace(/^\//, "") : `${place}**/${pattern}`;
  return negated ? `!${rule}` : rule;
}
