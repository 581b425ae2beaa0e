/** `portcullis explain BUNDLE|DIR ENTRYPOINT --input FILE|-`: why a decision came out as it did. */

import { isDeepStrictEqual } from "node:util";
import { type Command, Option } from "commander";
import { isJsonObject } from "../../base/json-object.ts";
import { merge } from "../../review/bundle-data.ts";
import { Explainer, type Explanation, prepare, type Step } from "../../review/explain/explain.ts";
import { Probes } from "../../review/explain/probes.ts";
import type { Read } from "../../review/explain/reads.ts";
import { RegoIndex } from "../../review/explain/rego-index.ts";
import { hostDataPolicy, regoOf } from "../../review/host-data-policy.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import type { Context } from "../main.ts";
import { openPolicyArgument } from "../policy-argument.ts";
import type { Terminal } from "../terminal.ts";
import { parseInput, readJson, readText } from "./read.ts";

interface ExplainFlags {
  readonly input?: string;
  readonly data?: string;
  readonly all: boolean;
  readonly fail: boolean;
  readonly format: "human" | "json";
}

export function registerExplain(root: Command, context: Context): void {
  root
    .command("explain")
    .description("show why a decision came out as it did: every gate in order, what it read, and the rule that decided")
    .argument("<bundle>", "bundle.tar.gz, or a folder of sources, which is compiled first")
    .argument("<entrypoint>", "as `pkg/rule`, e.g. portcullis/tool/decision")
    .option("-i, --input <file>", "file with the input as JSON, or - for standard input (default: no input)")
    .option("-d, --data <file>", "file with host data as JSON, for what lies outside the bundle's roots")
    .option("--all", "show every branch of every rule that was asked, with its conditions", false)
    .option("--fail", "exit 1 when the decision denies", false)
    .addOption(new Option("--format <format>", "output format").choices(["human", "json"]).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  echo '{"role":"WRITER","lane":"PUBLISHING","tool":"article.publish"}' | portcullis explain policies portcullis/tool/decision -i -
  portcullis explain out/bundle.tar.gz portcullis/exec/decision -i request.json --format json
  portcullis explain rules app/authz/allow -i request.json --all

The answers are those of the Rego in the bundle, which is asked condition by condition; that it answers as the bundle's module
does is checked first. A gate has held, failed, or was not reached.

Exit codes: 0 explained; 1 findings in the sources, or a denial with --fail; 2 wrong usage, unreadable files, a refused bundle.`,
    )
    .action(async (path: string, entrypoint: string, flags: ExplainFlags) => {
      const { terminal } = context;
      const text = flags.input === undefined ? undefined : await readText(terminal, flags.input);
      const input = text === undefined ? undefined : parseInput(text, flags.input as string);
      const hostData = flags.data === undefined ? {} : await readJson(terminal, flags.data);
      if (!isJsonObject(hostData)) throw new CliError(`\`${flags.data}\` is no JSON object`);
      const opened = await openPolicyArgument(terminal, path, [entrypoint]);
      if (opened === undefined) return context.finish(EXIT_FINDINGS);
      const { policy } = opened;
      if (!policy.entrypoints.includes(entrypoint)) {
        throw new CliError(
          `no entrypoint \`${entrypoint}\` in \`${path}\``,
          EXIT_USAGE,
          `it has ${policy.entrypoints.map((e) => `\`${e}\``).join(", ")}`,
        );
      }
      if (flags.data !== undefined) policy.setData(hostData);
      const evaluate = (of: typeof policy, name: string): unknown =>
        text === undefined ? of.evaluate(name, undefined) : of.evaluateJson(name, text);
      const decision = evaluate(policy, entrypoint);
      if (policy.lastFault !== undefined)
        throw new CliError(`the evaluation failed, which no rule decided: ${policy.lastFault.message}`);

      const sources = regoOf(opened, path);
      const index = new RegoIndex(sources);
      const probes = new Probes(sources);
      const questions = prepare(index, entrypoint, probes);
      const names = probes.files.map((f) => f.name);
      // What the bundle holds stands above what the host adds.
      const data = merge(hostData, opened.data);
      const asking = await hostDataPolicy(opened, path, {
        extra: probes.files,
        ensure: [...names, ...questions.rules],
        data,
      });
      const known = new Set(asking.entrypoints);
      const answer = (name: string): unknown => (known.has(name) ? evaluate(asking, name) : undefined);
      if (!isDeepStrictEqual(answer(entrypoint), decision)) {
        throw new CliError(
          `the module in \`${path}\` does not answer as the Rego beside it, so that explains nothing`,
          EXIT_USAGE,
          "build the bundle again; `portcullis verify` tells whether a signed one was changed",
        );
      }
      const explainer = new Explainer(index, { ...questions, isAsked: (n) => known.has(n) }, answer, { input, data });
      const explanation = explainer.explain(entrypoint);
      if (flags.format === "json") {
        const { decidedBy, steps } = explanation;
        const gates = steps.filter((s) => s.isGate);
        const report = {
          entrypoint,
          revision: policy.revision,
          decision,
          decided_by: decidedBy,
          gates,
          branches: steps,
        };
        terminal.out(`${JSON.stringify(report, null, 2)}\n`);
      } else print(terminal, decision, explanation, flags.all);
      const denied = isJsonObject(decision) && "allowed" in decision ? decision["allowed"] !== true : !decision;
      context.finish(flags.fail && denied ? EXIT_FINDINGS : EXIT_OK);
    });
}

function print(terminal: Terminal, decision: unknown, { decidedBy, steps }: Explanation, all: boolean): void {
  const { bold, dim } = terminal.paint;
  terminal.out(`${decision === undefined ? "undefined" : JSON.stringify(decision, null, 2)}\n\n`);
  const by =
    decidedBy === undefined ? "no rule: none of its branches has a value" : `${decidedBy.location} (${decidedBy.rule})`;
  terminal.out(`${bold("decided by")} ${by}\n\n`);
  const gates = steps.filter((s) => s.isGate);
  const branches = all || gates.length === 0;
  for (const step of branches ? steps : gates) {
    terminal.out(`${painted(terminal, step)} ${labelled(terminal, step)}  ${dim(step.location)}\n`);
    if (branches && step.status !== "not reached") {
      for (const { text, status } of step.conditions) terminal.out(`              ${conditionMark(status)} ${text}\n`);
    }
    for (const read of step.reads) terminal.out(dim(`              ${shown(read)}\n`));
  }
}

function labelled(terminal: Terminal, { gate, reason, text, status }: Step): string {
  if (gate === undefined) return text;
  const why = reason === undefined ? "" : ` ${status === "failed" ? reason : terminal.paint.dim(`(${reason})`)}`;
  return `${gate}${why}`;
}

function painted(terminal: Terminal, { status, isGate }: Step): string {
  const { red, green, dim } = terminal.paint;
  const word = (!isGate ? { held: "gave", failed: "passed by" } : { held: "held", failed: "FAILED" })[
    status as "held" | "failed"
  ];
  const padded = (word ?? "not reached").padEnd(12);
  if (status === "not reached") return dim(padded);
  return status === "held" ? green(padded) : isGate ? red(padded) : padded;
}

function conditionMark(status: Step["status"]): string {
  return { held: "holds:         ", failed: "does not hold: ", "not reached": "not asked:     " }[status];
}

/** Values as they fit into a line. */
function shown({ path, value }: Read): string {
  if (value === undefined) return `${path} is undefined`;
  const text = JSON.stringify(value);
  return `${path} = ${text.length <= 90 ? text : `${text.slice(0, 87)}...`}`;
}
