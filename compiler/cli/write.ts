/** Atomic writes: a reader sees the old file or the new one, never half of either. */

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
import { dirname, join } from "node:path";
import { CliError, fileProblem } from "./exit.ts";

let serial = 0;

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
      const temporary = join(dirname(path), `.${process.pid}.${serial++}.tmp`);
      written.push({ path, temporary });
      makeFolder(dirname(path));
      writeFileSync(temporary, content);
      const there = statSync(path, { throwIfNoEntry: false });
      if (there?.isFile()) chmodSync(temporary, there.mode & 0o777);
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

/** Whether there is something at a path, or behind a link, that takes bytes and is no file to be replaced. */
function isStream(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || there.isDirectory()) return false;
  if (!there.isFile()) return true;
  // `/dev/stdout` and `/dev/fd/1` are links to what a process has open, which may be a file.
  if (!lstatSync(path).isSymbolicLink()) return false;
  return readlinkSync(path).startsWith("/proc/") || realpathSync(dirname(path)).startsWith("/proc/");
}

/** `force` is silent where the file is missing, and not where its folder is none. */
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

let waiting = false;

/**
 * From the first write on, Ctrl-C waits for the event loop: files are written in one go, so none is left half done, and no
 * set of files with one half old.
 */
function finishOnSignals(): void {
  if (waiting) return;
  waiting = true;
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
}
