/** Tables of a run, for the terminal and for Markdown alike. */

import { busyText, machineText } from "../compiler/cli/bench/machine.ts";
import type { Percentiles } from "../compiler/cli/bench/percentiles.ts";
import { boundOf, FIRST_MS } from "../compiler/cli/bench/requirement.ts";
import type { Measured } from "./interleave.ts";
import { LIMIT } from "./parts/contenders.ts";
import { STOCK } from "./peers/opa.ts";
import { TYPED } from "./peers/portcullis.ts";
import { exceededBy, exceededByServices } from "./requirement.ts";
import type { Absence, HeadlineRow, LatencyRow, Results, ServiceRow, WorkingSetRow } from "./results.ts";

export interface Section {
  readonly title: string;
  readonly text: string;
  readonly rows: readonly (readonly string[])[];
  readonly notes?: readonly string[];
}

export function sectionsOf(results: Results): Section[] {
  const policies = [...new Set(results.headline.map(({ policy }) => policy))];
  return [
    ...policies.map((policy) => headline(policy, results)),
    ...policies.map((policy) => workingSets(policy, results.workingSets)),
    ...policies.map((policy) => latency(policy, results)),
    services(results),
    goal(policies, results),
    throughput(results),
    listening(results),
    serving(results),
    costs(results),
    growth(results),
  ].filter(({ rows }) => rows.length > 1);
}

const [TOOL, LARGE, DISK] = [boundOf("tool", false), boundOf("tool", true), boundOf("exec", false)];

/** The bounds, in a sentence for each class. */
export const REQUIREMENT = `Lane, tool, subagent, lineage and call: 99 % <= ${time(TOOL.p99)} (large requests ${time(LARGE.p99)}), 99.9 % <= ${time(TOOL.p999)}. Handoff, exec and close: 99 % <= ${time(DISK.p99)}, 99.9 % <= ${time(DISK.p999)}. The first decision <= ${FIRST_MS} ms. A bound is exceeded where the whole range of passes lies above it, the time of reading the clock taken off.`;

/** Where and on what it was measured. */
export function provenance({
  machine,
  revision,
  date,
  quick,
}: Pick<Results, "machine" | "revision" | "date" | "quick">): string {
  const notes = [quick ? "This was a quick look, not a record." : "", busyText(machine)].filter((note) => note !== "");
  const loads = `load ${machine.loadAtStart} at the start, ${machine.loadAtEnd} at the end`;
  return [`Revision ${revision}, ${date.slice(0, 10)}: ${machineText(machine)}; ${loads}.`, ...notes].join(" ");
}

function headline(policy: string, { headline: all, absences }: Results): Section {
  const rows = all.filter((row) => row.policy === policy);
  const names = namesOf(rows);
  return {
    title: `Policies ${policy}: a new request`,
    text: "Median time of a decision that is evaluated, on requests fresh from `JSON.parse` that were not asked before, and how many times that of the code written by hand.",
    rows: [
      ["decision", "request", "answer", ...names, ...(names.includes(STOCK) ? ["stock OPA to ours"] : [])],
      ...rows.map(({ kind, what, outcome, measured }) => [
        kind,
        what,
        outcome,
        ...names.map((name) => cell(measured, name)),
        ...(names.includes(STOCK) ? [toOurs(measured)] : []),
      ]),
    ],
    notes: notesOf(absences.filter((absence) => absence.policy === policy)),
  };
}

function workingSets(policy: string, all: readonly WorkingSetRow[]): Section {
  const rows = all.filter((row) => row.policy === policy);
  return {
    title: `Policies ${policy}: the same requests again`,
    text: "Requests of typical size, fresh from `JSON.parse`, drawn by chance from a given number of different ones. Each is evaluated: there is no cache of decisions.",
    rows: [
      ["decision", "different requests", LIMIT, TYPED],
      ...rows.map(({ kind, set, measured }) => [
        kind,
        set.toLocaleString("en-US"),
        ...[LIMIT, TYPED].map((name) => cell(measured, name)),
      ]),
    ],
  };
}

function latency(policy: string, { latency: all, clockNs }: Results): Section {
  const rows = all.filter((row) => row.policy === policy);
  return {
    title: `Policies ${policy}: REQ-14`,
    text: `Single decisions through the typed API on requests that were not asked before, measured / bound. ${REQUIREMENT} Reading the clock takes ${time(clockNs)}, which is part of each time shown; making requests and collecting garbage is not. In parentheses the same of the code written by hand. After other work: one decision when nothing of it is in the processor's caches; no part of the verdict.`,
    rows: [
      [
        ...["decision", "request", "answer", "median", "99 %", "99.9 %", "slowest", "after other work"],
        ...["first (slowest)", "verdict"],
      ],
      ...rows.map((row) => [
        row.kind,
        row.what,
        row.outcome,
        beside(row.p50.ns, row.byHand?.p50.ns),
        ...percentileTexts(row),
        time(row.maxNs),
        row.afterOtherWork === undefined ? "-" : beside(row.afterOtherWork.ns, row.afterOtherWork.byHandNs),
        firstText(row),
        verdict(exceededBy(row, clockNs)),
      ]),
    ],
  };
}

