/**
 * The folder that a build writes to. What an earlier build wrote there is replaced, and removed where it is left over; any other
 * file is somebody's own. The bundle in the folder tells: it holds every part that was written beside it.
 */

import { readFileSync, realpathSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { nodeHost } from "@portcullis/documents/node";
import { EMIT_NAMES } from "@portcullis/rego/pipeline";
import { LoadError, readBundle } from "@portcullis/runtime";
import { CliError, EXIT_USAGE } from "./exit.ts";
import { isGeneratedTypes, statOf } from "./output-file.ts";

export const BUNDLE = "bundle.tar.gz";
export const TYPES = "types.ts";

const ANOTHER_FOLDER = "name a folder of its own with `-o`, such as `-o out`";

/** No earlier build was larger than what can be written. */
const NO_LIMITS = {
  packed: Number.MAX_SAFE_INTEGER,
  unpacked: Number.MAX_SAFE_INTEGER,
  entries: Number.MAX_SAFE_INTEGER,
};

/**
 * Throws CliError if the output is a folder of the sources, or holds some of them: they would be overwritten, or taken for what
 * the build wrote from then on.
 */
export function refuseSourceFolder(output: string, dirs: readonly string[]): void {
  const out = realPath(output);
  if (out === undefined) return;
  for (const dir of dirs) {
    const source = realPath(dir);
    if (source === undefined) continue;
    const folder = statSync(source).isDirectory() ? source : dirname(source);
    if (folder === out)
      throw new CliError(
        `\`${output}\` is a folder of the sources: they would be overwritten`,
        EXIT_USAGE,
        ANOTHER_FOLDER,
      );
    if (folder === source && out.startsWith(join(folder, sep)) && statSync(out).isDirectory() && holdsSources(out))
      throw new CliError(
        `\`${output}\` holds sources of \`${dir}\`: they would be taken for what a build wrote`,
        EXIT_USAGE,
        ANOTHER_FOLDER,
      );
  }
}

/** Whether there are sources that lie in no output of an earlier build. */
function holdsSources(folder: string): boolean {
  const files = nodeHost.listFiles(folder);
  const outputs = files.filter((path) => basename(path) === BUNDLE).map((path) => path.slice(0, -BUNDLE.length));
  return files.some(
    (path) =>
      /(?:\.(?:rego|ya?ml|toml|json)|(?:^|\/)AGENT_[^/]*\.md)$/.test(path) &&
      !outputs.some((output) => path.startsWith(output)),
  );
}

/** The files of the bundle that an earlier build left in the folder, by path; `undefined` where there is no bundle. */
export async function earlierBuild(output: string): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  try {
    return await readBundle(readFileSync(join(output, BUNDLE)), NO_LIMITS);
  } catch (error) {
    if (error instanceof LoadError || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
}

/** Throws CliError if a file that would be replaced is not what an earlier build wrote. */
export function refuseOthersFiles(
  output: string,
  paths: readonly string[],
  earlier: ReadonlyMap<string, Uint8Array> | undefined,
): void {
  for (const path of paths) {
    const file = join(output, path);
    if (!isOccupied(file)) continue;
    if (path === TYPES ? holdsTypes(file) : earlier !== undefined && (earlier.has(path) || isBeside(path))) continue;
    throw new CliError(
      `\`${file}\` is not what an earlier build wrote, and is not replaced`,
      EXIT_USAGE,
      "move the file away, or name another folder with `-o`",
    );
  }
}

/**
 * Removes what the earlier build wrote and this one did not, with folders that are empty then. A file whose bytes differ from
 * those in the earlier bundle was changed since, and stays.
 */
export function removeLeftovers(
  output: string,
  written: readonly string[],
  earlier: ReadonlyMap<string, Uint8Array> | undefined,
): void {
  if (earlier === undefined) return;
  // Where names of files have no case, `A.rego` is the `a.rego` that was just written.
  const kept = new Set(written.map((path) => path.toLowerCase()));
  const types = kept.has(TYPES) || !holdsTypes(join(output, TYPES)) ? [] : [TYPES];
  const parts = [...earlier].flatMap(([path, bytes]) =>
    !kept.has(path.toLowerCase()) && isInside(output, path) && holdsBytes(join(output, path), bytes) ? [path] : [],
  );
  for (const path of [...parts, ...types]) {
    rmSync(join(output, path));
    removeEmptyFolders(output, dirname(path));
  }
}

/** The bundle itself, and texts beside it that `--emit` asks for by name. */
function isBeside(path: string): boolean {
  return path === BUNDLE || path === "policy.wat" || EMIT_NAMES.some((name) => name === path);
}

/** By the content: the bundle has no types. */
function holdsTypes(file: string): boolean {
  return isOwnFile(file) && isGeneratedTypes(readFileSync(file));
}

function holdsBytes(file: string, bytes: Uint8Array): boolean {
  return isOwnFile(file) && readFileSync(file).equals(bytes);
}

/** Whether a file would be replaced, or a link to one. What is neither cannot be, and writing it says so. */
function isOccupied(path: string): boolean {
  const there = statOf(path);
  return there?.isFile() === true || there?.isSymbolicLink() === true;
}

/** A link would lead to a file that no build wrote. */
function isOwnFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

/** Anybody can have made the bundle: its names lead nowhere else. */
function isInside(output: string, path: string): boolean {
  return !relative(resolve(output), resolve(output, path)).startsWith("..");
}

function removeEmptyFolders(output: string, folder: string): void {
  for (let inner = folder; inner !== "."; inner = dirname(inner)) {
    try {
      rmdirSync(join(output, inner));
    } catch {
      return; // It holds something.
    }
  }
}

/** Without links and `..`; `undefined` for a path that leads nowhere. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
