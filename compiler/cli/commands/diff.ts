/** `portcullis diff BEFORE AFTER`: what a change of policy changes, as decisions first and as text second. */

import { type Command, Option } from "commander";
import { type Space, spacesOf } from "../../review/decision-space.ts";
import { type ContentChange, compareContents } from "../../review/diff/contents.ts";
import { CHANGE_KINDS, type Change, type ChangeKind, compareDecisions, unionOf } from "../../review/diff/decisions.ts";
import { policyIds, policyTables } from "../../review/policy-ids.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import type { Context } from "../main.ts";
import { openPolicyArgument } from "../policy-argument.ts";
import { progress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import { count, wholeNumber } from "./options.ts";

const FAIL_ON = ["allow", "deny", "reason", "any"] as const;

interface DiffFlags {
  readonly failOn?: (typeof FAIL_ON)[number];
  readonly limit: string;
  readonly all: boolean;
  readonly format: "human" | "json" | "github";
}

/** How many changes of a kind people are shown without `--all`. */
const SHOWN = 20;

export function registerDiff(root: Command, context: Context): void {
  root
    .command("diff")
    .description("show which decisions changed between two policies, over every role, lane, tool, agent and agent type")
    .argument("<before>", "bundle.tar.gz, or a folder of sources, which is compiled first")
    .argument("<after>", "the same")
    .addOption(
      new Option(
        "--fail-on <what>",
        "exit 1 when something is newly allowed, newly denied, has another reason, or any",
      ).choices(FAIL_ON),
    )
    .option("--limit <count>", "refuse to ask more questions than this", "20000000")
    .option("--all", `list every change (default: ${SHOWN} of each kind)`, false)
    .addOption(new Option("--format <format>", "output format").choices(["human", "json", "github"]).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis diff main/policies policies
  portcullis diff released/bundle.tar.gz policies --fail-on allow --format github      # in CI

Both policies are asked every question there is: role x lane, role x lane x tool, persona x subagent (in a turn that is
enabled, sealed and approved), agent type x agent type. A request holds these ids and nothing else: what rules of your own read
beside them, and the decisions on handoff, exec and close, show as differences of data and Rego.

Exit codes: 0 compared; 1 a change that --fail-on names, or findings in the sources; 2 wrong usage, a refused bundle, too many
questions.`,
    )
    .action(async (beforePath: string, afterPath: string, flags: DiffFlags) => {
      const limit = wholeNumber("--limit", flags.limit);
      const before = await openPolicyArgument(context.terminal, beforePath);
      const after = await openPolicyArgument(context.terminal, afterPath);
      if (before === undefined || after === undefined) return context.finish(EXIT_FINDINGS);
      const ids = unionOf(...([before, after].map((p) => policyIds(policyTables(p.data) ?? {})) as [never, never]));
      const spaces = spacesOf(ids);
      const total = spaces.reduce((sum, space) => sum + space.size, 0);
      if (total > limit) {
        throw new CliError(
          `these policies have ${count(total, "question")}, more than the limit of ${limit}`,
          EXIT_USAGE,
          "`--limit` raises it; a million questions take about two seconds",
        );
      }
      const bar = progress(context.terminal, "comparing decisions", total);
      const changes = spaces.flatMap((space) => compareDecisions(space, before.policy, after.policy, bar.step));
      bar.end();
      const contents = compareContents(before, after);
      print(context.terminal, flags, spaces, changes, contents);
      context.finish(fails(flags.failOn, changes) ? EXIT_FINDINGS : EXIT_OK);
    });
}

function fails(failOn: DiffFlags["failOn"], changes: readonly Change[]): boolean {
  switch (failOn) {
    case undefined:
      return false;
    case "any":
      return changes.length > 0;
    case "allow":
      return changes.some((c) => c.kind === "newly-allowed");
    case "deny":
      return changes.some((c) => c.kind === "newly-denied");
    case "reason":
      return changes.some((c) => c.kind === "changed-reason");
    default:
      return failOn satisfies never;
  }
}

function print(
  terminal: Terminal,
  flags: DiffFlags,
  spaces: readonly Space[],
  changes: readonly Change[],
  contents: readonly ContentChange[],
): void {
  const of = (kind: ChangeKind): Change[] => changes.filter((c) => c.kind === kind);
  switch (flags.format) {
    case "json": {
      const asked = Object.fromEntries(spaces.map((s) => [s.name, s.size]));
      const counts = Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, of(kind).length]));
      terminal.out(`${JSON.stringify({ asked, counts, changes, contents }, null, 2)}\n`);
      return;
    }
    case "github":
      for (const change of changes.filter((c) => c.kind !== "changed-reason")) {
        const level = change.kind === "newly-allowed" ? "warning" : "notice";
        terminal.out(`::${level} title=${change.kind}::${escapeGithub(describe(change))}\n`);
      }
      terminal.out(`${summary(spaces, changes, contents)}\n`);
      return;
    case "human":
      for (const kind of CHANGE_KINDS) printKind(terminal, kind, of(kind), flags.all);
      printContents(terminal, contents, flags.all);
      terminal.out(`${summary(spaces, changes, contents)}\n`);
      return;
    default:
      flags.format satisfies never;
  }
}

function printKind(terminal: Terminal, kind: ChangeKind, changes: readonly Change[], all: boolean): void {
  if (changes.length === 0) return;
  const { red, green, yellow, dim } = terminal.paint;
  const paint = { "newly-allowed": green, "newly-denied": red, "changed-reason": yellow }[kind];
  terminal.out(`${paint(kind.replace("-", " "))} (${changes.length})\n`);
  for (const change of all ? changes : changes.slice(0, SHOWN)) terminal.out(`  ${describe(change)}\n`);
  if (!all && changes.length > SHOWN)
    terminal.out(dim(`  and ${changes.length - SHOWN} more (\`--all\` lists them)\n`));
}

function describe({ space, request, before, after }: Change): string {
  const asked = Object.entries(request).map(([axis, id]) => `${axis}=${id}`);
  const said = ({ gate, reason }: Change["before"]): string => `${gate} ${reason}`;
  return `${space} ${asked.join(" ")}: ${said(before)} -> ${said(after)}`;
}

function printContents(terminal: Terminal, contents: readonly ContentChange[], all: boolean): void {
  if (contents.length === 0) return;
  const { bold, dim } = terminal.paint;
  terminal.out(`${bold("in the bundles")} (${contents.length})\n`);
  const sign = { added: "+", removed: "-", changed: "~" };
  for (const { part, kind, path, before, after } of all ? contents : contents.slice(0, SHOWN)) {
    const values = [before, after].filter((v) => v !== undefined).join(" -> ");
    terminal.out(
      `  ${sign[kind]} ${part === "data" ? "" : `${part} `}${path}${values === "" ? "" : dim(` ${values}`)}\n`,
    );
  }
  if (!all && contents.length > SHOWN)
    terminal.out(dim(`  and ${contents.length - SHOWN} more (\`--all\` lists them)\n`));
}

function summary(spaces: readonly Space[], changes: readonly Change[], contents: readonly ContentChange[]): string {
  const asked = spaces.reduce((sum, s) => sum + s.size, 0);
  const kinds = CHANGE_KINDS.map(
    (kind) => `${changes.filter((c) => c.kind === kind).length} ${kind.replace("-", " ")}`,
  );
  return `${count(asked, "decision")} compared: ${kinds.join(", ")}; ${count(contents.length, "difference")} in data, Rego and manifest`;
}

function escapeGithub(text: string): string {
  return text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}
