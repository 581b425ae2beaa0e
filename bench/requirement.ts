/**
 * REQ-14, the latency of a decision: single decisions through the typed API on requests that were never asked before, and the
 * very first decision of a process. The budget is bench/budget.json: a median for each kind and size of request, and for all of
 * them the 99th and 99.9th percentile and the first.
 */

import type { DecisionKind } from "@portcullis/runtime";
import type { Percentiles } from "../compiler/cli/bench/percentiles.ts";
import budget from "./budget.json" with { type: "json" };
import type { RequestSize } from "./workloads/index.ts";

/** The first decision after loading, in processes of their own: milliseconds. */
export interface First {
  readonly processes: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

const MEDIANS: Readonly<Record<string, Readonly<Partial<Record<RequestSize, number>>>>> = budget.medianNs;

export const BUDGET = { p99Ns: budget.p99Ns, p999Ns: budget.p999Ns, firstMs: budget.firstMs } as const;

/** Throws for a kind without a budget: an unjudged kind would always hold. */
export function medianBudget(kind: DecisionKind, size: RequestSize): number {
  const limit = MEDIANS[kind]?.[size];
  if (limit === undefined) throw new Error(`bench/budget.json has no median for ${kind}, ${size}`);
  return limit;
}

/** What is over the budget; exactly the budget is not. Of the first decisions the median counts. */
export function exceededBy(
  kind: DecisionKind,
  size: RequestSize,
  { p50, p99, p999 }: Pick<Percentiles, "p50" | "p99" | "p999">,
  first: Pick<First, "medianMs"> | undefined,
): string[] {
  const found: string[] = [];
  if (p50.ns > medianBudget(kind, size)) found.push("median");
  if (p99.ns > BUDGET.p99Ns) found.push("99 %");
  if (p999.ns > BUDGET.p999Ns) found.push("99.9 %");
  if (first !== undefined && first.medianMs > BUDGET.firstMs) found.push("first");
  return found;
}
