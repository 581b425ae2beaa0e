/** `portcullis explain BUNDLE|DIR ENTRYPOINT --input FILE|-`: why a decision came out as it did. */

import { explain, verdictOf } from "@portcullis/governance/review";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { EXIT_FINDINGS, EXIT_OK, orFail } from "../exit.ts";
import { DATA_FLAG, readHostDataOrInput } from "../host-data.ts";
import { ENTRYPOINT_WORDS, entrypointNamed } from "../policy/known-entrypoint.ts";
import { openPolicyArgument } from "../policy/policy-argument.ts";
import { explanationReport, printExplanation } from "../render/explanation.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";
import { parseInput, readText } from "./read.ts";

interface ExplainFlags {
  readonly input?: string;
  readonly data?: string;
  readonly all: boolean;
  readonly fail: boolean;
  readonly format: HumanOrJson;
}

export function registerExplain(root: Command, context: Context): void {
  root
    .command("explain")
    .description(
      "explain a decision: the gate that decided, what it expected and found, and the smallest change that allows",
    )
    .argument("<bundle>", "bundle.tar.gz, or a folder of sources, which is compiled first")
    .argument("<entrypoint>", ENTRYPOINT_WORDS, entrypointNamed)
    .option("-i, --input <file>", "file with the input as JSON, or - for standard input (default: no input)")
    .option(...DATA_FLAG)
    .option(
      "--all",
      "show every gate and branch that was asked, with its conditions and what it read, and every change that would allow",
      false,
    )
    .option("--fail", "exit 1 unless the decision allows", false)
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  echo '{"role":"WRITER","lane":"PUBLISHING","tool":"article.publish"}' | portcullis explain policies tool -i -
  portcullis explain out/bundle.tar.gz exec -i request.json --format json
  portcullis explain rules app/authz/allow -i request.json --all

The answers are those of the Rego in the bundle, which is asked condition by condition; that it answers as the bundle's module
does is checked first. A gate has held, failed, or was not reached. What it read of the policy is told by the author's fields
and places, from the bundle's source map. What would allow a denial is searched for, a few changes at a time; where more is
missing, the request is told what it lacks of one that is allowed. Every remedy that is shown was tried.

--format json: { entrypoint, revision, decision, decided_by: { rule, location }, gates, branches, what_would_allow:
{ policy, request } }. A gate has gate, reason, status, location, conditions, and reads with path, value and place, and
with \`is_default: true\` where the file of the place does not set the value; a remedy has changes with path, from, to, text and
place.

Exit codes: 0 explained; 1 findings in the sources, or no allow with --fail; 2 wrong usage, unreadable files, a refused bundle.`,
    )
    .action(async (path: string, entrypoint: string, flags: ExplainFlags) => {
      const { terminal } = context;
      const inputJson = flags.input === undefined ? undefined : await readText(terminal, flags.input);
      if (inputJson !== undefined) parseInput(inputJson, flags.input as string);
      const hostData = flags.data === undefined ? undefined : await readHostDataOrInput(terminal, flags.data);
      const opened = await openPolicyArgument(terminal, path, { ensure: [entrypoint], format: flags.format });
      if (opened === undefined) return context.finish(EXIT_FINDINGS);
      const explanation = orFail(await explain(opened, { entrypoint, inputJson, hostData }));
      const { decision } = explanation;
      if (flags.format === "json") {
        const report = explanationReport(entrypoint, opened.policy.revision, explanation);
        terminal.out(`${JSON.stringify(report, null, 2)}\n`);
      } else printExplanation(terminal, explanation, flags.all);
      context.finish(flags.fail && verdictOf(decision) !== true ? EXIT_FINDINGS : EXIT_OK);
    });
}
