/**
 * Measures contenders side by side: in every round each runs once, so that a busy machine slows all of them alike. Each gets
 * request objects of its own, parsed from the round's texts, then the garbage is collected, a few other requests are decided,
 * as the contender before has filled the processor's caches, and only then the clock runs: neither making requests nor
 * collecting what that left is part of a time. The order is another in each round. A time is the median of the rounds, a ratio
 * the median of the ratios within rounds. benny runs one contender after the other and cannot do this.
 */

import { collectGarbage } from "../compiler/cli/bench/garbage.ts";
import { type Random, randomOf } from "./random.ts";

export interface Contender {
  readonly name: string;
  readonly decide: (request: never) => unknown;
}

/** The texts of the next requests, as many as asked for. */
export type Supply = (count: number) => readonly string[];

export interface Sampling {
  readonly rounds: number;
  /** Most requests of a round. */
  readonly batch: number;
  /** How long a contender warms up at least, in milliseconds, its requests' parsing not counted. */
  readonly warmMs: number;
}

/** Nanoseconds a decision: the median of the rounds, and between what half of them lie. */
export interface Measured {
  readonly name: string;
  readonly ns: number;
  readonly low: number;
  readonly high: number;
  /** The same of the ratio to the limit, within rounds; absent without a limit, and for the limit itself. */
  readonly ratio?: Spread;
}

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

type Runner = (decide: Contender["decide"], requests: readonly unknown[]) => unknown;

/**
 * A loop of its own for each contender: with one for all, the engine would see every contender at the same call, and would
 * charge the later ones for the earlier.
 */
function newRunner(): Runner {
  return new Function(
    "decide",
    "requests",
    `const count = requests.length;
     let last;
     for (let i = 0; i < count; i++) last = decide(requests[i]);
     return last;`,
  ) as Runner;
}

/** Keeps answers alive, so that no engine can leave a decision out. */
export let lastAnswer: unknown;

/** A slow contender gets fewer of a round's requests, but at least this many. */
const FEWEST = 8;
/** How long one contender may take of a round, in milliseconds. */
const SHARE_MS = 4;

export function interleave(
  contenders: readonly Contender[],
  limit: string | undefined,
  supply: Supply,
  { rounds, batch, warmMs }: Sampling,
): Measured[] {
  const lanes = contenders.map(({ name, decide }) => {
    const run = newRunner();
    const parsed = (texts: readonly string[]): readonly unknown[] => texts.map((text) => JSON.parse(text) as unknown);
    const time = (before: readonly string[], texts: readonly string[]): number => {
      const others = parsed(before);
      const requests = parsed(texts);
      collectGarbage();
      lastAnswer = run(decide, others);
      const from = performance.now();
      lastAnswer = run(decide, requests);
      return (performance.now() - from) / requests.length;
    };
    let spent = 0;
    let each = 0;
    for (let pass = 0; pass < 3 || (spent < warmMs && pass < 400); pass++) {
      const count = pass === 0 ? FEWEST : shareOf(each, batch);
      each = time([], supply(count));
      spent += each * count;
    }
    return { name, time, count: shareOf(each, batch), times: [] as number[] };
  });
  const random = randomOf(rounds);
  for (let round = 0; round < rounds; round++) {
    const before = supply(FEWEST);
    const texts = supply(batch);
    for (const lane of shuffled(lanes, random)) lane.times.push(lane.time(before, texts.slice(0, lane.count)) * 1e6);
  }
  const limitTimes = lanes.find(({ name }) => name === limit)?.times;
  return lanes.map(({ name, times }) => {
    const { median, low, high } = spreadOf(times);
    const ratios = name === limit ? undefined : limitTimes?.map((limitTime, i) => (times[i] as number) / limitTime);
    return { name, ns: median, low, high, ...(ratios === undefined ? {} : { ratio: spreadOf(ratios) }) };
  });
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

function shareOf(eachMs: number, batch: number): number {
  return Math.max(FEWEST, Math.min(batch, Math.floor(SHARE_MS / Math.max(eachMs, 1e-6))));
}

/** The median, and the quartiles below and above it. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] as number;
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
