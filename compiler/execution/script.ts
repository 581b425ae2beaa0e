/**
 * A script about to run: read once, hashed, and handed on as these very bytes. Whatever happens to the file
 * afterwards, the checked bytes run.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { realPath } from "./real-path.ts";
import { sha256 } from "./session.ts";

export interface Script {
  /** The canonical path of the file that was read; `undefined` when there is none that could be. */
  readonly path: string | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly sha256: string | undefined;
}

/** Never throws: a file that cannot be read has no bytes and no hash. */
export function readScript(path: string): Script {
  const real = realPath(path);
  const bytes = real === undefined ? undefined : readOnce(real);
  return { path: real, bytes, sha256: bytes === undefined ? undefined : sha256(bytes) };
}

/** A regular file's bytes. Not blocking, so that a pipe in its place hangs nobody; no link, as the path was canonical. */
function readOnce(path: string): Uint8Array | undefined {
  let file: number;
  try {
    // Windows has neither flag.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    return fstatSync(file).isFile() ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}
