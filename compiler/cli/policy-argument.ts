/** A policy named on the command line: a bundle, a module, or a folder of sources that is compiled in memory first. */

import { type LoadOptions, load, type Policy } from "@portcullis/runtime";
import { nodeHost } from "../node.ts";
import type { CompileOptions } from "../pipeline.ts";
import { type OpenedPolicy, openBundle } from "../review/index.ts";
import type { EvaluationHost } from "../testing/index.ts";
import { readBytes } from "./commands/read.ts";
import { compilePolicies } from "./compile.ts";
import { orFail } from "./exit.ts";
import { isFolder } from "./files.ts";
import { hostOptions } from "./host-options.ts";
import { loadWithBuiltins } from "./load-policy.ts";
import type { OwnBuiltins } from "./own-builtins.ts";
import { refusing } from "./refusing.ts";
import { type FindingFormat, reportDiagnostics } from "./report.ts";
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
  return bytes === undefined ? undefined : refusing(path, () => loadWithBuiltins(bytes, options));
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

/**
 * `loadPolicyArgument` for commands that look into the bundle as well. A bare module is refused: it holds nothing to look at.
 * `format`: how findings are printed.
 */
export async function openPolicyArgument(
  terminal: Terminal,
  path: string,
  ensure: readonly string[] = [],
  format: FindingFormat = "human",
): Promise<OpenedPolicy | undefined> {
  const bundle = await policyBytes(terminal, path, ensure, format);
  if (bundle === undefined) return undefined;
  return orFail(await refusing(path, () => openBundle(path, bundle, {}, loadWithBuiltins)));
}

/** A folder is compiled; anything else is read as it is. */
async function policyBytes(
  terminal: Terminal,
  path: string,
  ensure: readonly string[],
  format: FindingFormat = "human",
): Promise<Uint8Array | undefined> {
  return isFolder(path) ? compileFolder(terminal, path, ensure, {}, format) : readBytes(path);
}

async function compileFolder(
  terminal: Terminal,
  dir: string,
  ensure: readonly string[],
  options: Partial<CompileOptions> = {},
  format: FindingFormat = "human",
): Promise<Uint8Array | undefined> {
  const { compiled, diagnostics } = await compilePolicies(terminal, {
    ...options,
    host: nodeHost,
    dirs: [dir],
    ensure,
    stored: true,
  });
  if (compiled === undefined) reportDiagnostics(terminal, diagnostics, format, VERSION);
  return compiled?.bundle;
}