function services({ services: found }: Results): Section {
  const { rows = [], clockNs = 0 } = found ?? {};
  const of = found === undefined ? "" : ` ${provenance({ ...found, quick: false })}`;
  const texts = ({ kind, size }: ServiceRow, { p99, p999 }: Percentiles): string => {
    const bound = boundOf(kind, size === "large");
    return `${time(p99.ns)} / ${time(bound.p99)}, ${time(p999.ns)} / ${time(bound.p999)}`;
  };
  return {
    title: "REQ-14 from bytes, and with sixteen policies in a process",
    text: `The same of allowed requests, 99 % and 99.9 %, measured / bound: from the UTF-8 of a request, and where sixteen policies of this size are in one process and decide in turn, so that none finds its tables in the processor's caches. In parentheses the median.${of}`,
    rows: [
      ["policies", "decision", "request", "one, from bytes", "sixteen", "sixteen, from bytes", "verdict"],
      ...rows.map((row) => [
        ...[row.policy, row.kind, row.what],
        ...[row.bytes, row.sixteen, row.sixteenBytes].map((one) => `${texts(row, one)} (${time(one.p50.ns)})`),
        verdict(exceededByServices(row, clockNs)),
      ]),
    ],
  };
}

/** Beside the requirement, and no part of it. */
function goal(policies: readonly string[], { headline: all }: Results): Section {
  const requests = [...new Set(all.map(({ kind, what }) => `${kind}\n${what}`))].map((both) => both.split("\n"));
  const ratiosOf = (policy: string, kind: string | undefined, what: string | undefined) =>
    all
      .filter((row) => row.policy === policy && row.kind === kind && row.what === what)
      .flatMap(({ measured }) => measured.find(({ name }) => name === TYPED)?.ratio ?? []);
  return {
    title: "The goal: as fast as code written by hand",
    text: "No part of REQ-14. How many times the time of code written by hand for this one policy a decision takes: medians of new requests, allowed and denied late. Missed is where the whole range of rounds lies above 1.",
    rows: [
      ["decision", "request", ...policies, "goal"],
      ...requests.map(([kind = "", what = ""]) => {
        const missed = policies.filter((policy) => ratiosOf(policy, kind, what).some(({ low }) => low > 1));
        const cells = policies.map((policy) =>
          ratiosOf(policy, kind, what)
            .map(({ median }) => `×${ratio(median)}`)
            .join(", "),
        );
        return [kind, what, ...cells, missed.length === 0 ? "reached" : `missed at ${missed.join(", ")}`];
      }),
    ],
  };
}

function throughput({ throughput: rows }: Results): Section {
  const names = [...new Set(rows.map(({ name }) => name))];
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  const rate = (kind: string, name: string): string => {
    const found = rows.find((row) => row.kind === kind && row.name === name);
    return found === undefined ? "-" : `${thousands(found.perSecond)} ±${found.marginPercent.toFixed(0)} %`;
  };
  return {
    title: `Policies ${rows[0]?.policy}: decisions a second`,
    text: "By benny, on one core: 1,024 parsed requests of typical size again and again, garbage collection and all, each decision evaluated. Contenders run one after the other, so compare them by the tables above.",
    rows: [["decision", ...names], ...kinds.map((kind) => [kind, ...names.map((name) => rate(kind, name))])],
  };
}

function listening({ listening: found }: Results): Section {
  const rows = found?.rows ?? [];
  const names = namesOf(rows);
  const of = found === undefined ? "" : ` ${provenance({ ...found, quick: false })}`;
  return {
    title: `Policies ${rows[0]?.policy}: with listeners, and with a shadow`,
    text: `Median time of a decision, and how many times that of one without a listener. The second column is the same as the first: how far it is from 1 is noise. The next ones are the caller's side; *told* is all of it, with what a timer does after the decision: the event is made, and a shadow of the same policy is asked.${of}`,
    rows: [
      ["decision", "request", ...names],
      ...rows.map(({ kind, given, measured }) => [kind, given, ...names.map((name) => cell(measured, name))]),
    ],
  };
}

function serving({ serving: found }: Results): Section {
  const { rows = [], absences = [] } = found ?? {};
  const of = found === undefined ? "" : ` ${provenance({ ...found, quick: false })}`;
  return {
    title: `Policies ${rows[0]?.policy}: over HTTP`,
    text: `Requests a second that a server holds, ${rows[0]?.connections} connections with one request at a time, and how long a request takes. One client for both, on the same machine, in rounds; no server writes a log.${of}`,
    rows: [
      ["decision", "server", "requests a second", "to OPA's", "median", "99 %", "99.9 %"],
      ...rows.flatMap(({ kind, measured }) =>
        measured.map((one) => [
          kind,
          one.name,
          thousands(one.perSecond),
          one.ratio === undefined
            ? ""
            : `×${ratio(one.ratio.median)} (${ratio(one.ratio.low)} to ${ratio(one.ratio.high)})`,
          ...[one.p50Micros, one.p99Micros, one.p999Micros].map((micros) => time(micros * 1000)),
        ]),
      ),
    ],
    notes: notesOf(absences),
  };
}

