/**
 * A script about to run: read once, hashed, and handed on as these very bytes. Whatever happens to the file
 * afterwards, the checked bytes run.
 */

import { realPath } from "./real-path.ts";
import { readRegularFile } from "./regular-file.ts";
import { sha256 } from "./session.ts";

export interface Script {
  /** The canonical path of the file that was read; `undefined` if no file could be. */
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

function readOnce(path: string): Uint8Array | undefined {
  try {
    return readRegularFile(path);
  } catch {
    return undefined;
  }
}
