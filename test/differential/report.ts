/** What `make fuzz` says in the end. */

import { OPA_REFUSES } from "./opa-refuses.ts";
import { seedsThatDiffer, type Tally } from "./tally.ts";

export interface Finished extends Tally {
  readonly firstSeed: number;
  readonly nextSeed: number;
  readonly seconds: number;
}

/** Seeds that are printed of those that OPA refuses. */
const SHOWN = 8;

export function summaryText(result: Finished): string {
  const { firstSeed, nextSeed, compared, refused, refusedByOpa, conflicts, passedOver, unasked, seconds } = result;
  const differ = seedsThatDiffer(result);
  const rate = compared / Math.max(seconds, 0.001);
  const seedsOf = (seeds: readonly number[]): string =>
    `seeds ${seeds.slice(0, SHOWN).join(" ")}${seeds.length > SHOWN ? " …" : ""}`;
  const lines = [
    `seeds ${firstSeed} to ${nextSeed - 1}: ${compared} compared, ${total(Object.values(refused))} refused, ${differ.length} differ; ${seconds.toFixed(0)} s, ${rate.toFixed(0)} a second`,
    ...byCount(refused).map(([why, count]) => `  ${String(count).padStart(6)} refused: ${why}`),
    ...Object.entries(refusedByOpa).map(
      ([code, seeds]) =>
        `  ${String(seeds.length).padStart(6)} refused by opa: ${code}, ${seedsOf(seeds)} (${OPA_REFUSES[code]})`,
    ),
    ...(conflicts > 0 ? [`  ${String(conflicts).padStart(6)} contradictions that opa meets, too`] : []),
    ...(passedOver.length > 0
      ? [
          `  ${String(passedOver.length).padStart(6)} contradictions that an index of opa's passes over, and it meets without: ${seedsOf(passedOver)}`,
        ]
      : []),
    ...(unasked.length > 0
      ? [
          `  ${String(unasked.length).padStart(6)} contradictions that opa alone meets, in groups that nothing asks for: ${seedsOf(unasked)}`,
        ]
      : []),
  ];
  if (differ.length > 0)
    lines.push(
      `seeds that differ: ${differ.join(" ")}`,
      `one of them again: make fuzz RUNS=1 SEED=${differ[0]}; to look at it: make fuzz SEED=${differ[0]} ARGS=--show`,
    );
  return lines.join("\n");
}

export function summaryJson(result: Finished): string {
  return JSON.stringify({ ...result, differ: seedsThatDiffer(result) }, null, 2);
}

function byCount(counts: { readonly [why: string]: number }): [string, number][] {
  return Object.entries(counts).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, n) => sum + n, 0);
}
