/**
 * Times single decisions. Requests are made, and the garbage of that is collected, a thousand at a time, while no clock runs.
 * That leaves nothing of a decision in the processor's caches, so a few others are decided first: else every thousandth
 * decision would tell what the measuring itself did. Reading the clock is part of each time and is not taken off: it is told
 * beside them.
 */

import { collectGarbage } from "./garbage.ts";

/** Nanoseconds of all decisions, and the least and the most of the passes: how much the machine moves it. */
export interface Percentile {
  readonly ns: number;
  readonly low: number;
  readonly high: number;
}

export interface Percentiles {
  readonly decisions: number;
  readonly p50: Percentile;
  readonly p99: Percentile;
  readonly p999: Percentile;
  readonly maxNs: number;
}

/** `count` decisions took at most this long, and longer than the bar before. */
export interface Bar {
  readonly upToNs: number;
  readonly decisions: number;
}

export const PASSES = 5;
const CHUNK = 1000;
/** Decided before the clock runs, by each policy. */
export const BEFORE = 8;
const MOST_WARM = 20_000;

/** Kept for others to see, so that no engine can leave a decision out. */
export let lastAnswer: unknown;

/** Sorted milliseconds, a list each pass. `supply` gives the next requests, as many as asked for. */
export function timePasses(
  decide: (request: never) => unknown,
  supply: (count: number) => readonly unknown[],
  decisions: number,
): readonly Float64Array[] {
  const timed = newPasses(decide, supply, decisions);
  return Array.from({ length: PASSES }, timed);
}

/** The same pass by pass, for callers that time something else in between. Warmed up already; to be called PASSES times. */
export function newPasses(
  decide: (request: never) => unknown,
  supply: (count: number) => readonly unknown[],
  decisions: number,
  before = BEFORE,
): () => Float64Array {
  const each = Math.ceil(decisions / PASSES);
  timesOf(decide, supply, Math.min(each * 2, MOST_WARM), before);
  return () => timesOf(decide, supply, each, before).sort();
}

export function percentilesOf(passes: readonly Float64Array[]): Percentiles {
  const all = together(passes);
  const percentile = (share: number): Percentile => {
    const ofPasses = passes.map((times) => at(times, share));
    return { ns: at(all, share), low: Math.min(...ofPasses), high: Math.max(...ofPasses) };
  };
  return {
    decisions: all.length,
    p50: percentile(0.5),
    p99: percentile(0.99),
    p999: percentile(0.999),
    maxNs: at(all, 1),
  };
}

/** Bars at 1, 2 and 5 of each power of ten, from the first to the last that has decisions. */
export function histogramOf(passes: readonly Float64Array[]): Bar[] {
  const bars: Bar[] = [];
  const all = together(passes);
  for (let power = 1, next = 0; next < all.length; power *= 10) {
    for (const upToNs of [power, power * 2, power * 5]) {
      const before = next;
      while (next < all.length && Math.round((all[next] as number) * 1e6) <= upToNs) next++;
      if (next > before || (bars.length > 0 && next < all.length)) bars.push({ upToNs, decisions: next - before });
    }
  }
  return bars;
}

/** What reading the clock costs, in nanoseconds. */
export function clockCost(): number {
  const times = Float64Array.from({ length: 10_000 }, () => {
    const from = performance.now();
    return performance.now() - from;
  });
  return at(times.sort(), 0.5);
}

function timesOf(
  decide: (request: never) => unknown,
  supply: (count: number) => readonly unknown[],
  count: number,
  before: number,
): Float64Array {
  const times = new Float64Array(count);
  for (let done = 0; done < count; done += CHUNK) {
    const timed = Math.min(CHUNK, count - done);
    const requests = supply(before + timed);
    collectGarbage();
    for (let i = 0; i < before; i++) lastAnswer = decide(requests[i] as never);
    for (let i = 0; i < timed; i++) {
      const request = requests[before + i] as never;
      const from = performance.now();
      lastAnswer = decide(request);
      times[done + i] = performance.now() - from;
    }
  }
  return times;
}

function together(passes: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(passes.reduce((sum, { length }) => sum + length, 0));
  let next = 0;
  for (const times of passes) {
    all.set(times, next);
    next += times.length;
  }
  return all.sort();
}

/** Nanoseconds at a share of sorted milliseconds. */
function at(sorted: Float64Array, share: number): number {
  return Math.round((sorted[Math.floor(share * (sorted.length - 1))] as number) * 1e6);
}