function costs({ costs: rows }: Results): Section {
  return {
    title: "What a policy costs",
    text: "To compile, to keep, to load from the bytes of its bundle until the first answer, and in memory.",
    rows: [
      ["policies", "compile", "memory then", "bundle", "module", "load and decide once", "memory loaded"],
      ...rows.map(({ policy, cost }) => [
        policy,
        `${(cost.compileMs / 1000).toFixed(1)} s`,
        `${cost.compileRssMb.toFixed(0)} MB`,
        `${cost.bundleKb.toFixed(0)} KB`,
        `${cost.moduleKb.toFixed(0)} KB`,
        `${cost.loadMs.toFixed(1)} ms`,
        `${cost.loadedMb.toFixed(1)} MB`,
      ]),
    ],
  };
}

function growth({ growth: rows }: Results): Section {
  return {
    title: "Memory after many decisions",
    text: "Of all kinds, on policies M; what is held more than before.",
    rows: [
      ["", "decisions", "JavaScript", "WebAssembly"],
      ...rows.map((row) => [row.name, thousands(row.decisions), kb(row.heapKb), kb(row.wasmKb)]),
    ],
  };
}

export function namesOf(rows: readonly Pick<HeadlineRow, "measured">[]): string[] {
  return [...new Set(rows.flatMap(({ measured }) => measured.map(({ name }) => name)))];
}

/** Absences with the same reason in one line. */
export function notesOf(absences: readonly Absence[]): string[] {
  const names = new Map<string, string[]>();
  for (const { name, why } of absences) names.set(why, [...(names.get(why) ?? []), name]);
  return [...names].map(([why, all]) => `${all.join("; ")}: ${why}.`);
}

/** `130 ns ×3.2` */
export function cell(measured: readonly Measured[], name: string): string {
  const found = measured.find((m) => m.name === name);
  if (found === undefined) return "-";
  return found.ratio === undefined ? time(found.ns) : `${time(found.ns)} ×${ratio(found.ratio.median)}`;
}

/** How many times our own time stock opa-wasm takes on the module that OPA makes. */
export function toOurs(measured: readonly Measured[]): string {
  const [stock, ours] = [toLimit(measured, STOCK), toLimit(measured, TYPED)];
  return stock === undefined || ours === undefined ? "-" : `×${ratio(stock / ours)}`;
}

/** How many times the time of the code written by hand it takes: more than we could reach by being as fast as that. */
export function stockToLimit(measured: readonly Measured[]): string {
  const stock = toLimit(measured, STOCK);
  return stock === undefined ? "-" : `×${ratio(stock)}`;
}

function toLimit(measured: readonly Measured[], name: string): number | undefined {
  return measured.find((m) => m.name === name)?.ratio?.median;
}

/** `14.7 µs (6.99 µs)`: ours, and that of the code written by hand where it was measured. */
function beside(ns: number, byHandNs: number | undefined): string {
  return byHandNs === undefined ? time(ns) : `${time(ns)} (${time(byHandNs)})`;
}

/** Measured / bound. */
function percentileTexts(row: LatencyRow): string[] {
  const bound = boundOf(row.kind, row.size === "large");
  return [
    `${beside(row.p99.ns, row.byHand?.p99.ns)} / ${time(bound.p99)}`,
    `${beside(row.p999.ns, row.byHand?.p999.ns)} / ${time(bound.p999)}`,
  ];
}

/** Measured / bound of both percentiles and of the first decision, without the code written by hand. */
export function boundText({ byHand: _, ...row }: LatencyRow): string[] {
  return [...percentileTexts(row), firstText(row)];
}

function firstText({ first }: Pick<LatencyRow, "first">): string {
  return first === undefined ? "" : `${first.medianMs.toFixed(2)} / ${FIRST_MS} ms (${first.maxMs.toFixed(2)})`;
}

export function verdict(exceeded: readonly string[]): string {
  return exceeded.length === 0 ? "holds" : `exceeded: ${exceeded.join(", ")}`;
}

export function time(ns: number): string {
  if (ns < 1000) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toPrecision(3)} µs`;
  return `${(ns / 1e6).toPrecision(3)} ms`;
}

export function ratio(value: number): string {
  return value < 10 ? value.toFixed(value < 2 ? 2 : 1) : Math.round(value).toString();
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function kb(value: number): string {
  return `${Math.max(0, value).toFixed(0)} KB`;
}

export function markdownTable([header = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(header), `|${header.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
