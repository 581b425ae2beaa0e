/** Prints what another policy would have decided. */

import { REPLAY_KINDS, type ReplayGroup, type ReplayKind, type ReplayTally } from "@portcullis/governance/review";
import { count } from "../commands/options.ts";
import type { Terminal } from "../terminal.ts";
import { idText } from "./id-text.ts";
import type { FindingFormat } from "./report.ts";
import { sarifLog } from "./sarif.ts";
import { workflowCommand } from "./workflow-command.ts";

/** How many groups of a kind people are shown without `--all`. */
const SHOWN = 20;
const INDENT = "      ";

export function printReplay(
  terminal: Terminal,
  tally: ReplayTally,
  { format, all }: { readonly format: FindingFormat; readonly all: boolean },
): void {
  switch (format) {
    case "json":
      return terminal.out(`${JSON.stringify({ ...tally, by: sums(tally) }, null, 2)}\n`);
    case "sarif":
      return terminal.out(`${JSON.stringify(sarif(tally), null, 2)}\n`);
    case "github":
      for (const group of tally.groups) terminal.command(command(group));
      for (const { why, count: n, file, line } of tally.unknown)
        terminal.command(workflowCommand("warning", { file, line, title: "unknown" }, `${why} (${count(n, "event")})`));
      return terminal.line(summary(tally));
    case "human":
      for (const kind of REPLAY_KINDS) printKind(terminal, tally, kind, all);
      printUnknown(terminal, tally);
      return terminal.line(summary(tally));
  }
}

function printKind(terminal: Terminal, { groups, counts }: ReplayTally, kind: ReplayKind, all: boolean): void {
  if (counts[kind] === 0) return;
  const { red, green, yellow, dim } = terminal.paint;
  const paint = { "newly-allowed": green, "newly-denied": red, "changed-reason": yellow, "changed-answer": yellow };
  const found = groups.filter((group) => group.kind === kind).sort((a, b) => b.count - a.count);
  terminal.line(`${paint[kind](words(kind))} (${count(counts[kind], "event")})`);
  for (const group of all ? found : found.slice(0, SHOWN)) {
    const { before, after, example } = group;
    terminal.line(`  ${String(group.count).padStart(6)} ${asked(group)}: ${before} -> ${after}`);
    terminal.line(dim(`${INDENT}   first: ${example.file}:${example.line} ${example.input ?? ""}`));
  }
  if (!all && found.length > SHOWN)
    terminal.line(dim(`${INDENT}   and ${count(found.length - SHOWN, "more group")} (\`--all\` lists them)`));
}

function printUnknown(terminal: Terminal, { unknown }: ReplayTally): void {
  if (unknown.length === 0) return;
  terminal.line(`${terminal.paint.yellow("unknown")}: these events cannot be decided again`);
  for (const { why, count: n, file, line } of unknown)
    terminal.line(`  ${String(n).padStart(6)} ${why} (first: ${file}:${line})`);
}

function summary({ events, same, counts, ungrouped, unknown }: ReplayTally): string {
  const lost = unknown.reduce((sum, { count: n }) => sum + n, 0);
  const parts = REPLAY_KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${counts[kind]} ${words(kind)}`);
  const rest = ungrouped === 0 ? "" : `; ${ungrouped} of them in no group: there are more groups than are kept`;
  return `${[`${count(events, "event")}: ${same} decided alike`, ...parts, ...(lost === 0 ? [] : [`${lost} unknown`])].join(", ")}${rest}`;
}

const words = (kind: ReplayKind): string => kind.replace("-", " ");

function asked({ entrypoint, role, lane, tool, agent }: ReplayGroup): string {
  const parts = Object.entries({ role, lane, tool, agent }).filter(([, id]) => id !== undefined);
  return [entrypoint, ...parts.map(([name, id]) => `${name} ${idText(String(id))}`)].join(", ");
}

/** How many events of each kind a role, lane, tool, agent and answer have. */
function sums({ groups }: ReplayTally): object {
  const by: { [kind: string]: { [axis: string]: { [id: string]: number } } } = {};
  for (const { kind, role, lane, tool, agent, after, count: n } of groups) {
    const axes = Object.entries({ role, lane, tool, agent, rule: after });
    for (const [axis, id] of axes) {
      if (id === undefined) continue;
      const ofKind = (by[kind] ??= {});
      const ofAxis = (ofKind[axis] ??= Object.create(null) as { [id: string]: number });
      ofAxis[id] = (ofAxis[id] ?? 0) + n;
    }
  }
  return by;
}

function said(group: ReplayGroup): string {
  return `${words(group.kind)}: ${count(group.count, "event")}, ${asked(group)}: ${group.before} -> ${group.after}`;
}

function command(group: ReplayGroup): string {
  const { file, line } = group.example;
  const level = group.kind === "newly-allowed" ? "warning" : "notice";
  return workflowCommand(level, { file, line, title: words(group.kind) }, said(group));
}

function sarif({ groups, unknown }: ReplayTally): object {
  const results = [
    ...groups.map((group) => ({
      ruleId: `replay/${group.kind}`,
      level: group.kind === "newly-allowed" ? "warning" : "note",
      message: { text: said(group) },
      locations: [location(group.example)],
    })),
    ...unknown.map((fault) => ({
      ruleId: "replay/unknown",
      level: "warning",
      message: { text: `${fault.why} (${count(fault.count, "event")})` },
      locations: [location(fault)],
    })),
  ];
  const rules = [...new Set(results.map(({ ruleId }) => ruleId))].map((id) => ({ id }));
  return sarifLog({ rules }, results);
}

function location({ file, line }: { readonly file: string; readonly line: number }): object {
  return { physicalLocation: { artifactLocation: { uri: encodeURI(file) }, region: { startLine: line } } };
}
