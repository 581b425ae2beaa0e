/** `portcullis exec close`: do the changes lie inside the declaration? The exit code blocks the commit. */

import type { CloseDecision } from "@portcullis/runtime";
import type { Command } from "commander";
import { Option } from "commander";
import { closeFacts } from "../../execution/index.ts";
import type { Context } from "../context.ts";
import { CONTRACT_FORMAT, readContract } from "../contract.ts";
import { EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { policyOrLibrary } from "../library-policy.ts";
import type { Terminal } from "../terminal.ts";

interface CloseFlags {
  readonly contract: string;
  readonly policy?: string;
  readonly format: "human" | "json";
}

export function registerExecClose(exec: Command, context: Context): void {
  exec
    .command("close")
    .description("reconcile the changes of the git repository since the baseline with the declaration of the contract")
    .requiredOption("--contract <file>", "the contract file")
    .option("--policy <path>", "bundle, or folder of sources (default: the built-in decision alone)")
    .addOption(new Option("--format <format>", "output format").choices(["human", "json"]).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis exec close --contract c-104.json && git commit
  portcullis exec close --contract c-104.json --policy policies --format json

A path is changed if it differs between baseline_sha and HEAD, HEAD and the index, or HEAD and the work tree (by content), or
is untracked. A rename counts as both paths, a symbolic link as its own path and its target. A path is ignored if the
.gitignore files of the baseline say so; .git/info/exclude and a user's own rules do not count. Clean filters do not run, so a
file under one (as with Git LFS) counts as changed; so does one that a sparse checkout leaves out. A submodule is one path.

${CONTRACT_FORMAT}

Closing a contract is never refused; the exit code blocks the commit.
Exit codes: 0 reconciled; 1 the commit is blocked, or findings in the sources; 2 wrong usage, unreadable files, a refused bundle.`,
    )
    .action(async (flags: CloseFlags) => {
      const { terminal } = context;
      const contract = readContract(flags.contract);
      const policy = await policyOrLibrary(terminal, flags.policy);
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      const { request, warnings } = closeFacts(contract);
      for (const message of warnings) terminal.err(`${terminal.paint.yellow("warning:")} ${message}\n`);
      const decision = policy.close(request);
      if (flags.format === "json") terminal.out(`${JSON.stringify(decision, null, 2)}\n`);
      else print(terminal, decision);
      // A fault's denial has no `commit_blocked`.
      context.finish(decision.allowed === true && decision.commit_blocked === false ? EXIT_OK : EXIT_FINDINGS);
    });
}

function print(terminal: Terminal, decision: CloseDecision): void {
  const { red, green } = terminal.paint;
  const verdict = decision.allowed === true ? green("reconciled") : red("commit blocked");
  terminal.out(`${verdict} ${decision.code ?? ""} ${decision.gate} ${decision.reason}\n`);
  for (const path of decision.undeclared ?? []) terminal.out(`  ${JSON.stringify(path)}\n`);
}
