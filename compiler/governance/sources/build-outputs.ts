/**
 * Folders inside a policy set that a build wrote. They are left out, and nothing is lost by that: a folder counts as an output
 * only where all that it says is said outside of it too, byte for byte. So files planted beside a rule hide no rule.
 */

import type { Host } from "@portcullis/documents";
import { libraryModules } from "../library/index.ts";
import type { Listed } from "./listed.ts";
import { recognise } from "./recognise.ts";

/** A folder with a bundle and the data that a build writes beside it. */
export interface BuildOutput {
  readonly folder: string;
  /** The first file that says what nothing outside says: the sources changed since, or it is no output. */
  readonly stale: Listed | undefined;
}

/** The output folders among `files`, all of one folder; `everywhere` are the files of all folders of the set. */
export function buildOutputs(host: Host, files: readonly Listed[], everywhere: readonly Listed[]): BuildOutput[] {
  const bundle = "/bundle.tar.gz";
  const candidates = files.flatMap(({ path }) => (path.endsWith(bundle) ? path.slice(0, -bundle.length) : []));
  const folders = candidates.filter((folder) => {
    const data = files.find(({ path }) => path === `${folder}/data.json`);
    return (
      data !== undefined && (isBuiltData(host, data) || isRepeated(host, data, "data.json", candidates, everywhere))
    );
  });
  return folders.map((folder) => {
    const sources = files.filter(
      ({ path }) =>
        folderOf(folders, path) === folder && path !== `${folder}/data.json` && recognise(path) !== undefined,
    );
    const stale = sources
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .find((file) => !isRepeated(host, file, file.path.slice(folder.length + 1), folders, everywhere));
    return { folder, stale };
  });
}

/** Whether the library, or the set outside of `folders`, has the same text under this path. */
function isRepeated(
  host: Host,
  listed: Listed,
  path: string,
  folders: readonly string[],
  everywhere: readonly Listed[],
): boolean {
  const text = fileText(host, listed);
  if (text === undefined) return false;
  if (libraryModules.some((module) => `portcullis/${module.name}` === path && module.text === text)) return true;
  const counterparts = everywhere.filter((other) => other.path === path && folderOf(folders, other.path) === undefined);
  return counterparts.some((other) => fileText(host, other) === text);
}

/** The innermost of the folders that hold the path. */
function folderOf(folders: readonly string[], path: string): string | undefined {
  let innermost: string | undefined;
  for (const folder of folders)
    if (path.startsWith(`${folder}/`) && folder.length > (innermost?.length ?? -1)) innermost = folder;
  return innermost;
}

/** Whether it holds the document of a policy, which no author writes, or nothing at all. */
function isBuiltData(host: Host, listed: Listed): boolean {
  try {
    const data: unknown = JSON.parse(fileText(host, listed) ?? "");
    if (typeof data !== "object" || data === null || Array.isArray(data)) return false;
    return Object.hasOwn(data, "portcullis") || Object.keys(data).length === 0;
  } catch {
    return false;
  }
}

function fileText(host: Host, { dir, path }: Listed): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(host.readFile(dir, path));
  } catch {
    return undefined;
  }
}
