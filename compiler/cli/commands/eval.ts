/** `portcullis eval [POLICY] QUERY`: one question, answered at once: a query of Rego, or an entrypoint as an embedding service asks it. */

import type { LoadOptions } from "@portcullis/runtime";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { entrypointNamed, namesEntrypoint, SHORT_NAMES } from "../policy/known-entrypoint.ts";
import { limitsOption } from "../policy/limits-option.ts";
import { BUILTIN_OPTION, type BuiltinFlags, CAPABILITIES_OPTION } from "../policy/own-builtins.ts";
import { SCHEMA_OPTION } from "../policy/schemas.ts";
import { EVAL_FORMATS, type EvalFormat } from "../render/query-results.ts";
import { collect } from "./options.ts";
import { parseInput, readText } from "./read.ts";

export interface EvalFlags extends BuiltinFlags {
  readonly input?: string;
  readonly data: readonly string[];
  readonly schema?: string;
  readonly limits?: LoadOptions["limits"];
  readonly format: EvalFormat;
  readonly fail: boolean;
  readonly failDefined: boolean;
  readonly profile: boolean;
  readonly metrics: boolean;
}

/** What came of an evaluation. */
export interface Evaluated {
  readonly isDefined: boolean;
  /** Undefined, false, or a decision that denies. */
  readonly denies: boolean;
  readonly failed: boolean;
}

const NONE: string[] = [];

export function registerEval(root: Command, context: Context): void {
  root
    .command("eval")
    .description("decide once: evaluate a query, or an entrypoint of a policy, with an input")
    .usage("[options] [policy] <query>")
    .argument("<policy>", "bundle.tar.gz, policy.wasm, a folder of sources, or a file of Rego; alone, it is the query")
    .argument("[query]", `a query of Rego; or an entrypoint \`pkg/rule\`; or ${SHORT_NAMES}`)
    .option("-i, --input <file>", "file with the input as JSON, or - for standard input (default: no input)")
    .option(
      "-d, --data <path>",
      "file with data as JSON, which the host of an entrypoint supplies; for a query also Rego, folders, bundles (may be repeated)",
      collect,
      NONE,
    )
    .option(...SCHEMA_OPTION)
    .option(...CAPABILITIES_OPTION)
    .option(...BUILTIN_OPTION)
    .option(...limitsOption("steps=50000000,memory=64MiB,input=16MiB"))
    .option("--fail", "exit 1 when the result is undefined, false, or a decision that denies", false)
    .option("--fail-defined", "exit 1 when there is a result", false)
    .option("--profile", "of a query: how often expressions were evaluated, and for how long", false)
    .option("--metrics", "of a query: the time of each stage, and the size of the module", false)
    .addOption(
      new Option(
        "--format <format>",
        "human, or pretty: values, variables as a table; json: as `opa eval`, of an entrypoint with revision and time; raw, values, bindings: for scripts",
      )
        .choices(EVAL_FORMATS)
        .default("human"),
    )
    .addHelpText("after", HELP)
    .action((policy: string, query: string | undefined, flags: EvalFlags) => evaluate(context, policy, query, flags));
}

const HELP = `
A query is a rule body: its variables and the values of its expressions are the answer. It is compiled with the Rego that it asks,
of sources or of a bundle. An entrypoint is asked of the module as it ships, as a service asks it.

What rules \`print\`, and note with \`trace\`, is written to standard error; a bundle's entrypoint has none of it. The time is real,
chance is seeded, and there is no network: \`http.send\` is undefined.

--profile counts and times on a module of its own that reports each expression before it is evaluated. The time of an expression
ends where the next one begins, in whatever rule; a report costs about a microsecond of it. Indexes over comprehensions do not
show: what reports is evaluated as it is written.

Examples:
  echo '{"role":"WRITER","lane":"DRAFTING","tool":"draft.create"}' | portcullis eval out/bundle.tar.gz tool -i -
  portcullis eval policies lane -i request.json --fail
  portcullis eval rules acme/allow -i request.json --builtin builtins.mjs
  portcullis eval 'x := 1; y := [2, 3][_]; x < y'
  portcullis eval authz.rego data.authz.allow -i request.json -d users.json
  portcullis eval -d rules -d users.json 'some user; data.authz.allow with input.user as user' --format bindings
  portcullis eval policies data.portcullis.lane.decision -i request.json --profile --metrics

Exit codes: 0 evaluated; 1 findings in the sources or the query, an evaluation of a query that failed, or what --fail or
--fail-defined ask for; 2 wrong usage, unreadable files, a refused bundle.`;

async function evaluate(context: Context, first: string, second: string | undefined, flags: EvalFlags): Promise<void> {
  const { terminal } = context;
  const word = entrypointNamed(second ?? first);
  const isEntrypoint = namesEntrypoint(word);
  if (isEntrypoint && second === undefined)
    throw new CliError(
      `\`${first}\` names an entrypoint, or is a policy without a question`,
      EXIT_USAGE,
      `\`portcullis eval POLICY ${first}\` asks a policy for it; a query of Rego begins at \`data\` or \`input\``,
    );
  const text = flags.input === undefined ? undefined : await readText(terminal, flags.input);
  if (text !== undefined) parseInput(text, flags.input as string);
  const evaluated = isEntrypoint
    ? await (await import("../policy/eval-entrypoint.ts")).evalEntrypoint(terminal, {
        policy: first,
        entrypoint: word,
        input: text,
        flags,
      })
    : await (await import("../policy/eval-query.ts")).evalQuery(terminal, {
        sources: second === undefined ? flags.data : [first, ...flags.data],
        query: word,
        input: text,
        flags,
      });
  if (evaluated === undefined || evaluated.failed) return context.finish(EXIT_FINDINGS);
  const fails = (flags.fail && evaluated.denies) || (flags.failDefined && evaluated.isDefined);
  context.finish(fails ? EXIT_FINDINGS : EXIT_OK);
}
