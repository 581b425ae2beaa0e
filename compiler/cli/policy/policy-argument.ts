/** A policy named on the command line: a bundle, a module, or sources, a folder or one file of Rego, which are compiled in memory first. */

import { nodeHost } from "@portcullis/documents/node";
import type { CompileOptions } from "@portcullis/governance";
import { type OpenedPolicy, openBundle } from "@portcullis/governance/review";
import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { EvaluationHost } from "@portcullis/rego/testing";
import { type LoadOptions, load, type Policy } from "@portcullis/runtime";
import { readBytes } from "../commands/read.ts";
import { orFail } from "../exit.ts";
import { isFolder } from "../files.ts";
import { demandHostData, readHostDataOrInput } from "../host-data.ts";
import { type OutputFormat, reportDiagnostics } from "../render/report.ts";
import type { Terminal } from "../terminal.ts";
import { compilePolicies } from "./compile.ts";
import { withHostOptions } from "./host-options.ts";
import { loadWithBuiltins } from "./load-policy.ts";
import type { OwnBuiltins } from "./own-builtins.ts";
import { refusing } from "./refusing.ts";

export interface PolicyArgument {
  /** Entrypoints that a folder of sources shall have beside its own. */
  readonly ensure?: readonly string[];
  /** The command's own: findings are printed in it. Default: for people, on standard error. */
  readonly format?: OutputFormat;
  /** The file of the host's data. */
  readonly data?: string | undefined;
}

/**
 * A policy that decides. `undefined`: the folder has findings, and they are printed. Throws CliError for an argument that cannot be
 * read or is refused, and for a policy that lacks data of its host.
 */
export async function loadPolicyArgument(
  terminal: Terminal,
  path: string,
  options: PolicyArgument = {},
): Promise<Policy | undefined> {
  return (await loadLoadablePolicy(terminal, path, options))?.policy;
}

/** `loadPolicyArgument`, and what other threads load the same policy from. */
export async function loadLoadablePolicy(
  terminal: Terminal,
  path: string,
  options: PolicyArgument = {},
): Promise<{ readonly policy: Policy; readonly bytes: Uint8Array; readonly data: LoadOptions["data"] } | undefined> {
  const [bytes] = (await policyBytes(terminal, [path], options)) ?? [];
  if (bytes === undefined) return undefined;
  const data = options.data === undefined ? undefined : await readHostDataOrInput(terminal, options.data);
  const policy = await refusing(path, () => loadWithBuiltins(bytes, { data }));
  demandHostData(policy, options.data);
  return { policy, bytes, data };
}

/** `loadPolicyArgument` for one evaluation on the spot: the policy has the clock and chance, and is heard. */
export async function loadHeardPolicy(
  terminal: Terminal,
  path: string,
  options: PolicyArgument,
  {
    compiling,
    supplied,
    limits,
  }: {
    readonly compiling: Partial<CompileOptions>;
    readonly supplied: OwnBuiltins["supplied"];
    readonly limits?: LoadOptions["limits"];
  },
): Promise<{ readonly policy: Policy; readonly host: EvaluationHost } | undefined> {
  const [bytes] = (await policyBytes(terminal, [path], options, { ...compiling, heard: true })) ?? [];
  if (bytes === undefined) return undefined;
  const { evaluationHost } = await import("@portcullis/rego/testing");
  return refusing(path, () =>
    withHostOptions(supplied, limits, async (given) => {
      const host = evaluationHost(given);
      return { policy: await load(bytes, host.load), host };
    }),
  );
}

/** `openPolicyArgument` for a policy that decides: what is reviewed has data of its host that is empty, and this one has the file's. */
export async function openDecidingPolicy(
  terminal: Terminal,
  path: string,
  options: PolicyArgument,
): Promise<OpenedPolicy | undefined> {
  const [bundle] = (await policyBytes(terminal, [path], options)) ?? [];
  if (bundle === undefined) return undefined;
  const data = options.data === undefined ? {} : await readHostDataOrInput(terminal, options.data);
  const opened = orFail(await refusing(path, () => openBundle(path, bundle, { data }, loadWithBuiltins)));
  demandHostData(opened.policy, options.data);
  return opened;
}

/** `loadPolicyArgument` for commands that look into the bundle as well. A bare module is refused: it holds nothing to look at. */
export async function openPolicyArgument(
  terminal: Terminal,
  path: string,
  options: PolicyArgument = {},
): Promise<OpenedPolicy | undefined> {
  const [opened] = (await openPolicyArguments(terminal, [path], options)) ?? [];
  return opened;
}

/** `openPolicyArgument` for several at once: the findings of all are one report. */
export async function openPolicyArguments(
  terminal: Terminal,
  paths: readonly string[],
  options: PolicyArgument = {},
): Promise<OpenedPolicy[] | undefined> {
  const bundles = await policyBytes(terminal, paths, options);
  if (bundles === undefined) return undefined;
  const opened: OpenedPolicy[] = [];
  for (const [i, bundle] of bundles.entries()) {
    const path = paths[i] as string;
    opened.push(orFail(await refusing(path, () => openBundle(path, bundle, {}, loadWithBuiltins))));
  }
  return opened;
}

/** Folders and files of Rego are compiled; anything else is read as it is. */
async function policyBytes(
  terminal: Terminal,
  paths: readonly string[],
  { ensure = [], format = "human" }: PolicyArgument,
  compiling: Partial<CompileOptions> = {},
): Promise<Uint8Array[] | undefined> {
  const all: Uint8Array[] = [];
  const findings: Diagnostic[] = [];
  for (const path of paths) {
    if (!isFolder(path) && !path.endsWith(".rego")) {
      all.push(readBytes(path));
      continue;
    }
    const options = { ...compiling, host: nodeHost, dirs: [path], ensure, stored: true };
    const { compiled, diagnostics } = await compilePolicies(terminal, options);
    if (compiled === undefined) findings.push(...diagnostics);
    else all.push(compiled.bundle);
  }
  if (all.length === paths.length) return all;
  reportDiagnostics(terminal, findings, format);
  return undefined;
}
