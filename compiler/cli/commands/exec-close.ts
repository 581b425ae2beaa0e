/** `portcullis exec close`: do the changes lie inside the declaration? The exit code blocks the commit. */

import {
  type CloseFacts,
  type CommitOptions,
  closeFacts,
  commitJudged,
  GitError,
  type PayloadVersion,
  SESSION_SECRET,
  type Signatory,
  sessionSecret,
} from "@portcullis/enforcement/execution";
import type { CloseDecision } from "@portcullis/runtime";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CONTRACT_FORMAT, payloadOption, readContract, warnOfPayload } from "../contract.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { DATA_FLAG } from "../host-data.ts";
import { policyOrLibrary } from "../policy/library-policy.ts";
import { printableLine } from "../printer.ts";
import type { Terminal } from "../terminal.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";

interface CloseFlags {
  readonly contract: string;
  readonly policy?: string;
  readonly data?: string;
  readonly payload: PayloadVersion;
  readonly unsigned: boolean;
  readonly commit?: string;
  readonly sign: boolean;
  readonly format: HumanOrJson;
}

export function registerExecClose(exec: Command, context: Context): void {
  exec
    .command("close")
    .description("reconcile the changes of the git repository since the baseline with the declaration of the contract")
    .requiredOption("--contract <file>", "the contract file")
    .option("--policy <path>", "bundle, or folder of sources (default: the built-in decision alone)")
    .option(...DATA_FLAG)
    .addOption(payloadOption())
    .addOption(
      new Option("--unsigned", "do not ask for the contract's signature and expiry")
        .default(false)
        .conflicts("payload"),
    )
    .option("--commit <message>", "commit what is staged, if all is reconciled: exactly what was judged, without hooks")
    .option("--sign", "sign the commit with the key of your own git configuration", false)
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis exec close --contract c-104.json
  portcullis exec close --contract c-104.json --policy policies --commit "Spring menu"

The contract must carry this session's signature (the secret is read from ${SESSION_SECRET}) and must not have
expired when the last commit was made, or, with --commit, by now. With --unsigned neither is asked, and that is said aloud:
then the declaration is whatever the file says now.

A path is changed if it differs between baseline_sha and HEAD, the index, or the work tree, byte by byte, or is untracked.
What was done to it is CREATE, WRITE, DELETE, MODE, or RENAME: a rename is the very same content under another path, counts
for both paths, and a symbolic link counts as its own path and its target. A path is ignored if the .gitignore files of the
baseline say so; .git/info/exclude and a user's own rules do not count. Nothing converts what the disk holds, so a file
under a filter (as with Git LFS, or with other ends of lines) counts as changed. A submodule is one path; what is called
.git below the top is one, too. Every object of git is hashed before it is believed.

What git could read in two ways is refused: a linked work tree, a .git that is not a folder, HEAD on no branch, a state that a
merge, a rebase or the like left, flags and extensions of the index (a sparse checkout, a split index, a file system
monitor, git add -N), a contract_root behind a link, a repository inside another with the same commit. So is an environment
(GIT_DIR, GIT_INDEX_FILE and the like) and a core.worktree that lead git to other places than are judged; an index that git
makes for one commit is judged with the repository's own, and no other variable of git's has a say.

With --commit the tree, the commit and the branch are written from the bytes that were judged: the entries of the index, on
the commit that was checked out. Nothing is committed if the branch has moved. No hook runs, and nothing of the repository's
configuration counts; the author is who your own git configuration, or GIT_AUTHOR_NAME and the like, says.
\`git commit\` instead runs the hooks that lie in the git folder by then, and commits what is in the index by then.

${CONTRACT_FORMAT}

Closing a contract is never refused; the exit code blocks the commit.
Exit codes: 0 reconciled, and committed if asked; 1 the commit is blocked, or findings in the sources; 2 wrong usage, unreadable files, a refused bundle.`,
    )
    .action(async (flags: CloseFlags) => {
      const { terminal } = context;
      const contract = readContract(flags.contract);
      const policy = await policyOrLibrary(terminal, flags.policy, flags);
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      const warn = (message: string): void =>
        void terminal.err(`${terminal.paint.yellow("warning:")} ${printableLine(message)}\n`);
      const message = messageOf(flags);
      const facts = closeFacts(contract, signatoryOr(flags, warn), { isCommitting: message !== undefined });
      if (!flags.unsigned) warnOfPayload(terminal, flags.payload);
      facts.warnings.forEach(warn);
      const decision = policy.close(facts.request);
      // A fault's denial has no `commit_blocked`.
      const isReconciled = decision.allowed === true && decision.commit_blocked === false;
      const commit =
        isReconciled && message !== undefined ? committed(facts, { message, isSigned: flags.sign }) : undefined;
      if (flags.format === "json") terminal.out(`${JSON.stringify({ ...decision, ...commit }, null, 2)}\n`);
      else print(terminal, decision);
      if (commit !== undefined && flags.format === "human") terminal.out(`committed ${commit.commit}\n`);
      context.finish(isReconciled ? EXIT_OK : EXIT_FINDINGS);
    });
}

/** Throws CliError for a message that says nothing, and for a signature of no commit. */
function messageOf({ commit, sign }: CloseFlags): string | undefined {
  if (commit === undefined && sign) throw new CliError("`--sign` signs what `--commit` commits");
  if (commit?.trim() === "") throw new CliError("`--commit` needs a message");
  return commit;
}

/** Throws CliError: what was reconciled is not committed. */
function committed({ judged }: CloseFacts, options: CommitOptions): { readonly commit: string } {
  try {
    if (judged === undefined) throw new GitError("nothing is known of the repository");
    return { commit: commitJudged(judged, options) };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new CliError(`reconciled, and not committed: ${error.message}`, EXIT_FINDINGS);
  }
}

function signatoryOr({ unsigned, payload }: CloseFlags, warn: (message: string) => void): Signatory | "unsigned" {
  if (unsigned) {
    warn("the contract's signature and expiry are not checked: its declaration is whatever the file says now");
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
