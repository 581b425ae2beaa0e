/** What a run leaves behind: bench/results/latest.json. Times in nanoseconds unless the name says otherwise. */

import type { DecisionKind } from "@portcullis/runtime";
import type { Machine } from "../compiler/cli/bench/machine.ts";
import type { Percentiles } from "../compiler/cli/bench/percentiles.ts";
import type { PolicyName } from "./bundles.ts";
import type { Cost, Growth } from "./footprint.ts";
import type { Measured, Spread } from "./interleave.ts";
import type { First } from "./requirement.ts";
import type { Outcome, RequestSize } from "./workloads/index.ts";

/** One workload beside the alternatives: evaluated, each request asked once. */
export interface HeadlineRow {
  readonly policy: PolicyName;
  readonly kind: DecisionKind;
  readonly size: RequestSize;
  readonly what: string;
  readonly outcome: Outcome;
  /** How many different requests there are; `null` where they never repeat. */
  readonly different: number | null;
  readonly measured: readonly Measured[];
}

/** Requests of typical size, drawn from a given number of different ones. */
export interface WorkingSetRow {
  readonly policy: PolicyName;
  readonly kind: DecisionKind;
  readonly outcome: Outcome;
  readonly set: number;
  readonly measured: readonly Measured[];
}

/** REQ-14: single decisions on requests that were never asked before. */
export interface LatencyRow extends Percentiles {
  readonly policy: PolicyName;
  readonly kind: DecisionKind;
  readonly size: RequestSize;
  readonly what: string;
  readonly outcome: Outcome;
  /** Measured once a size, on allowed requests. */
  readonly first?: First;
  /** The same of the code written by hand. Absent in records from before it was measured, as is the next one. */
  readonly byHand?: Percentiles;
  /** One decision when other work has emptied the processor's caches, in nanoseconds. */
  readonly afterOtherWork?: { readonly ns: number; readonly byHandNs: number };
}

/** REQ-14 as services run: from bytes, and with sixteen policies of this size in one process, which decide in turn. */
export interface ServiceRow {
  readonly policy: PolicyName;
  readonly kind: DecisionKind;
  readonly size: RequestSize;
  readonly what: string;
  /** One policy. */
  readonly bytes: Percentiles;
  /** Parsed requests. */
  readonly sixteen: Percentiles;
  readonly sixteenBytes: Percentiles;
}

/** Decisions a second over a thousand requests again and again, everything counted: benny's figures. */
export interface ThroughputRow {
  readonly policy: PolicyName;
  readonly kind: DecisionKind;
  readonly name: string;
  readonly perSecond: number;
  readonly marginPercent: number;
}

/** A decision with a listener or a shadow, beside one with neither. */
export interface ListeningRow {
  readonly policy: PolicyName;
  readonly kind: DecisionKind;
  /** What the request is handed over as. */
  readonly given: "object" | "JSON text";
  readonly measured: readonly Measured[];
}

/** Servers over HTTP beside each other. */
export interface ServingRow {
  readonly policy: PolicyName;
  readonly kind: DecisionKind;
  /** Each with one request at a time. */
  readonly connections: number;
  readonly measured: readonly ServedMeasure[];
}

/** Requests a second: the median of the rounds, and between what half of them lie. Microseconds of all requests. */
export interface ServedMeasure {
  readonly name: string;
  readonly perSecond: number;
  readonly low: number;
  readonly high: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly p999Micros: number;
  /** Ratio of the rates to those of OPA's server, within rounds. */
  readonly ratio?: Spread;
}

/** Where and when it was measured is its own: it may be recorded by itself. */
interface OwnRecord {
  readonly revision: string;
  readonly date: string;
  readonly machine: Machine;
}

export interface Services extends OwnRecord {
  readonly clockNs: number;
  readonly rows: readonly ServiceRow[];
}

export interface Listening extends OwnRecord {
  readonly rows: readonly ListeningRow[];
}

export interface Serving extends OwnRecord {
  readonly rows: readonly ServingRow[];
  readonly absences: readonly Absence[];
}

/** A contender that was asked in a process of its own. */
export interface ApartRow {
  readonly kind: DecisionKind;
  readonly what: string;
  readonly name: string;
  readonly version?: string;
  /** The contender that its time is compared with. */
  readonly beside?: string;
  readonly timed?: { readonly decisions: number; readonly p50Ns: number; readonly p99Ns: number };
  /** Why it was not timed. */
  readonly missing?: { readonly is: "absent" | "cannot" | "wrong"; readonly why: string };
}

export interface Apart extends OwnRecord {
  readonly policy: PolicyName;
  readonly rows: readonly ApartRow[];
}

export interface Absence {
  readonly policy: string;
  readonly name: string;
  readonly why: string;
}

export interface Results {
  readonly revision: string;
  readonly date: string;
  readonly quick: boolean;
  readonly machine: Machine;
  /** What reading the clock costs: part of each single decision's time. */
  readonly clockNs: number;
  readonly headline: readonly HeadlineRow[];
  readonly workingSets: readonly WorkingSetRow[];
  readonly latency: readonly LatencyRow[];
  /** Absent in records from before it was measured. */
  readonly services?: Services;
  readonly throughput: readonly ThroughputRow[];
  /** Absent in records from before there were listeners. */
  readonly listening?: Listening;
  /** Absent in records from before it was measured. */
  readonly serving?: Serving;
  /** Absent in records from before they were measured. */
  readonly peers?: Apart;
  readonly sdks?: Apart;
  readonly runtimes?: Apart;
  /** Where a contender has nothing to show, and why. */
  readonly absences: readonly Absence[];
  readonly costs: readonly { readonly policy: PolicyName; readonly cost: Cost }[];
  readonly growth: readonly (Growth & { readonly name: string })[];
}

/** JSON with a line for each row, so that a difference between two runs is one that people can read. */
export function resultsText(results: Results): string {
  const lines = Object.entries(results).map(([name, value]) => {
    const text = Array.isArray(value) && value.length > 0 ? `[\n${value.map(row).join(",\n")}\n ]` : row(value).trim();
    return ` ${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}

function row(value: unknown): string {
  return `  ${JSON.stringify(value, (_, item) => (typeof item === "number" ? rounded(item) : item))}`;
}

/** Three digits that count, and every digit before the point. */
function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
