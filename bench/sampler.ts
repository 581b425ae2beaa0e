/**
 * Measures contenders side by side: in every round each runs once, so that a busy machine slows all of them alike. benny
 * runs one contender after the other and cannot do this. Slices are short, so that on a shared machine most of them pass
 * without an interruption. A contender's time is the median of its rounds, its ratio the
 * median of the ratios within rounds.
 */

export interface Contender {
  readonly name: string;
  readonly decide: (request: never) => unknown;
}

export type InputStyle = "same" | "varied" | "fresh";
export const INPUT_STYLES: readonly InputStyle[] = ["same", "varied", "fresh"];

export interface Sampling {
  readonly rounds: number;
  /** How long one contender runs in one round, in milliseconds. */
  readonly sliceMs: number;
}

export interface Measured {
  readonly name: string;
  /** Nanoseconds a decision: median, and the fastest and slowest round. */
  readonly medianNs: number;
  readonly fastestNs: number;
  readonly slowestNs: number;
  /** To the limit, within the same rounds; `undefined` without a limit. */
  readonly ratio: number | undefined;
}

type Runner = (decide: Contender["decide"], requests: readonly unknown[], turns: number) => unknown;

/**
 * A loop of its own for each contender: with one for all, the engine would see every contender at the same call, and would
 * charge the later ones for the earlier.
 */
function newRunner(): Runner {
  return new Function(
    "decide",
    "requests",
    "turns",
    `const count = requests.length;
     let last;
     for (let turn = 0; turn < turns; turn++) for (let i = 0; i < count; i++) last = decide(requests[i]);
     return last;`,
  ) as Runner;
}

/** The requests of one style; `fresh` ones are parsed again before each slice, outside of the clock. */
function supplierOf(style: InputStyle, texts: readonly string[]): () => readonly unknown[] {
  const parseAll = (): unknown[] => texts.map((text) => JSON.parse(text) as unknown);
  switch (style) {
    case "same": {
      const one: unknown = JSON.parse(texts[0] as string);
      const all = texts.map(() => one);
      return () => all;
    }
    case "varied": {
      const all = parseAll().map(withOwnStrings);
      return () => all;
    }
    case "fresh":
      return parseAll;
  }
}

/** A copy in which no string is the same object as another: JSON.parse shares short ones. */
function withOwnStrings(value: unknown): unknown {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("utf8");
  if (Array.isArray(value)) return value.map(withOwnStrings);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withOwnStrings(item)]));
  return value;
}

/** Keeps answers alive, so that no engine can leave a decision out. */
export let lastAnswer: unknown;

export function sample(
  contenders: readonly Contender[],
  limit: string | undefined,
  style: InputStyle,
  texts: readonly string[],
  { rounds, sliceMs }: Sampling,
): Measured[] {
  const lanes = contenders.map((contender) => {
    const supply = supplierOf(style, texts);
    const run = newRunner();
    const requests = supply();
    // Warm up, and find out how many passes fill a slice. What takes milliseconds a decision gets fewer requests.
    const probe = requests.slice(0, 16);
    const began = performance.now();
    run(contender.decide, probe, 1);
    const each = (performance.now() - began) / probe.length;
    const share = Math.max(16, Math.min(texts.length, Math.ceil((sliceMs * 4) / Math.max(each, 1e-4))));
    const own = texts.slice(0, share);
    const supplyShare = share < texts.length ? supplierOf(style, own) : supply;
    let turns = 1;
    for (let i = 0; i < 12; i++) {
      const from = performance.now();
      run(contender.decide, supplyShare(), turns);
      const took = performance.now() - from;
      turns =
        style === "fresh" ? 1 : Math.max(1, Math.min(turns * 8, Math.round((turns * sliceMs) / Math.max(took, 1e-3))));
    }
    return { contender, run, supply: supplyShare, share, turns, times: [] as number[] };
  });
  for (let round = 0; round < rounds; round++) {
    for (const lane of lanes) {
      // A fresh request is used once: passes of new ones until the slice is full.
      let spent = 0;
      let decisions = 0;
      do {
        const requests = lane.supply();
        const from = performance.now();
        lastAnswer = lane.run(lane.contender.decide, requests, lane.turns);
        spent += performance.now() - from;
        decisions += lane.turns * lane.share;
      } while (style === "fresh" && spent < sliceMs);
      lane.times.push((spent * 1e6) / decisions);
    }
  }
  const limitTimes = lanes.find(({ contender }) => contender.name === limit)?.times;
  return lanes.map(({ contender, times }) => {
    const ratios = limitTimes?.map((limitTime, i) => (times[i] as number) / limitTime);
    return {
      name: contender.name,
      medianNs: median(times),
      fastestNs: Math.min(...times),
      slowestNs: Math.max(...times),
      ratio: ratios === undefined ? undefined : median(ratios),
    };
  });
}

export interface Percentiles {
  readonly decisions: number;
  readonly p50Ns: number;
  readonly p99Ns: number;
  readonly p999Ns: number;
  readonly maxNs: number;
  /** What reading the clock costs; it is part of the numbers above. */
  readonly clockNs: number;
}

/** Times single decisions. */
export function percentilesOf(
  decide: Contender["decide"],
  requests: readonly unknown[],
  decisions: number,
): Percentiles {
  const times = new Float64Array(decisions);
  const clock = new Float64Array(1000);
  const measure = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const request = requests[i % requests.length] as never;
      const from = performance.now();
      lastAnswer = decide(request);
      times[i % decisions] = performance.now() - from;
    }
  };
  measure(Math.min(decisions, 20_000));
  measure(decisions);
  for (let i = 0; i < clock.length; i++) {
    const from = performance.now();
    clock[i] = performance.now() - from;
  }
  times.sort();
  clock.sort();
  const at = (share: number): number => Math.round((times[Math.floor(share * (decisions - 1))] as number) * 1e6);
  return {
    decisions,
    p50Ns: at(0.5),
    p99Ns: at(0.99),
    p999Ns: at(0.999),
    maxNs: at(1),
    clockNs: Math.round((clock[clock.length >> 1] as number) * 1e6),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}
