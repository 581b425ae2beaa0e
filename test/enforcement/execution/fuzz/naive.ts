/**
 * What changed, the simple way: two lists of paths are compared byte by byte, and the disk is read to its last file. Nothing
 * here asks git or knows its formats, and nothing comes from the product. Ignore rules are those that the generator writes:
 * names with `*` and `?`, tied to a folder by a slash, for folders by a slash at the end, negated by `!`.
 */

import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Files, Item } from "./model.ts";

/** `OPERATION path`, sorted. */
export function naiveChanges(
  baseline: Files,
  states: { readonly head: Files; readonly index: Files; readonly top: string },
): string[] {
  const disk = withoutIgnored(onDisk(states.top, baseline), baseline);
  const all = [states.head, states.index, disk].flatMap((state) => differences(baseline, state));
  return [...new Set(all)].sort();
}

function differences(before: Files, after: Files): string[] {
  const found: string[] = [];
  const gone = [...before].filter(([path]) => !after.has(path));
  const came = [...after].filter(([path]) => !before.has(path));
  for (const [path, old] of before) {
    const now = after.get(path);
    if (now === undefined) continue;
    if (now.content !== old.content || now.kind === "other") found.push(`WRITE ${path}`);
    if (now.kind !== old.kind || now.executable !== old.executable) {
      if (now.kind !== "other" || old.kind !== "file" || old.executable) found.push(`MODE ${path}`);
    }
  }
  for (const [path, item] of came) {
    const from = gone.find(([, old]) => isSame(old, item));
    found.push(`${from === undefined ? "CREATE" : "RENAME"} ${path}`);
    if (from !== undefined && from[1].executable !== item.executable) found.push(`MODE ${path}`);
  }
  for (const [path, item] of gone) {
    found.push(`${came.some(([, now]) => isSame(item, now)) ? "RENAME" : "DELETE"} ${path}`);
  }
  return found;
}

function isSame(a: Item, b: Item): boolean {
  return a.kind === b.kind && a.kind !== "other" && a.content === b.content;
}

/** Every file, link and odd thing below a folder; a submodule's folder is one path, and so is what is called `.git`. */
function onDisk(top: string, baseline: Files, folder = ""): Map<string, Item> {
  const found = new Map<string, Item>();
  for (const raw of readdirSync(bytes(top, folder), { encoding: "buffer" })) {
    const name = raw.toString("latin1");
    const path = folder === "" ? name : `${folder}/${name}`;
    if (path === ".git") continue;
    const place = bytes(top, path);
    const stats = lstatSync(place);
    const committed = baseline.get(path);
    if (name === ".git") found.set(path, odd);
    else if (stats.isSymbolicLink()) {
      const content = readlinkSync(place, { encoding: "buffer" }).toString("latin1");
      found.set(path, { kind: "link", content, executable: false });
    } else if (stats.isDirectory() && committed?.kind === "submodule") {
      found.set(path, readdirSync(place).length === 0 ? committed : { ...committed, content: "something else" });
    } else if (stats.isDirectory()) for (const [below, item] of onDisk(top, baseline, path)) found.set(below, item);
    else if (stats.isFile()) {
      const executable = (stats.mode & 0o100) !== 0;
      found.set(path, { kind: "file", content: readFileSync(place, "latin1"), executable });
    } else found.set(path, odd);
  }
  return found;
}

const odd: Item = { kind: "other", content: "", executable: false };

function bytes(top: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(top), Buffer.from(path === "" ? "" : `/${path}`, "latin1")]);
}

interface Rule {
  readonly folder: string;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** Matches the path from the rule's folder, or the name alone. */
  readonly tied: boolean;
  readonly form: RegExp;
}

function withoutIgnored(disk: Files, baseline: Files): Files {
  const rules = [...baseline]
    .filter(([path, item]) => item.kind === "file" && /(^|\/)\.gitignore$/.test(path))
    .sort(([a], [b]) => a.split("/").length - b.split("/").length)
    .flatMap(([path, item]) => rulesOf(path.slice(0, -".gitignore".length), item.content));
  return new Map([...disk].filter(([path]) => baseline.has(path) || isTrackedPlace(path) || !isIgnored(rules, path)));

  /** `.git` in a folder that the baseline has something in. In one that it has not, the folder's rules count. */
  function isTrackedPlace(path: string): boolean {
    if (!path.endsWith("/.git")) return false;
    const folder = path.slice(0, -".git".length);
    const isOfBaseline = [...baseline.keys()].some((one) => one.startsWith(folder));
    const replaced = folder.slice(0, -1);
    // A folder in the place of a file of rules hides nothing.
    const isRules = /(^|\/)\.gitignore$/.test(replaced) && baseline.get(replaced)?.kind === "file";
    return isOfBaseline || isRules || !isIgnored(rules, replaced, true);
  }
}

function rulesOf(folder: string, text: string): Rule[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const negated = line.startsWith("!");
      const pattern = negated ? line.slice(1) : line;
      const foldersOnly = pattern.endsWith("/");
      const body = pattern.replace(/\/$/, "");
      const source = body
        .replace(/^\//, "")
        .replace(/[.+^${}()|[\]\\]/g, "\\$&")
        .replace(/\*/g, "[^/]*")
        .replace(/\?/g, "[^/]");
      return { folder, negated, foldersOnly, tied: body.includes("/"), form: new RegExp(`^${source}$`, "s") };
    });
}

/** A path in an ignored folder is ignored, whatever else is said of it. */
function isIgnored(rules: readonly Rule[], path: string, isFolder = false): boolean {
  const parts = path.split("/");
  return parts.some((_, i) => {
    const isLast = i === parts.length - 1;
    return saidOf(rules, parts.slice(0, i + 1).join("/"), !isLast || isFolder);
  });
}

/** What the last rule that fits says. */
function saidOf(rules: readonly Rule[], path: string, isFolder: boolean): boolean {
  let said = false;
  for (const { folder, negated, foldersOnly, tied, form } of rules) {
    if (!path.startsWith(folder) || (foldersOnly && !isFolder)) continue;
    const below = path.slice(folder.length);
    if (form.test(tied ? below : (below.split("/").at(-1) as string))) said = !negated;
  }
  return said;
}
