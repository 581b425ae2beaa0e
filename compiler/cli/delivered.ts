/** Files that agents deliver: contracts and records. */

import { FileError, readRegularFile } from "@portcullis/enforcement/execution";
import { CliError } from "./exit.ts";

/** The bytes of a file that somebody delivered: a regular file and no link, of bounded size. Throws CliError. */
export function readDelivered(path: string): Uint8Array {
  try {
    return readRegularFile(path);
  } catch (error) {
    if (error instanceof FileError) throw new CliError(`cannot read \`${path}\`: ${error.message}`);
    throw error;
  }
}
