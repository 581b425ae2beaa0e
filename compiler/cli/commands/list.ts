/** `portcullis list BUNDLE|DIR`: what a policy set grants, and to whom. */

import { listGrants, UsedGrants } from "@portcullis/governance/review";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { EXIT_FINDINGS, EXIT_OK, orFail } from "../exit.ts";
import { logChunks } from "../log-chunks.ts";
import { warnOfForeignModule } from "../policy/foreign-module.ts";
import { openPolicyArgument } from "../policy/policy-argument.ts";
import { progress } from "../progress.ts";
import { printGrants, printUnused } from "../render/grants.ts";
import { collect, formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";

interface ListFlags {
  readonly role?: string;
  readonly tool?: string;
  readonly agent?: string;
  readonly unused: readonly string[];
  readonly format: HumanOrJson;
}

export function registerList(root: Command, context: Context): void {
  root
    .command("list")
    .description("list what a policy grants: roles by lane and tool, personas and their delegates, who may start whom")
    .argument("<policy>", "bundle.tar.gz, or a folder of sources, which is compiled first")
    .option("--role <role>", "only what is granted to this role")
    .option("--tool <tool>", "only who may call this tool, and where: roles in lanes, and agent types by their chains")
    .option(
      "--agent <agent>",
      "only what concerns this persona, subagent or agent type: of a type the tools that it may be given, by which chains",
    )
    .option("--unused <log>", "only what no allowed decision of this log used (may be repeated)", collect, [])
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis list policies
  portcullis list out/bundle.tar.gz --tool article.publish
  portcullis list policies --agent NEWS_DESK --format json
  portcullis list policies --unused ledger.jsonl --unused old.jsonl.gz

Every line is an answer of the compiled policy. A tool that rules of your own deny to a request that says nothing more is
listed with their gate; which need an approval, and whose, stands in a table of its own. Chains begin with agent types that no
other starts; the shortest from each is shown. What a call needs besides - scope, writes - is not listed: \`portcullis explain\` tells it for one call.

Exit codes: 0 listed; 1 findings in the sources; 2 wrong usage, an id that the policy does not have, a refused bundle.`,
    )
    .action(async (path: string, { format, unused, ...filter }: ListFlags) => {
      const opened = await openPolicyArgument(context.terminal, path, { format });
      if (opened === undefined) return context.finish(EXIT_FINDINGS);
      await warnOfForeignModule(context.terminal, opened);
      const bar = progress(context.terminal, "asking");
      const grants = listGrants(opened, { ...filter, watch: bar.watch });
      bar.end();
      const all = orFail(grants);
      if (unused.length === 0) printGrants(context.terminal, format, all);
      else printUnused(context.terminal, format, all, await usedGrants(unused));
      context.finish(EXIT_OK);
    });
}

async function usedGrants(logs: readonly string[]): Promise<UsedGrants> {
  const used = new UsedGrants();
  for (const log of logs) for await (const { lines } of logChunks(log)) for (const line of lines) used.line(line);
  return used;
}
