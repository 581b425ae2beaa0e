/** Atomic writes: a reader sees the old file or the new one, never half of either. */

import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CliError, EXIT_USAGE, fileProblem } from "./exit.ts";

/** Writes beside the target and renames over it; folders are made. Fails with a CliError that names the file. */
export function writeAtomic(path: string, content: Uint8Array | string): void {
  writeAllAtomic([{ path, content }]);
}

/**
 * `writeAtomic` of several files: none takes its place before all are written. What was there keeps its mode. Devices, pipes
 * and `/dev/stdout` are written to: a file in their place would take them from the whole machine.
 */
export function writeAllAtomic(
  files: readonly { readonly path: string; readonly content: Uint8Array | string }[],
): void {
  finishOnSignals();
  const written: { path: string; temporary: string }[] = [];
  const streams: { path: string; content: Uint8Array | string }[] = [];
  let current = "";
  try {
    for (const { path, content } of files) {
      current = path;
      if (isStream(path)) {
        streams.push({ path, content });
        continue;
      }
      // No other writer to the folder can have put a link there: the name is new, and the file must be.
      const temporary = join(dirname(path), `.${randomUUID()}.tmp`);
      written.push({ path, temporary });
      makeFolder(dirname(path));
      const there = statSync(path, { throwIfNoEntry: false });
      const mode = there?.isFile() ? there.mode & 0o777 : undefined;
      writeFileSync(temporary, content, { flag: "wx", mode: mode ?? 0o666 });
      // What the process masks was not given when the file was made.
      if (mode !== undefined) chmodSync(temporary, mode);
    }
    for (const { path, temporary } of written) {
      current = path;
      renameSync(temporary, path);
    }
    for (const { path, content } of streams) {
      current = path;
      writeFileSync(path, content);
    }
  } catch (error) {
    for (const { temporary } of written) remove(temporary);
    throw new CliError(`cannot write \`${current}\`: ${fileProblem(error)}`);
  }
}

/**
 * Throws CliError if a folder is a link, from `root` down to those of `paths` below it: what is written there would land in an
 * unnamed place.
 */
export function refuseLinkedFolders(root: string, paths: readonly string[]): void {
  const top = resolve(root);
  const folders = new Set([top]);
  for (const path of paths)
    for (let folder = dirname(resolve(top, path)); folder.length > top.length; folder = dirname(folder))
      folders.add(folder);
  for (const folder of folders)
    if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new CliError(
        `\`${folder}\` is a link, and nothing is written through it`,
        EXIT_USAGE,
        "name the folder behind it, or remove the link",
      );
}

/** Whether there is something at a path, or behind a link, that takes bytes and is no file to be replaced. */
export function isStream(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || there.isDirectory()) return false;
  if (!there.isFile()) return true;
  // `/dev/stdout` and `/dev/fd/1` are links to what a process has open, which may be a file.
  if (!lstatSync(path).isSymbolicLink()) return false;
  return readlinkSync(path).startsWith("/proc/") || realpathSync(dirname(path)).startsWith("/proc/");
}

/** `force` ignores a missing file, but not a parent that is not a folder. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // What could not be made is not there.
  }
}

/** Node's own `recursive` never ends where a folder cannot have a child that it does not know, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  mkdirSync(path);
}

/** What ends a command, and its exit code then. */
const SIGNALS = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

/**
 * From the first write on, Ctrl-C and its like wait for the event loop: files are written in one go, so none is left half done, and no
 * set of files with one half old. Where a command listens already they wait as well, and it ends in its own way.
 */
function finishOnSignals(): void {
  for (const [name, status] of SIGNALS)
    if (process.listenerCount(name) === 0) process.once(name, () => process.exit(status));
}
