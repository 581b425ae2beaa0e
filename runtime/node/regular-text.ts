/**
 * Files of a folder that holds state. A pipe in the place of one would hang its reader for good, and with it the process, which
 * waits for the thread that reads: nothing is opened that waits, and nothing is read but a regular file.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** `undefined` for a file that there is not. Throws for one that cannot be read, or is no regular file. */
export function regularText(path: string): string | undefined {
  let file: number;
  try {
    // Windows has no such flag, and no such pipes.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) throw new Error(`\`${path}\` is no regular file`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
