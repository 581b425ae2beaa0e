/** `portcullis eval BUNDLE|DIR ENTRYPOINT --input FILE|-`: one decision, as an embedding service would get it. */

import type { LoadOptions } from "@portcullis/runtime";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { DATA_FLAG, readHostDataOrInput } from "../host-data.ts";
import { demandEntrypoint, ENTRYPOINT_WORDS, entrypointNamed } from "../policy/known-entrypoint.ts";
import { limitsOption } from "../policy/limits-option.ts";
import { BUILTIN_OPTION, type BuiltinFlags, CAPABILITIES_OPTION, readOwnBuiltins } from "../policy/own-builtins.ts";
import { loadHeardPolicy } from "../policy/policy-argument.ts";
import { readSchemas, SCHEMA_OPTION } from "../policy/schemas.ts";
import type { HumanOrJson } from "./options.ts";
import { parseInput, readText } from "./read.ts";

interface EvalFlags extends BuiltinFlags {
  readonly input?: string;
  readonly data?: string;
  readonly schema?: string;
  readonly limits?: LoadOptions["limits"];
  readonly format: HumanOrJson;
  readonly fail: boolean;
}

export function registerEval(root: Command, context: Context): void {
  root
    .command("eval")
    .description("decide once: evaluate an entrypoint of a bundle (or of a folder of sources) with an input")
    .argument("<bundle>", "bundle.tar.gz, policy.wasm, or a folder of sources, which is compiled first")
    .argument("<entrypoint>", ENTRYPOINT_WORDS, entrypointNamed)
    .option("-i, --input <file>", "file with the input as JSON, or - for standard input (default: no input)")
    .option(...DATA_FLAG)
    .option(...SCHEMA_OPTION)
    .option(...CAPABILITIES_OPTION)
    .option(...BUILTIN_OPTION)
    .option(...limitsOption("steps=50000000,memory=64MiB,input=16MiB"))
    .option("--fail", "exit 1 when the result is undefined, false, or a decision that denies", false)
    .addOption(
      new Option(
        "--format <format>",
        "human: the result alone; json: result, revision and time; both: findings in the sources as `check` prints them",
      )
        .choices(["human", "json"])
        .default("human"),
    )
    .addHelpText(
      "after",
      `
What a folder's rules \`print\`, and note with \`trace\`, is written to standard error; a bundle has none of it. The time is real,
chance is seeded, and there is no network: \`http.send\` is undefined.

Examples:
  echo '{"role":"WRITER","lane":"DRAFTING","tool":"draft.create"}' | portcullis eval out/bundle.tar.gz portcullis/tool/decision -i -
  portcullis eval policies portcullis/lane/decision -i request.json --fail
  portcullis eval rules acme/allow -i request.json --builtin builtins.mjs

Exit codes: 0 evaluated; 1 findings in the sources, or a denial with --fail; 2 wrong usage, unreadable files, a refused bundle.`,
    )
    .action(async (bundle: string, entrypoint: string, flags: EvalFlags) => {
      const input = flags.input === undefined ? undefined : await readText(context.terminal, flags.input);
      const data = flags.data === undefined ? undefined : await readHostDataOrInput(context.terminal, flags.data);
      if (input !== undefined) parseInput(input, flags.input as string);
      const { declared, allowed, supplied } = await readOwnBuiltins(flags);
      const compiling = { ...readSchemas(flags.schema), ...declared, allowBuiltins: allowed };
      const loaded = await loadHeardPolicy(
        context.terminal,
        bundle,
        { ensure: [entrypoint], format: flags.format },
        { compiling, supplied, limits: flags.limits },
      );
      if (loaded === undefined) return context.finish(EXIT_FINDINGS);
      const { policy, host } = loaded;
      demandEntrypoint(policy, entrypoint, bundle);
      if (data !== undefined) policy.setData(data);
      const started = performance.now();
      const result =
        input === undefined ? policy.evaluate(entrypoint, undefined) : policy.evaluateJson(entrypoint, input);
      const microseconds = Math.round((performance.now() - started) * 1000);
      const fault = policy.lastFault;
      const { printed, notes } = host.take();
      for (const line of printed) context.terminal.err(`${line}\n`);
      for (const line of notes) context.terminal.err(`note: ${line}\n`);
      if (flags.format === "json") {
        const report = {
          entrypoint,
          revision: policy.revision,
          defined: result !== undefined,
          result,
          microseconds,
          ...(fault ? { fault } : {}),
        };
        context.terminal.out(`${JSON.stringify(report, null, 2)}\n`);
      } else {
        context.terminal.out(result === undefined ? "undefined\n" : `${JSON.stringify(result, null, 2)}\n`);
        if (fault !== undefined) context.terminal.err(`fault: ${fault.code}: ${fault.message}\n`);
      }
      context.finish(flags.fail && denies(result) ? EXIT_FINDINGS : EXIT_OK);
    });
}

function denies(result: unknown): boolean {
  if (typeof result === "object" && result !== null && "allowed" in result) return result.allowed !== true;
  return result === undefined || result === false;
}
