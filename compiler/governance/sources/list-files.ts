/** Which files a policy set has: lists every folder, recognises by name, and brings all into one order. */

import { BUILD_OUTPUT, type Host } from "@portcullis/documents";
import { type Diagnostic, meaning, SourceFile, span } from "@portcullis/rego/diagnostics";
import { buildOutputs } from "./build-outputs.ts";
import { sourcesDiagnostic } from "./codes.ts";
import type { Listed } from "./listed.ts";
import {
  type MeantPath,
  meantPath,
  nearMiss,
  type Recognised,
  recognise,
  type SourceKind,
  stemOf,
} from "./recognise.ts";
import type { Note } from "./source-set.ts";

/**
 * Every recognised file of every folder, in the order of their names; a file reached through two folders counts once. What a build
 * wrote into a folder that `isReplaced` is left out, whatever the set says by now.
 */
export function listFiles(
  host: Host,
  dirs: readonly string[],
  diagnostics: Diagnostic[],
  notes: Note[],
  isReplaced: (folder: string) => boolean = () => false,
): { listed: Listed; recognised: Recognised }[] {
  const byName = new Map<string, { listed: Listed; recognised: Recognised }>();
  const misnamed: { readonly listed: Listed; readonly meant: MeantPath }[] = [];
  // The outermost folder first: it decides a file's path, and so its kind.
  const folders = [...new Set(dirs.map(tidyDir))].sort(compare);
  const listings = folders.map((dir) => listFolder(host, dir, diagnostics));
  const everywhere = listings.flatMap((files) => files ?? []);
  for (const [i, dir] of folders.entries()) {
    const files = listings[i];
    let known = 0;
    const outputs = buildOutputs(host, files ?? [], everywhere).map(({ folder, stale }) => {
      const path = pathBelow(dir, folder);
      notes.push({ path, message: BUILD_OUTPUT });
      if (stale !== undefined && !isReplaced(path)) {
        const at = span(new SourceFile(stale.name, ""), 0, 0);
        diagnostics.push(sourcesDiagnostic("sources/stale-build-output", { folder: path, file: stale.name }, at));
      }
      return folder;
    });
    const left = (files ?? []).filter(({ path }) => !outputs.some((folder) => path.startsWith(`${folder}/`)));
    const copies = setsInside(left, diagnostics);
    for (const listed of left) {
      if (copies.some((folder) => listed.path.startsWith(`${folder}/`))) continue;
      const meant =
        recognise(listed.path) === undefined ? meantPath(listed.path, () => fileText(host, listed)) : undefined;
      if (meant !== undefined && !(meant.isCopy && isThere(meant.path, left))) misnamed.push({ listed, meant });
      const recognised = recognise(listed.path) ?? (meant === undefined ? namedData(dir, listed) : undefined);
      if (recognised === undefined) {
        notes.push({ path: listed.name, message: nearMiss(listed.path) ?? "not a policy source" });
        continue;
      }
      // A manifest only says how the rest is read.
      if (recognised.kind !== "bundle") known++;
      if (!byName.has(listed.name)) byName.set(listed.name, { listed, recognised });
    }
    if (files !== undefined && known === 0)
      diagnostics.push(sourcesDiagnostic("sources/empty-folder", { path: dir }, undefined));
  }
  const isPlain = isPlainRego([...byName.values()]);
  for (const { listed, meant } of misnamed) {
    if (isPlain && (!meant.isNear || listed.path.includes("/"))) continue;
    const at = span(new SourceFile(listed.name, ""), 0, 0);
    diagnostics.push(sourcesDiagnostic("sources/misnamed-file", { name: listed.path }, at, meaning(meant.path)));
  }
  const found = isPlain ? governing([...byName.values()], notes) : [...byName.values()];
  notes.sort((a, b) => compare(a.path, b.path));
  return found.sort((a, b) => compare(a.listed.name, b.listed.name));
}

/** Whether a set has the file, with whichever extension it is read by. */
function isThere(path: string, files: readonly Listed[]): boolean {
  return files.some((file) => stemOf(file.path) === stemOf(path) && recognise(file.path) !== undefined);
}

/** A file of JSON or YAML that is named itself, not found in a folder: data at the root, as for OPA. */
function namedData(dir: string, { name }: Listed): Recognised | undefined {
  if (name !== dir) return undefined;
  if (name.endsWith(".json")) return { kind: "data", format: "json" };
  return /\.ya?ml$/.test(name) ? { kind: "data", format: "yaml" } : undefined;
}

