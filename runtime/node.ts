/** Node's file system, for services that keep their bundle in a file. */

import { open, readFile } from "node:fs/promises";
import { LoadError } from "./errors.ts";
import { type LoadOptions, load } from "./load/load.ts";
import type { EventSink } from "./operate/sinks.ts";
import type { Policy } from "./policy.ts";

/** Loads a bundle or module from a file. Throws LoadError, also when the file cannot be read. */
export async function loadFile(path: string, options: LoadOptions = {}): Promise<Policy> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new LoadError("not-a-policy", `cannot read \`${path}\`: ${(error as Error).message}`);
  }
  return load(bytes, options);
}

/**
 * Lines at the end of a file, which is made where it is missing. A batch is on the disk when it is taken; one that cannot be
 * written whole is taken away again.
 */
export function fileSink(path: string): EventSink {
  return {
    async write(batch) {
      const file = await open(path, "a", 0o600);
      try {
        const { size } = await file.stat();
        try {
          await file.writeFile(batch);
          await file.datasync();
        } catch (error) {
          await file.truncate(size);
          throw error;
        }
      } finally {
        await file.close();
      }
    },
  };
}
