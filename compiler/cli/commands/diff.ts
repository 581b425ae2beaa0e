/** `portcullis diff BEFORE AFTER`: the differences between two policies, of decisions first, of text second. */

import { type ChangeKind, diffPolicies, isProved, type PolicyDiff, proveNoMore } from "@portcullis/governance/review";
import { unreachable } from "@portcullis/rego/diagnostics";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, orFail } from "../exit.ts";
import { openPolicyArguments } from "../policy/policy-argument.ts";
import { progress } from "../progress.ts";
import { type DiffFormat, printDiff, SHOWN } from "../render/diff.ts";
import { findSolver } from "../solver.ts";
import { POLICY_FORMAT, wholeNumber } from "./options.ts";

const FAIL_ON = ["unknown", "allow", "deny", "reason", "any", "nothing"] as const;

interface DiffFlags {
  readonly failOn: (typeof FAIL_ON)[number];
  readonly acceptUnknown: boolean;
  readonly limit: string;
  readonly all: boolean;
  readonly prove: boolean;
  readonly format: DiffFormat;
}

export function registerDiff(root: Command, context: Context): void {
  root
    .command("diff")
    .description("show which decisions changed between two policies, over every role, lane, tool, agent and agent type")
    .argument("<before>", "bundle.tar.gz, or a folder of sources, which is compiled first")
    .argument("<after>", "the same")
    .addOption(
      new Option(
        "--fail-on <change>",
        "exit 1 when a decision is newly allowed (allow), newly denied (deny), or denied for another reason (reason); any: one of these; each of them, and unknown: when a difference may allow more and no question shows it",
      )
        .choices(FAIL_ON)
        .default("unknown"),
    )
    .option("--accept-unknown", "differences that no question shows are no failure: you have read them", false)
    .option("--limit <count>", "refuse to ask more questions than this", "20000000")
    .option("--all", `list every change (default: ${SHOWN} of each kind)`, false)
    .option(
      "--prove",
      "prove that lane, tool and call allow no request that they denied, by z3; exit 1 where that is not so",
      false,
    )
    .addOption(new Option("--format <format>", POLICY_FORMAT).choices(["human", "json", "github"]).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis diff main/policies policies
  portcullis diff released/bundle.tar.gz policies --fail-on allow --format github      # in CI

Both policies answer every question: role x lane, role x lane x tool, persona x subagent (in a turn that is
enabled, sealed and approved), agent type x agent type. Where data or Rego differ, requests with scope, flags, writes,
arguments, approvals, earlier calls, chains, scripts and records are asked besides, and those that changed rules of yours
read; where rules of yours deny all calls of a tool, one that meets them is looked for. What approvals, arguments and limits
say otherwise is told in words. A difference of which no question shows what it
does is listed as unknown: a rule that was removed or changed is one, and what hosts read - keys of approvers, windows and
keys of limits - unless it is known to deny more; and so is a newer bundle's module that is not what its Rego and data make
here. An approval that a request shows was given under the policy that is asked,
and verified. Comments and layout are no differences, and a further \`deny\` rule can only deny where no rule of yours reads it.

Exit codes: 0 compared; 1 a change that --fail-on names, something unknown, or with --prove what is not proved; 2 nothing was
compared: wrong usage, findings in the sources, a refused bundle, too many questions.`,
    )
    .action(async (beforePath: string, afterPath: string, flags: DiffFlags) => {
      const limit = wholeNumber("--limit", flags.limit);
      const opened = await openPolicyArguments(context.terminal, [beforePath, afterPath], flags);
      const [before, after] = opened ?? [];
      // Not 1: a pipeline reads that as a change, and this says nothing of changes.
      if (before === undefined || after === undefined) return context.finish(EXIT_USAGE);
      const bar = progress(context.terminal, "comparing decisions");
      const result = await diffPolicies(before, after, { limit, watch: bar.watch });
      bar.end();
      const help = "`--limit` raises it; a million questions take about two seconds";
      const diff = orFail(result, { help: { "too-many-questions": help } });
      const solver = flags.prove ? await findSolver(process.cwd()) : undefined;
      const proofs = solver === undefined ? [] : orFail(await proveNoMore(before, after, solver));
      printDiff(context.terminal, flags, diff, proofs);
      context.finish(fails(flags, diff) || !proofs.every(isProved) ? EXIT_FINDINGS : EXIT_OK);
    });
}

function fails({ failOn, acceptUnknown }: DiffFlags, { changes, found, unseen }: PolicyDiff): boolean {
  if (failOn === "nothing") return false;
  if (unseen.length > 0 && !acceptUnknown) return true;
  const kinds = new Set<ChangeKind>([...changes, ...found].map((c) => c.kind));
  switch (failOn) {
    case "unknown":
      return false;
    case "any":
      return kinds.size > 0;
    case "allow":
      return kinds.has("newly-allowed");
    case "deny":
      return kinds.has("newly-denied");
    case "reason":
      return kinds.has("changed-reason");
    default:
      return unreachable(failOn);
  }
}
