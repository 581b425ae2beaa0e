/** A policy named on the command line: a bundle, a module, or a folder of sources that is compiled in memory first. */

import { statSync } from "node:fs";
import { builtins } from "@portcullis/builtins";
import { LoadError, type LoadOptions, load, type Policy } from "@portcullis/runtime";
import { nodeHost } from "../node.ts";
import type { CompileOptions } from "../pipeline.ts";
import { type OpenedPolicy, openBundle } from "../review/index.ts";
import type { EvaluationHost } from "../testing/index.ts";
import { readBytes } from "./commands/read.ts";
import { compilePolicies } from "./compile.ts";
import { CliError, EXIT_USAGE, fileProblem, orFail } from "./exit.ts";
import { hostOptions } from "./host-options.ts";
import type { OwnBuiltins } from "./own-builtins.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";
import { VERSION } from "./version.ts";

/**
 * `ensure`: entrypoints that a folder of sources shall have beside its own. `undefined`: the folder has findings, and they
 * are printed. Throws CliError for an argument that cannot be read or is refused.
 */
export async function loadPolicyArgument(
  terminal: Terminal,
  path: string,
  ensure: readonly string[] = [],
  options: LoadOptions = {},
): Promise<Policy | undefined> {
  const bytes = await policyBytes(terminal, path, ensure);
  return bytes === undefined ? undefined : refusing(path, () => load(bytes, { builtins, ...options }));
}

/** `loadPolicyArgument` for one evaluation on the spot: the policy has the clock and chance, and is heard. */
export async function loadHeardPolicy(
  terminal: Terminal,
  path: string,
  ensure: readonly string[],
  { compiling, supplied }: { readonly compiling: Partial<CompileOptions>; readonly supplied: OwnBuiltins["supplied"] },
): Promise<{ readonly policy: Policy; readonly host: EvaluationHost } | undefined> {
  const bytes = isFolder(path)
    ? await compileFolder(terminal, path, ensure, { ...compiling, heard: true })
    : await readBytes(path);
  if (bytes === undefined) return undefined;
  const { evaluationHost } = await import("../testing/index.ts");
  const host = evaluationHost(await hostOptions(supplied));
  return { policy: await refusing(path, () => load(bytes, host.load)), host };
}

/** `loadPolicyArgument` for commands that look into the bundle as well. A bare module is refused: it holds nothing to look at. */
export async function openPolicyArgument(
  terminal: Terminal,
  path: string,
  ensure: readonly string[] = [],
): Promise<OpenedPolicy | undefined> {
  const bundle = await policyBytes(terminal, path, ensure);
  if (bundle === undefined) return undefined;
  return orFail(await refusing(path, () => openBundle(path, bundle, { builtins })));
}

/** A folder is compiled; anything else is read as it is. */
async function policyBytes(
  terminal: Terminal,
  path: string,
  ensure: readonly string[],
): Promise<Uint8Array | undefined> {
  return isFolder(path) ? compileFolder(terminal, path, ensure) : readBytes(path);
}

/** Says which file it was that the runtime refused. */
export async function refusing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    throw new CliError(
      `\`${path}\` was refused: ${error.message}`,
      EXIT_USAGE,
      `code ${error.code}; build it from its sources with \`portcullis build\`, or fetch it again`,
    );
  }
}

async function compileFolder(
  terminal: Terminal,
  dir: string,
  ensure: readonly string[],
  options: Partial<CompileOptions> = {},
): Promise<Uint8Array | undefined> {
  const { compiled, diagnostics } = await compilePolicies(terminal, {
    ...options,
    host: nodeHost,
    dirs: [dir],
    ensure,
  });
  if (compiled === undefined) reportDiagnostics(terminal, diagnostics, "human", VERSION);
  return compiled?.bundle;
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new CliError(
      `cannot read \`${path}\`: ${fileProblem(error)}`,
      EXIT_USAGE,
      "name a bundle.tar.gz, a policy.wasm, or a folder of sources",
    );
  }
}
