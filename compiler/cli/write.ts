/** Atomic writes: a reader sees the old file or the new one, never half of either. */

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CliError, fileProblem } from "./exit.ts";

let serial = 0;

/** Writes beside the target and renames over it; folders are made. Fails with a CliError that names the file. */
export function writeAtomic(path: string, content: Uint8Array | string): void {
  finishOnSignals();
  const temporary = join(dirname(path), `.${process.pid}.${serial++}.tmp`);
  try {
    makeFolder(dirname(path));
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new CliError(`cannot write \`${path}\`: ${fileProblem(error)}`);
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
