/** What `portcullis bench` leaves behind, as JSON and for people, and what a later run finds in it. */

import type { Policy } from "@portcullis/runtime";
import { CliError } from "../exit.ts";
import { type Terminal, table } from "../terminal.ts";
import { type Figure, type Slower, slowerThan } from "./baseline.ts";
import type { BenchInput } from "./inputs.ts";
import { busyText, type Machine, machineText, sameMachine } from "./machine.ts";
import { LIMITS, type Limit, type Measurement } from "./measure.ts";
import { type Bound, isExceeded } from "./requirement.ts";

export interface BenchReport extends Omit<Measurement, "answers"> {
  readonly entrypoint: string;
  readonly revision: string | undefined;
  readonly inputs: readonly { readonly name: string; readonly answer: unknown }[];
  readonly machine: Machine;
  readonly bound: Bound;
  readonly exceeded: readonly (keyof Bound)[];
  /** Against the baseline; absent without one. */
  readonly slower?: readonly Slower[];
}

const BOUNDED = ["p99", "p999"] as const;
const LABELS: Readonly<Record<Limit, string>> = { median: "median", p99: "99 %", p999: "99.9 %" };
const MOST_SHOWN = 10;
const WIDTH = 72;
const BAR = 40;

export function reportOf(
  { revision }: Policy,
  entrypoint: string,
  inputs: readonly BenchInput[],
  { answers, ...measured }: Measurement,
  machine: Machine,
  bound: Bound,
): BenchReport {
  return {
    entrypoint,
    revision,
    inputs: inputs.map(({ name }, i) => ({ name, answer: answers[i] ?? null })),
    ...measured,
    machine,
    bound,
    exceeded: BOUNDED.filter((limit) => isExceeded(measured.percentiles[limit], bound[limit], measured.clockNs)),
  };
}

/** An earlier report. Throws CliError for any other value, and for a report of another entrypoint. */
export function baselineOf(value: unknown, path: string, entrypoint: string): BenchReport {
  const report = value as Partial<BenchReport> | null;
  const isFigure = (limit: Limit): boolean => typeof report?.percentiles?.[limit]?.high === "number";
  if (typeof report?.machine?.cpu !== "string" || !LIMITS.every(isFigure))
    throw new CliError(`\`${path}\` is no report of \`portcullis bench --format json\``);
  if (report.entrypoint !== entrypoint)
    throw new CliError(`\`${path}\` measured \`${report.entrypoint}\`, not \`${entrypoint}\``);
  return report as BenchReport;
}

/** Medians and 99th percentiles: what lies beyond is the machine's. */
export function compareReports(before: BenchReport, now: BenchReport): readonly Slower[] {
  return slowerThan(figuresOf(before), figuresOf(now));
}

function figuresOf({ percentiles }: BenchReport): Figure[] {
  return (["median", "p99"] as const).map((limit) => {
    const { ns, low, high } = percentiles[limit];
    return { name: LABELS[limit], value: ns, low, high };
  });
}

export function printReport(terminal: Terminal, report: BenchReport, baseline: BenchReport | undefined): void {
  const { bold, green, red, yellow, dim } = terminal.paint;
  const { percentiles, bound, exceeded, inputs } = report;
  terminal.out(`${bold(report.entrypoint)}${report.revision === undefined ? "" : `, revision ${report.revision}`}\n`);
  const shown = inputs.slice(0, MOST_SHOWN).map(({ name, answer }) => [`  ${name}`, cut(JSON.stringify(answer))]);
  terminal.out(`${table(shown)}\n`);
  if (inputs.length > shown.length) terminal.out(dim(`  and ${inputs.length - shown.length} more\n`));
  const row = (limit: Limit): string[] => {
    const { ns, low, high } = percentiles[limit];
    const measured = [LABELS[limit], `${ns} ns`, `${low} to ${high}`];
    if (limit === "median") return [...measured, "", ""];
    const isWithin = ns - report.clockNs <= bound[limit];
    const verdict = exceeded.includes(limit) ? "exceeded" : isWithin ? "holds" : "exceeded in some passes";
    return [...measured, `<= ${bound[limit]} ns`, verdict];
  };
  const rows = [
    ["", "measured", "passes", "bound", ""],
    ...LIMITS.map(row),
    ["slowest", `${report.slowestNs} ns`, "", "", ""],
    ["first", `${report.firstNs} ns`, "", "", ""],
  ];
  const paint = (cell: string, column: number, index: number): string => {
    if (index === 0) return bold(cell);
    return column < 4 ? cell : cell === "holds" ? green(cell) : cell === "exceeded" ? red(cell) : yellow(cell);
  };
  terminal.out(`\n${table(rows, paint)}\n\n${histogramText(report)}\n\n`);
  const facts = [
    `${report.decisions.toLocaleString("en-US")} decisions, each on a value fresh from JSON.parse; making it and collecting garbage is not counted`,
    `reading the clock takes ${report.clockNs} ns and is part of each figure, and taken off before a bound is compared`,
    machineText(report.machine),
    busyText(report.machine),
  ];
  for (const fact of facts) if (fact !== "") terminal.out(dim(`${fact}\n`));
  if (baseline !== undefined) terminal.out(`\n${comparison(report, baseline)}\n`);
}

function histogramText({ histogram, decisions }: BenchReport): string {
  const most = Math.max(...histogram.map((bar) => bar.decisions));
  const rows = histogram.map((bar) => [
    `<= ${bar.upToNs.toLocaleString("en-US")} ns`,
    `${((bar.decisions / decisions) * 100).toFixed(2)} %`,
    "#".repeat(Math.ceil((bar.decisions / most) * BAR)),
  ]);
  return table(rows);
}

function comparison({ slower = [], machine }: BenchReport, before: BenchReport): string {
  const against = `revision ${before.revision ?? "unknown"}`;
  const lines = sameMachine(machine, before.machine)
    ? []
    : [`The baseline is of another machine or Node (${machineText(before.machine)}): times hardly compare.`];
  if (slower.length === 0) lines.push(`Nothing is slower beyond noise than ${against}.`);
  for (const { name, before: old, now } of slower)
    lines.push(`Slower beyond noise than ${against}: ${name} ${old} ns before, ${now} ns now.`);
  return lines.join("\n");
}

function cut(text: string): string {
  return text.length <= WIDTH ? text : `${text.slice(0, WIDTH - 1)}…`;
}
