/** A policy named on the command line: a bundle, a module, or a folder of sources that is compiled in memory first. */

import { statSync } from "node:fs";
import { LoadError, type LoadOptions, load, type Policy } from "@portcullis/runtime";
import { readBytes } from "./commands/read.ts";
import { compilePolicies } from "./compile.ts";
import { CliError, EXIT_USAGE, fileProblem } from "./exit.ts";
import { nodeHost } from "./node-host.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";
import { VERSION } from "./version.ts";

/**
 * `ensure`: entrypoints that a folder of sources shall have beside its own. `undefined`: the folder has findings, and they
 * are printed. Throws CliError for what cannot be read or is refused.
 */
export async function loadPolicyArgument(
  terminal: Terminal,
  path: string,
  ensure: readonly string[] = [],
  options: LoadOptions = {},
): Promise<Policy | undefined> {
  const bytes = isFolder(path) ? await compileFolder(terminal, path, ensure) : readBytes(path);
  if (bytes === undefined) return undefined;
  try {
    return await load(bytes, options);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    throw new CliError(
      `\`${path}\` was refused: ${error.message}`,
      EXIT_USAGE,
      `code ${error.code}; build or fetch it again`,
    );
  }
}

async function compileFolder(
  terminal: Terminal,
  dir: string,
  ensure: readonly string[],
): Promise<Uint8Array | undefined> {
  const { compiled, diagnostics } = await compilePolicies({ host: nodeHost, dirs: [dir], ensure });
  if (compiled === undefined) reportDiagnostics(terminal, diagnostics, "human", VERSION);
  return compiled?.bundle;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new CliError(`cannot read \`${path}\`: ${fileProblem(error)}`);
  }
}
