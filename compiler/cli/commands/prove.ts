/** `portcullis prove BUNDLE|DIR`: what holds for every question that a policy set can be asked, and claims of an author's own. */

import { type Command, Option } from "commander";
import { SourceFile } from "../../base/source-file.ts";
import { type Space, spacesOf } from "../../review/decision-space.ts";
import { hostDataPolicy } from "../../review/host-data-policy.ts";
import { policyIds, policyTables } from "../../review/policy-ids.ts";
import { type Claim, checkClaim, readClaims } from "../../review/prove/claims.ts";
import {
  allowsAreListed,
  moduleIsItsRego,
  nothingIsDenied,
  removalAllowsNothing,
  removalQuestions,
  unknownIsDenied,
} from "../../review/prove/properties.ts";
import type { Property } from "../../review/prove/property.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import type { Context } from "../main.ts";
import { openPolicyArgument } from "../policy-argument.ts";
import { progress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import { count, wholeNumber } from "./options.ts";
import { readText } from "./read.ts";

interface ProveFlags {
  readonly claims?: string;
  readonly limit: string;
  readonly removals: string;
  readonly format: "human" | "json";
}

export function registerProve(root: Command, context: Context): void {
  root
    .command("prove")
    .description(
      "prove that a policy denies by default, over every role, lane, tool, agent and agent type, and your own claims",
    )
    .argument("<policy>", "bundle.tar.gz, or a folder of sources, which is compiled first")
    .option("-c, --claims <file>", "YAML file with claims: what is never, and what is always allowed")
    .option("--limit <count>", "refuse to ask more questions than this for one property", "20000000")
    .option("--removals <count>", "questions to spend on taking grants away; grants are sampled beyond", "2000000")
    .addOption(new Option("--format <format>", "output format").choices(["human", "json"]).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis prove policies
  portcullis prove out/bundle.tar.gz --claims claims.yaml --format json

where claims.yaml is, for example,
  claims:
    - never: { decision: tool, role: WRITER, tool: [article.publish, article.retract] }
    - always: { decision: lane, role: WRITER, lane: DRAFTING }
      because: writers write
    - never: { decision: exec, input: { mode: newsroom, kind: inline } }
A claim is about lane (role, lane), tool (role, lane, tool), subagent (persona, subagent) or spawn (parent, child); what is left
out stands for every id that there is. With \`input\` it is about one request, of any decision or \`entrypoint\`.

The answers are those of the compiled policy. A request holds ids and nothing else: what rules of your own read beside them is
not varied, and handoff, exec and close, whose inputs are not finite, are only asked for nothing and by your claims.

Exit codes: 0 everything holds; 1 something does not, with counter-examples, or findings in the sources; 2 wrong usage, a
refused bundle, claims that cannot be read, too many questions.`,
    )
    .action(async (path: string, flags: ProveFlags) => {
      const [limit, removals] = [wholeNumber("--limit", flags.limit), wholeNumber("--removals", flags.removals)];
      const opened = await openPolicyArgument(context.terminal, path);
      if (opened === undefined) return context.finish(EXIT_FINDINGS);
      const { policy } = opened;
      const tables = policyTables(opened.data);
      if (tables === undefined && flags.claims === undefined)
        throw new CliError(
          `\`${path}\` holds no policy set`,
          EXIT_USAGE,
          "for Rego of your own, state claims with `--claims`",
        );
      const spaces = spacesOf(policyIds(tables ?? {}));
      const total = spaces.reduce((sum, s) => sum + s.size, 0);
      if (total > limit) {
        throw new CliError(
          `there are ${count(total, "question")} to ask, more than the limit of ${limit}`,
          EXIT_USAGE,
          "`--limit` raises it; a million questions take about a second",
        );
      }
      const claims =
        flags.claims === undefined
          ? []
          : readClaims(new SourceFile(flags.claims, await readText(context.terminal, flags.claims)), spaces, policy);
      const properties: Property[] = [];
      if (tables !== undefined) {
        const rego = await hostDataPolicy(opened, path);
        const work = 2 * total + Math.min(removals, removalQuestions(tables, spaces));
        const bar = progress(context.terminal, "proving", work);
        properties.push(
          nothingIsDenied(policy),
          unknownIsDenied(policy, spaces, () => {}),
        );
        properties.push(...spaces.map((space) => allowsAreListed(opened, tables, space, bar.step)));
        properties.push(moduleIsItsRego(policy, rego, spaces, bar.step));
        properties.push(removalAllowsNothing(opened, rego, tables, spaces, removals, bar.step));
        bar.end();
      }
      properties.push(...claims.map((claim) => checkClaim(policy, claim, () => {})));
      print(context.terminal, flags.format, properties, spaces, claims);
      context.finish(properties.every((p) => p.counterexamples.length === 0) ? EXIT_OK : EXIT_FINDINGS);
    });
}

function print(
  terminal: Terminal,
  format: ProveFlags["format"],
  properties: readonly Property[],
  spaces: readonly Space[],
  claims: readonly Claim[],
): void {
  const failed = properties.filter((p) => p.counterexamples.length > 0).length;
  if (format === "json") {
    const enumerated = Object.fromEntries(spaces.map((s) => [s.name, s.size]));
    const listed = properties.map((p) => ({ ...p, holds: p.counterexamples.length === 0 }));
    terminal.out(`${JSON.stringify({ ok: failed === 0, enumerated, properties: listed }, null, 2)}\n`);
    return;
  }
  const { red, green, dim } = terminal.paint;
  for (const { name, asked, sampled, counterexamples } of properties) {
    const holds = counterexamples.length === 0;
    const notes = dim(`(${count(asked, "question")}${sampled === undefined ? "" : `, sampled: ${sampled}`})`);
    terminal.out(`${holds ? green("holds") : red("FAILS")}  ${name} ${notes}\n`);
    for (const { request, answer, why } of counterexamples) {
      const said = answer === undefined ? "" : ` ${answer.gate} ${answer.reason}:`;
      terminal.out(`       ${JSON.stringify(request)}:${said} ${why}\n`);
    }
  }
  for (const { name, size, says } of spaces)
    terminal.out(dim(`asked of ${name}: ${says} (${size.toLocaleString("en-US")})\n`));
  const own = claims.length === 0 ? "" : `, ${count(claims.length, "claim")} of your own among them`;
  terminal.out(
    `${properties.length - failed} of ${count(properties.length, "property").replace("propertys", "properties")} hold${own}\n`,
  );
}
