/**
 * REQ-14, the latency of a decision: bounds on single decisions that were never asked before, by what they stand in front of. A tool
 * call, a turn or a spawn takes 10 ms at the least, and a check before it may take a thousandth of that; a handoff, a script and
 * the end of a contract stand beside disks, hashes and git.
 */

import { DECISION_KINDS, type DecisionKind } from "@portcullis/runtime";
import type { Percentile } from "./percentiles.ts";

/** Nanoseconds, without the time of reading the clock. */
export interface Bound {
  readonly p99: number;
  readonly p999: number;
}

/** Milliseconds of the first decision after loading. */
export const FIRST_MS = 1;

const TYPICAL: Bound = { p99: 10_000, p999: 100_000 };
const LARGE: Bound = { p99: 25_000, p999: 100_000 };
const BESIDE_DISKS: Bound = { p99: 100_000, p999: 250_000 };

const CLASSES: Readonly<Record<DecisionKind, { readonly typical: Bound; readonly large: Bound }>> = {
  lane: { typical: TYPICAL, large: LARGE },
  tool: { typical: TYPICAL, large: LARGE },
  subagent: { typical: TYPICAL, large: LARGE },
  lineage: { typical: TYPICAL, large: LARGE },
  call: { typical: TYPICAL, large: LARGE },
  handoff: { typical: BESIDE_DISKS, large: BESIDE_DISKS },
  exec: { typical: BESIDE_DISKS, large: BESIDE_DISKS },
  close: { typical: BESIDE_DISKS, large: BESIDE_DISKS },
};

export function boundOf(kind: DecisionKind, isLarge: boolean): Bound {
  return CLASSES[kind][isLarge ? "large" : "typical"];
}

/** The bound of an entrypoint on these requests. An author's own one stands in front of a tool call, as far as anyone can tell. */
export function boundOfEntrypoint(entrypoint: string, requests: readonly unknown[]): Bound {
  const kind = DECISION_KINDS.find((name) => entrypoint === `portcullis/${name}/decision`);
  return boundOf(kind ?? "call", requests.some(isLargeRequest));
}

/** A chain of ten agents, or five writes. */
function isLargeRequest(request: unknown): boolean {
  const { lineage, writes } = (request ?? {}) as { readonly lineage?: unknown; readonly writes?: unknown };
  return (Array.isArray(lineage) && lineage.length >= 10) || (Array.isArray(writes) && writes.length >= 5);
}

/** A figure exceeds its bound where the whole range of its passes lies above it, the time of reading the clock taken off. */
export function isExceeded({ low }: Pick<Percentile, "low">, bound: number, clockNs: number): boolean {
  return low - clockNs > bound;
}