/** The text of a file, or nothing where it cannot be read. */
function fileText(host: Host, { dir, path }: Listed): string {
  try {
    return new TextDecoder().decode(host.readFile(dir, path));
  } catch {
    return "";
  }
}

/** Kinds that say nothing without roles, lanes, tools or agents beside them: names that many other projects use. */
const DEPENDENT: ReadonlySet<SourceKind> = new Set(["manifest", "tests", "sample"]);
const PLAIN: ReadonlySet<SourceKind> = new Set(["rego", "data", "settings", "bundle", ...DEPENDENT]);

type Found = { readonly listed: Listed; readonly recognised: Recognised };

/** A project of Rego and data, which has no roles, lanes, tools or agents. */
function isPlainRego(files: readonly Found[]): boolean {
  const has = (kind: SourceKind): boolean => files.some(({ recognised }) => recognised.kind === kind);
  return has("rego") && files.every(({ recognised }) => PLAIN.has(recognised.kind));
}

/** In a project of plain Rego, a folder that happens to be called `manifests` or `tests` holds nothing of ours. */
function governing<F extends Found>(files: readonly F[], notes: Note[]): F[] {
  return files.filter(({ listed, recognised }) => {
    if (!DEPENDENT.has(recognised.kind)) return true;
    notes.push({ path: listed.name, message: "there are no roles, lanes, tools or agents that it could speak of" });
    return false;
  });
}

/** Kinds of which a set has its own at the top, as a copy of the set has too. */
const OF_THE_SET = /^(?:portcullis|roles|lanes|tool_registry|handoff|exec)\.ya?ml$/;

/** Folders that repeat two or more of the set's own files: a copy, a backup. */
function setsInside(files: readonly Listed[], diagnostics: Diagnostic[]): string[] {
  const own = new Set(files.map((f) => f.path).filter((path) => OF_THE_SET.test(path)));
  const byFolder = new Map<string, Listed[]>();
  for (const listed of files) {
    const slash = listed.path.lastIndexOf("/");
    const folder = listed.path.slice(0, slash);
    const isReserved = /(?:^|\/)(?:tests|manifests)(?:\/|$)/.test(folder);
    if (slash < 0 || isReserved || !own.has(listed.path.slice(slash + 1))) continue;
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), listed]);
  }
  return [...byFolder].flatMap(([folder, repeated]) => {
    if (repeated.length < 2) return [];
    const names = repeated.map((r) => r.path.slice(folder.length + 1)).sort();
    const first = repeated.find((r) => r.path.endsWith(`/${names[0]}`)) as Listed;
    const at = span(new SourceFile(first.name, ""), 0, 0);
    diagnostics.push(
      sourcesDiagnostic("sources/set-inside-set", { folder, files: names.map((n) => `\`${n}\``).join(", ") }, at),
    );
    return [folder];
  });
}

/** The files of a folder; a path that names one file stands for that file alone. */
function listFolder(host: Host, dir: string, diagnostics: Diagnostic[]): readonly Listed[] | undefined {
  try {
    return host.listFiles(dir).map((path) => ({ dir, path, name: pathBelow(dir, path) }));
  } catch (error) {
    const slash = dir.lastIndexOf("/");
    const parent = slash < 0 ? "." : slash === 0 ? "/" : dir.slice(0, slash);
    const path = dir.slice(slash + 1);
    try {
      host.readFile(parent, path);
      return [{ dir: parent, path, name: dir }];
    } catch {
      diagnostics.push(
        sourcesDiagnostic("sources/unreadable-folder", { path: dir, problem: problemOf(error) }, undefined),
      );
      return undefined;
    }
  }
}

function pathBelow(dir: string, path: string): string {
  return dir === "." ? path : dir.endsWith("/") ? dir + path : `${dir}/${path}`;
}

/** `./a//b/` and `a/b` are one folder. */
function tidyDir(dir: string): string {
  const tidy = dir
    .replace(/\/{2,}/g, "/")
    .replace(/(?:^|(?<=\/))(?:\.\/)+/g, "")
    .replace(/(?<=.)\/\.?$/, "");
  return tidy === "" ? "." : tidy;
}

/** By UTF-16 units: the same on every machine, unlike any locale's order. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function problemOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "ENOENT") return "no such file or folder";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  return error instanceof Error ? error.message : String(error);
}
