/** Atomic writes: a reader sees the old file or the new one, never half of either. */

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CliError, fileProblem } from "./exit.ts";

let serial = 0;

/** Writes beside the target and renames over it; folders are made. Fails with a CliError that names the file. */
export function writeAtomic(path: string, content: Uint8Array | string): void {
  const temporary = join(dirname(path), `.${process.pid}.${serial++}.tmp`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new CliError(`cannot write \`${path}\`: ${fileProblem(error)}`);
  }
}
