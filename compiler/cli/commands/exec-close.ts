/** `portcullis exec close`: does what changed lie inside what was declared? The exit code is what blocks the commit. */

import { isAbsolute, relative, sep } from "node:path";
import type { CloseDecision, CloseRequest } from "@portcullis/runtime";
import type { Command } from "commander";
import { Option } from "commander";
import { changedFiles } from "../../execution/changed-files.ts";
import { CONTRACT_FORMAT, type ContractFile, readContract } from "../../execution/contract.ts";
import { liesIn, policyPath, realPath } from "../../execution/real-path.ts";
import { EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { policyOrLibrary } from "../library-policy.ts";
import type { Context } from "../main.ts";
import type { Terminal } from "../terminal.ts";

interface CloseFlags {
  readonly contract: string;
  readonly policy?: string;
  readonly format: "human" | "json";
}

export function registerExecClose(exec: Command, context: Context): void {
  exec
    .command("close")
    .description("reconcile what changed in the git repository since the baseline with what the contract declared")
    .requiredOption("--contract <file>", "the contract file")
    .option("--policy <path>", "bundle, or folder of sources (default: the built-in decision alone)")
    .addOption(new Option("--format <format>", "output format").choices(["human", "json"]).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis exec close --contract c-104.json && git commit
  portcullis exec close --contract c-104.json --policy policies --format json

Changed is what differs between baseline_sha and HEAD, HEAD and the index, HEAD and the work tree (by content), and every
untracked file. A rename counts as both paths, a symbolic link as its place and its target. What is ignored is what the
.gitignore files of the baseline say; .git/info/exclude and a user's own rules do not count, nor do clean filters, so a file
under one (as with Git LFS) counts as changed, and so does one that a sparse checkout leaves out. A submodule is one path.

${CONTRACT_FORMAT}

Closing a contract is never refused; the exit code blocks the commit.
Exit codes: 0 reconciled; 1 the commit is blocked, or findings in the sources; 2 wrong usage, unreadable files, a refused bundle.`,
    )
    .action(async (flags: CloseFlags) => {
      const { terminal } = context;
      const contract = readContract(flags.contract);
      const policy = await policyOrLibrary(terminal, flags.policy);
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      const decision = policy.close(collectFacts(terminal, contract));
      if (flags.format === "json") terminal.out(`${JSON.stringify(decision, null, 2)}\n`);
      else print(terminal, decision);
      // A fault's denial has no `commit_blocked`.
      context.finish(decision.allowed === true && decision.commit_blocked === false ? EXIT_OK : EXIT_FINDINGS);
    });
}

function collectFacts(terminal: Terminal, contract: ContractFile): CloseRequest {
  const { baseline_sha, contract_root, declared_targets } = contract;
  const root = typeof contract_root === "string" && isAbsolute(contract_root) ? realPath(contract_root) : undefined;
  const facts = {
    baseline_sha: baseline_sha ?? null,
    contract_root: root === undefined ? contract_root : policyPath(root),
    declared_targets: targetsBelow(contract_root, declared_targets),
    changed_files: changesOr(terminal, root, baseline_sha),
  };
  // The policy holds every field to its type.
  return facts as CloseRequest;
}

/** `null` when it cannot be told what changed; why goes to the terminal. */
function changesOr(terminal: Terminal, root: string | undefined, baseline: unknown): CloseRequest["changed_files"] {
  const warn = (message: string): null => {
    terminal.err(`${terminal.paint.yellow("warning:")} ${message}\n`);
    return null;
  };
  if (typeof baseline !== "string") return null;
  if (root === undefined) return warn("`contract_root` is no absolute path of a folder that exists");
  try {
    return changedFiles(root, baseline);
  } catch (error) {
    // Whatever it was: git, or a disk that is full.
    return warn(`cannot tell what changed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Targets below the contract root as it is written, relative to it: the root may be reached by a link. Targets themselves are
 * not resolved: a link that came into their place since would declare something else.
 */
function targetsBelow(root: unknown, targets: unknown): unknown {
  if (typeof root !== "string" || !Array.isArray(targets)) return targets;
  return targets.map((target: unknown) => {
    if (typeof target !== "string") return target;
    if (!isAbsolute(target)) return sep === "\\" ? target.replaceAll("\\", "/") : target;
    if (target.split(sep).includes("..") || !liesIn(target, root)) return policyPath(target);
    const below = relative(root, target);
    return below === "" ? "." : policyPath(below).slice(1);
  });
}

function print(terminal: Terminal, decision: CloseDecision): void {
  const { red, green } = terminal.paint;
  const verdict = decision.allowed === true ? green("reconciled") : red("commit blocked");
  terminal.out(`${verdict} ${decision.code ?? ""} ${decision.gate} ${decision.reason}\n`);
  for (const path of decision.undeclared ?? []) terminal.out(`  ${JSON.stringify(path)}\n`);
}
