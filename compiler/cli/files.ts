/** Paths on the command line: folders stand for the files below them. */

import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "@portcullis/documents/node";
import { readBytes } from "./commands/read.ts";
import { CliError, EXIT_USAGE, fileProblem } from "./exit.ts";

/** Each file once; those below a folder have the extension and are sorted. Throws CliError for a path that cannot be read. */
export function expandPaths(paths: readonly string[], extension: string): string[] {
  return [...new Set(paths.flatMap((path) => expand(path, extension)))];
}

function expand(path: string, extension: string): string[] {
  let read = path;
  try {
    if (!statSync(path).isDirectory()) return [path];
    const folder = realpathSync(path);
    return nodeHost
      .listFiles(path)
      .filter((file) => file.endsWith(extension))
      .sort()
      .map((file) => {
        read = join(path, file);
        // Refuses what a link out of the folder, or to nowhere, stands for.
        if (realpathSync(read) !== join(folder, file)) nodeHost.readFile(path, file);
        return read;
      });
  } catch (error) {
    throw new CliError(`cannot read \`${read}\`: ${fileProblem(error)}`);
  }
}

/** Throws CliError for a path that cannot be read; `help` says what to name in its place. */
export function isFolder(path: string, help = "name a bundle.tar.gz, a policy.wasm, or a folder of sources"): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new CliError(`cannot read \`${path}\`: ${fileProblem(error)}`, EXIT_USAGE, help);
  }
}

/** The bytes of a bundle, which a folder of sources is not. Throws CliError. */
export function readBundleFile(path: string): Uint8Array {
  if (isFolder(path, "name a bundle.tar.gz, as `portcullis build` writes it"))
    throw new CliError(`\`${path}\` is a folder`, EXIT_USAGE, "make a bundle of it: `portcullis build DIR -o out`");
  return readBytes(path);
}
