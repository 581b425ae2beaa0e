/** REQ-14 over a record of the benchmark: which figures of a row are above the bound of its class. */

import { boundOf, FIRST_MS, isExceeded } from "../compiler/cli/bench/requirement.ts";
import type { LatencyRow } from "./results.ts";

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
