/** Measures single decisions of one entrypoint, over all inputs in turn. */

import type { Policy } from "@portcullis/runtime";
import { CliError, EXIT_USAGE } from "../exit.ts";
import type { BenchInput } from "./inputs.ts";
import { type Bar, clockCost, histogramOf, type Percentile, percentilesOf, timePasses } from "./percentiles.ts";

export const LIMITS = ["median", "p99", "p999"] as const;
export type Limit = (typeof LIMITS)[number];

export interface Measurement {
  readonly decisions: number;
  readonly percentiles: Readonly<Record<Limit, Percentile>>;
  readonly slowestNs: number;
  /** The first decision of this process. */
  readonly firstNs: number;
  /** The cost of reading the clock; part of every figure. */
  readonly clockNs: number;
  readonly histogram: readonly Bar[];
  /** What is decided, an answer for each input. */
  readonly answers: readonly unknown[];
}

/** Throws CliError for an evaluation that fails: its time would say nothing. */
export function measure(
  policy: Policy,
  entrypoint: string,
  inputs: readonly BenchInput[],
  decisions: number,
): Measurement {
  const values = inputs.map(({ text }) => inputOf(text));
  const from = performance.now();
  policy.evaluate(entrypoint, values[0]);
  const firstNs = Math.round((performance.now() - from) * 1e6);
  const answers = inputs.map(({ name, text }) => {
    const answer = policy.evaluate(entrypoint, inputOf(text));
    const fault = policy.lastFault;
    if (fault !== undefined)
      throw new CliError(`\`${entrypoint}\` cannot be measured with ${name}: ${fault.message}`, EXIT_USAGE);
    return answer;
  });
  let next = 0;
  const passes = timePasses(
    (input) => policy.evaluate(entrypoint, input),
    (count) => Array.from({ length: count }, () => inputOf(inputs[next++ % inputs.length]?.text)),
    decisions,
  );
  const { decisions: timed, p50, p99, p999, maxNs } = percentilesOf(passes);
  return {
    decisions: timed,
    percentiles: { median: p50, p99, p999 },
    slowestNs: maxNs,
    firstNs,
    clockNs: clockCost(),
    histogram: histogramOf(passes),
    answers,
  };
}

function inputOf(text: string | undefined): unknown {
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
