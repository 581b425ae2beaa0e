/** Prints the differences between two policies. */

import {
  type BothPlaces,
  CHANGE_KINDS,
  type Change,
  type ChangeKind,
  type ContentChange,
  type FoundChange,
  isProved,
  type PolicyDiff,
  type Property,
  type RuleChange,
  type Unseen,
} from "@portcullis/governance/review";
import { unreachable } from "@portcullis/rego/diagnostics";
import { count } from "../commands/options.ts";
import type { Terminal } from "../terminal.ts";
import { idText } from "./id-text.ts";
import { printProperties } from "./proof.ts";
import { workflowCommand } from "./workflow-command.ts";

export type DiffFormat = "human" | "json" | "github";

/** How many changes of a kind people are shown without `all`. */
export const SHOWN = 20;

export function printDiff(
  terminal: Terminal,
  { format, all }: { readonly format: DiffFormat; readonly all: boolean },
  diff: PolicyDiff,
  proofs: readonly Property[] = [],
): void {
  const { spaces, changes, found, rules, contents, unseen } = diff;
  const of = (kind: ChangeKind): Change[] => changes.filter((c) => c.kind === kind);
  switch (format) {
    case "json": {
      const asked = Object.fromEntries(spaces.map((s) => [s.name, s.size]));
      const proved = proofs.length === 0 ? {} : { proofs: proofs.map((p) => ({ ...p, holds: isProved(p) })) };
      const counts = countsOf(diff);
      terminal.out(
        `${JSON.stringify({ asked, counts, changes, found, rules, contents, unseen, ...proved }, null, 2)}\n`,
      );
      return;
    }
    case "github":
      printWorkflowCommands(terminal, diff);
      printProperties(terminal, proofs);
      terminal.line(summary(diff));
      return;
    case "human":
      for (const kind of CHANGE_KINDS) printKind(terminal, kind, of(kind), all);
      printFound(terminal, found, all);
      printRules(terminal, rules, all);
      printContents(terminal, contents, all);
      printUnseen(terminal, unseen, all);
      printProperties(terminal, proofs);
      terminal.line(summary(diff));
      return;
    default:
      unreachable(format);
  }
}

function printWorkflowCommands(terminal: Terminal, { changes, found, unseen }: PolicyDiff): void {
  const told = [
    ...changes.map((change) => ({ kind: change.kind, text: describe(change) })),
    ...found.map((change) => ({ kind: change.kind, text: describeFound(change) })),
  ];
  for (const { kind, text } of told) {
    if (kind === "changed-reason") continue;
    terminal.command(workflowCommand(kind === "newly-allowed" ? "warning" : "notice", { title: kind }, text));
  }
  for (const one of unseen) terminal.command(workflowCommand("warning", { title: "unknown" }, describeUnseen(one)));
}

function printKind(terminal: Terminal, kind: ChangeKind, changes: readonly Change[], all: boolean): void {
  if (changes.length === 0) return;
  const { red, green, yellow, dim } = terminal.paint;
  const paint = { "newly-allowed": green, "newly-denied": red, "changed-reason": yellow }[kind];
  terminal.line(`${paint(kind.replace("-", " "))} (${changes.length})`);
  for (const change of all ? changes : changes.slice(0, SHOWN)) terminal.line(`  ${describe(change)}`);
  if (!all && changes.length > SHOWN) terminal.line(dim(`  and ${changes.length - SHOWN} more (\`--all\` lists them)`));
}

function said({ gate, reason }: Change["before"]): string {
  return `${idText(gate)} ${reason.includes("->") ? JSON.stringify(reason) : reason}`;
}

function describeFound({ kind, decision, input, before, after }: FoundChange): string {
  return `${kind.replace("-", " ")}: ${decision} ${JSON.stringify(input)}: ${said(before)} -> ${said(after)}`;
}

function printFound(terminal: Terminal, found: readonly FoundChange[], all: boolean): void {
  if (found.length === 0) return;
  const { bold } = terminal.paint;
  terminal.line(`${bold("found beyond them")} (${found.length})`);
  const order = [...found].sort((a, b) => CHANGE_KINDS.indexOf(a.kind) - CHANGE_KINDS.indexOf(b.kind));
  printSome(terminal, order.map(describeFound), all);
}

function printRules(terminal: Terminal, rules: readonly RuleChange[], all: boolean): void {
  if (rules.length === 0) return;
  terminal.line(`${terminal.paint.bold("what rules say")} (${rules.length})`);
  const nothing = "nothing";
  printSome(
    terminal,
    rules.map(({ rule, before = nothing, after = nothing, places }) => `${at(places)}${rule}: ${before} -> ${after}`),
    all,
  );
}

function printUnseen(terminal: Terminal, unseen: readonly Unseen[], all: boolean): void {
  if (unseen.length === 0) return;
  terminal.line(`${terminal.paint.yellow("unknown")} (${unseen.length}): these may allow more; read them`);
  printSome(terminal, unseen.map(describeUnseen), all);
}

function describeUnseen({ path, why, places }: Unseen): string {
  return `${at(places)}${path}: ${why}`;
}

/** The place of what an author wrote, before what is said of it: in the newer policy, or in the older one for what is gone. */
function at(places: BothPlaces | undefined): string {
  const place = places?.after ?? places?.before;
  return place === undefined ? "" : `${place.file}:${place.line}:${place.column}  `;
}

function printSome(terminal: Terminal, lines: readonly string[], all: boolean): void {
  for (const line of all ? lines : lines.slice(0, SHOWN)) terminal.line(`  ${line}`);
  if (!all && lines.length > SHOWN)
    terminal.line(terminal.paint.dim(`  and ${lines.length - SHOWN} more (\`--all\` lists them)`));
}

function describe({ space, request, before, after }: Change): string {
  const asked = Object.entries(request).map(([axis, id]) => `${axis}=${idText(id)}`);
  return `${space} ${asked.join(" ")}: ${said(before)} -> ${said(after)}`;
}

function printContents(terminal: Terminal, contents: readonly ContentChange[], all: boolean): void {
  if (contents.length === 0) return;
  const { bold, dim } = terminal.paint;
  terminal.line(`${bold("in the bundles")} (${contents.length})`);
  const sign = { added: "+", removed: "-", changed: "~" };
  for (const { part, kind, path, before, after, places } of all ? contents : contents.slice(0, SHOWN)) {
    const values = [before, after].filter((v) => v !== undefined).join(" -> ");
    terminal.line(
      `  ${sign[kind]} ${at(places)}${part === "data" ? "" : `${part} `}${path}${values === "" ? "" : dim(` ${values}`)}`,
    );
  }
  if (!all && contents.length > SHOWN)
    terminal.line(dim(`  and ${contents.length - SHOWN} more (\`--all\` lists them)`));
}

/** Counts what was found beyond the compared decisions, too: a script that reads nothing else must not miss an allow. */
function countsOf({ changes, found }: PolicyDiff): { readonly [kind: string]: number } {
  const all = [...changes, ...found];
  return Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, all.filter((c) => c.kind === kind).length]));
}

function summary(diff: PolicyDiff): string {
  const { spaces, found, contents, unseen } = diff;
  const asked = spaces.reduce((sum, s) => sum + s.size, 0);
  const kinds = Object.entries(countsOf(diff)).map(([kind, n]) => `${n} ${kind.replace("-", " ")}`);
  return `${count(asked, "decision")} compared, and ${found.length} found beyond them: ${kinds.join(", ")}; ${count(contents.length, "difference")} in data, Rego and manifest, ${unseen.length} unknown`;
}
