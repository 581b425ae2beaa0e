/** `portcullis exec close`: do the changes lie inside the declaration? The exit code blocks the commit. */

import type { CloseDecision } from "@portcullis/runtime";
import type { Command } from "commander";
import { Option } from "commander";
import {
  closeFacts,
  type PayloadVersion,
  SESSION_SECRET,
  type Signatory,
  sessionSecret,
} from "../../execution/index.ts";
import type { Context } from "../context.ts";
import { CONTRACT_FORMAT, payloadOption, readContract, warnOfPayload } from "../contract.ts";
import { EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { policyOrLibrary } from "../policy/library-policy.ts";
import { printableLine } from "../printer.ts";
import type { Terminal } from "../terminal.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";

interface CloseFlags {
  readonly contract: string;
  readonly policy?: string;
  readonly payload: PayloadVersion;
  readonly unsigned: boolean;
  readonly format: HumanOrJson;
}

export function registerExecClose(exec: Command, context: Context): void {
  exec
    .command("close")
    .description("reconcile the changes of the git repository since the baseline with the declaration of the contract")
    .requiredOption("--contract <file>", "the contract file")
    .option("--policy <path>", "bundle, or folder of sources (default: the built-in decision alone)")
    .addOption(payloadOption())
    .addOption(
      new Option("--unsigned", "do not ask for the contract's signature and expiry")
        .default(false)
        .conflicts("payload"),
    )
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis exec close --contract c-104.json && git commit
  portcullis exec close --contract c-104.json --policy policies --format json

The contract must carry this session's signature (the secret is read from ${SESSION_SECRET}) and must not have
expired when the last commit was made. With --unsigned neither is asked, and that is said aloud: then the declaration is
whatever the file says now.

A path is changed if it differs between baseline_sha and HEAD, the index, or the work tree, byte by byte, or is untracked.
What was done to it is CREATE, WRITE, DELETE, MODE, or RENAME: a rename is the very same content under another path, counts
for both paths, and a symbolic link counts as its own path and its target. A path is ignored if the .gitignore files of the
baseline say so; .git/info/exclude and a user's own rules do not count. Nothing converts what the disk holds, so a file
under a filter (as with Git LFS, or with other ends of lines) counts as changed; so does one that a sparse checkout leaves
out. A submodule is one path; what is called .git below the top is one, too. Every object of git is hashed before it is
believed.

${CONTRACT_FORMAT}

Closing a contract is never refused; the exit code blocks the commit.
Exit codes: 0 reconciled; 1 the commit is blocked, or findings in the sources; 2 wrong usage, unreadable files, a refused bundle.`,
    )
    .action(async (flags: CloseFlags) => {
      const { terminal } = context;
      const contract = readContract(flags.contract);
      const policy = await policyOrLibrary(terminal, flags.policy, flags);
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      const warn = (message: string): void =>
        terminal.err(`${terminal.paint.yellow("warning:")} ${printableLine(message)}\n`);
      const { request, warnings } = closeFacts(contract, signatoryOr(flags, warn));
      if (!flags.unsigned) warnOfPayload(terminal, flags.payload);
      warnings.forEach(warn);
      const decision = policy.close(request);
      if (flags.format === "json") terminal.out(`${JSON.stringify(decision, null, 2)}\n`);
      else print(terminal, decision);
      // A fault's denial has no `commit_blocked`.
      context.finish(decision.allowed === true && decision.commit_blocked === false ? EXIT_OK : EXIT_FINDINGS);
    });
}

function signatoryOr({ unsigned, payload }: CloseFlags, warn: (message: string) => void): Signatory | "unsigned" {
  if (unsigned) {
    warn("nobody asks who signed the contract, or when it expired: its declaration is whatever the file says now");
    return "unsigned";
  }
  const secret = sessionSecret(process.env);
  if (secret === undefined)
    warn(`no valid session secret in \`${SESSION_SECRET}\`, so no signature counts; \`--unsigned\` closes without one`);
  return { secret, payload };
}

function print(terminal: Terminal, decision: CloseDecision): void {
  const { red, green } = terminal.paint;
  const verdict = decision.allowed === true ? green("reconciled") : red("commit blocked");
  terminal.out(`${verdict} ${decision.code ?? ""} ${decision.gate} ${printableLine(decision.reason)}\n`);
  for (const path of decision.undeclared ?? []) terminal.out(`  ${JSON.stringify(path)}\n`);
  for (const { path, operation } of "operations" in decision ? decision.operations : []) {
    terminal.out(`  ${printableLine(operation ?? "unknown operation")} ${JSON.stringify(path)}\n`);
  }
}
