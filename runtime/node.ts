/** Node's file system, for services that keep their bundle in a file. */

import { readFile } from "node:fs/promises";
import { LoadError } from "./errors.ts";
import { type LoadOptions, load } from "./load/load.ts";
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
