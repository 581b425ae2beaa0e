/** REQ-14 over a record of the benchmark: which figures of a row are above the bound of its class. */

import type { Percentiles } from "../compiler/cli/bench/percentiles.ts";
import { boundOf, FIRST_MS, isExceeded } from "../compiler/cli/bench/requirement.ts";
import type { LatencyRow, Results, ServiceRow } from "./results.ts";

/** The first decision after loading, in processes of their own: milliseconds. */
export interface First {
  readonly processes: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

/** What is above the bound; exactly the bound is not. `clockNs` is what reading the clock takes. Of first decisions the median counts. */
export function exceededBy(
  { kind, size, p99, p999, first }: Pick<LatencyRow, "kind" | "size" | "p99" | "p999" | "first">,
  clockNs: number,
): string[] {
  const bound = boundOf(kind, size === "large");
  const found: string[] = [];
  if (isExceeded(p99, bound.p99, clockNs)) found.push("99 %");
  if (isExceeded(p999, bound.p999, clockNs)) found.push("99.9 %");
  if (first !== undefined && first.medianMs > FIRST_MS) found.push("first");
  return found;
}

type Figures = Pick<Percentiles, "p99" | "p999">;

/** The same of a row of services: each way of asking by its name. */
export function exceededByServices(
  {
    kind,
    size,
    bytes,
    sixteen,
    sixteenBytes,
  }: Pick<ServiceRow, "kind" | "size"> & Record<"bytes" | "sixteen" | "sixteenBytes", Figures>,
  clockNs: number,
): string[] {
  const above = (how: string, percentiles: Figures): string[] =>
    exceededBy({ kind, size, ...percentiles }, clockNs).map((what) => `${how}${what}`);
  return [
    ...above("from bytes, ", bytes),
    ...above("of sixteen, ", sixteen),
    ...above("of sixteen, from bytes, ", sixteenBytes),
  ];
}

/** Whether every figure of a run is within its bound. */
export function holds({ latency, services, clockNs }: Results): boolean {
  return (
    latency.every((row) => exceededBy(row, clockNs).length === 0) &&
    (services?.rows ?? []).every((row) => exceededByServices(row, services?.clockNs ?? 0).length === 0)
  );
}
