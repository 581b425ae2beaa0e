/** `portcullis eval POLICY ENTRYPOINT`: one decision, as an embedding service would get it. */

import type { Fault } from "@portcullis/runtime";
import type { EvalFlags, Evaluated } from "../commands/eval.ts";
import { CliError, EXIT_USAGE } from "../exit.ts";
import { readHostDataOrInput } from "../host-data.ts";
import { printSolutions } from "../render/query-results.ts";
import type { Terminal } from "../terminal.ts";
import { demandEntrypoint } from "./known-entrypoint.ts";
import { readOwnBuiltins } from "./own-builtins.ts";
import { loadHeardPolicy } from "./policy-argument.ts";
import { isJsonData } from "./query-sources.ts";
import { readSchemas } from "./schemas.ts";

export interface AskedEntrypoint {
  readonly policy: string;
  readonly entrypoint: string;
  /** JSON text. */
  readonly input: string | undefined;
  readonly flags: EvalFlags;
}

/** `undefined`: there are findings, and they are printed. Throws CliError. */
export async function evalEntrypoint(
  terminal: Terminal,
  { policy: path, entrypoint, input, flags }: AskedEntrypoint,
): Promise<Evaluated | undefined> {
  const [file, ...more] = flags.data;
  if (more.length > 0 || (file !== undefined && !isJsonData(file)) || flags.profile || flags.metrics)
    throw new CliError(
      "an entrypoint is asked of one policy, with one file of data at most",
      EXIT_USAGE,
      `\`--profile\`, \`--metrics\` and more sources are for queries: \`data.${entrypoint.replaceAll("/", ".")}\``,
    );
  const data = file === undefined ? undefined : await readHostDataOrInput(terminal, file);
  const { declared, allowed, supplied } = await readOwnBuiltins(flags);
  const compiling = { ...readSchemas(flags.schema), ...declared, allowBuiltins: allowed };
  const format = flags.format === "json" ? "json" : "human";
  const loaded = await loadHeardPolicy(
    terminal,
    path,
    { ensure: [entrypoint], format },
    { compiling, supplied, limits: flags.limits },
  );
  if (loaded === undefined) return undefined;
  const { policy, host } = loaded;
  demandEntrypoint(policy, entrypoint, path);
  if (data !== undefined) policy.setData(data);
  const started = performance.now();
  const result = input === undefined ? policy.evaluate(entrypoint, undefined) : policy.evaluateJson(entrypoint, input);
  const microseconds = Math.round((performance.now() - started) * 1000);
  const fault = policy.lastFault;
  const { printed, notes } = host.take();
  for (const line of printed) terminal.err(`${line}\n`);
  for (const line of notes) terminal.err(`note: ${line}\n`);
  report(terminal, { entrypoint, revision: policy.revision, result, microseconds, fault }, flags.format);
  return { isDefined: result !== undefined, denies: denies(result), failed: false };
}

interface Decided {
  readonly entrypoint: string;
  readonly revision: string | undefined;
  readonly result: unknown;
  readonly microseconds: number;
  readonly fault: Fault | undefined;
}

function report(terminal: Terminal, decided: Decided, format: EvalFlags["format"]): void {
  const { entrypoint, revision, result, microseconds, fault } = decided;
  if (format === "json") {
    const json = {
      entrypoint,
      revision,
      defined: result !== undefined,
      result,
      microseconds,
      ...(fault ? { fault } : {}),
    };
    terminal.out(`${JSON.stringify(json, null, 2)}\n`);
    return;
  }
  if (format === "human" || format === "pretty")
    terminal.out(result === undefined ? "undefined\n" : `${JSON.stringify(result, null, 2)}\n`);
  else if (result !== undefined)
    printSolutions(terminal, JSON.stringify([{ expressions: [{ value: result, text: entrypoint }] }]), format);
  if (fault !== undefined) terminal.err(`fault: ${fault.code}: ${fault.message}\n`);
}

function denies(result: unknown): boolean {
  if (typeof result === "object" && result !== null && "allowed" in result) return result.allowed !== true;
  return result === undefined || result === false;
}
