/** `portcullis list BUNDLE|DIR`: what a policy set grants, and to whom. */

import { listGrants } from "@portcullis/governance/review";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { EXIT_FINDINGS, EXIT_OK, orFail } from "../exit.ts";
import { openPolicyArgument } from "../policy/policy-argument.ts";
import { progress } from "../progress.ts";
import { printGrants } from "../render/grants.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";

interface ListFlags {
  readonly role?: string;
  readonly tool?: string;
  readonly agent?: string;
  readonly format: HumanOrJson;
}

export function registerList(root: Command, context: Context): void {
  root
    .command("list")
    .description("list what a policy grants: roles by lane and tool, personas and their delegates, who may start whom")
    .argument("<policy>", "bundle.tar.gz, or a folder of sources, which is compiled first")
    .option("--role <role>", "only what is granted to this role")
    .option("--tool <tool>", "only who may call this tool, and where")
    .option("--agent <agent>", "only what concerns this persona, subagent or agent type")
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis list policies
  portcullis list out/bundle.tar.gz --tool article.publish
  portcullis list policies --agent NEWS_DESK --format json

Every line is an answer of the compiled policy. A tool that rules of your own deny to a request that says nothing more is
listed with their gate. What a call needs besides - scope, writes, an approval, a chain of agents - is not listed:
\`portcullis explain\` tells it for one call.

Exit codes: 0 listed; 1 findings in the sources; 2 wrong usage, an id that the policy does not have, a refused bundle.`,
    )
    .action(async (path: string, { format, ...filter }: ListFlags) => {
      const opened = await openPolicyArgument(context.terminal, path, { format });
      if (opened === undefined) return context.finish(EXIT_FINDINGS);
      const bar = progress(context.terminal, "asking");
      const grants = listGrants(opened, { ...filter, watch: bar.watch });
      bar.end();
      printGrants(context.terminal, format, orFail(grants));
      context.finish(EXIT_OK);
    });
}
