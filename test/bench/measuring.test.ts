/** What turns times into numbers, on contenders whose times are known. */

import { DECISION_KINDS, type DecisionKind } from "@portcullis/runtime";
import { afterEach, describe, expect, it, vi } from "vitest";
import { growthOf } from "../../bench/footprint.ts";
import { type Contender, interleave, spreadOf } from "../../bench/interleave.ts";
import { newRequests, workingSet } from "../../bench/parts/supply.ts";
import { exceededBy, exceededByServices, holds } from "../../bench/requirement.ts";
import type { Results } from "../../bench/results.ts";
import { time } from "../../bench/tables.ts";
import type { RequestSize, Workload } from "../../bench/workloads/index.ts";
import { histogramOf, newPasses, PASSES, percentilesOf, timePasses } from "../../compiler/cli/bench/percentiles.ts";

afterEach(() => vi.restoreAllMocks());

/** A clock that a decision itself moves on, by the milliseconds that it is to take. */
function fakeClock(): { pass(ms: number): void } {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  return { pass: (ms) => void (now += ms) };
}

const workload = (different: number): Workload => ({
  kind: "lane",
  size: "typical",
  what: "",
  outcome: "allow",
  gate: "ALLOW",
  different,
  make: (index) => ({ n: index % different }),
});

const figure = (low: number) => ({ ns: low + 900, low, high: low + 1800 });
const CLOCK = 50;
const row = (kind: DecisionKind, size: RequestSize, p99: number, p999: number, medianMs = 1) => ({
  ...{ kind, size, first: { processes: 7, medianMs, maxMs: 9 } },
  ...{ p99: figure(p99 + CLOCK), p999: figure(p999 + CLOCK) },
});

describe("percentilesOf", () => {
  it("tells the middle, the slow and the slowest apart, and how much the passes differ", () => {
    const clock = fakeClock();
    let asked = 0;
    // Every hundredth decision takes 100 times as long, every thousandth 1,000 times; the last pass takes double. Those before
    // a thousand take longest, and count for nothing.
    const decide = (request: string): void => {
      asked++;
      const { n } = JSON.parse(request) as { n: number };
      const at = (n % 1008) - 8;
      const number = Math.floor(n / 1008) * 1000 + at + 1;
      const times = number > 24_000 ? 2 : 1;
      clock.pass(at < 0 ? 10 : times * (number % 1000 === 0 ? 1 : number % 100 === 0 ? 0.1 : 0.001));
    };
    const passes = timePasses(decide, newRequests(workload(Number.POSITIVE_INFINITY)), 20_000);
    const measured = percentilesOf(passes);
    // 8,000 to warm up, as many as were asked for, and eight before each thousand.
    expect(asked).toBe(28_000 + 28 * 8);
    expect(PASSES).toBe(5);
    expect(measured).toEqual({
      decisions: 20_000,
      p50: { ns: 1000, low: 1000, high: 2000 },
      p99: { ns: 2000, low: 1000, high: 2000 },
      p999: { ns: 200_000, low: 100_000, high: 200_000 },
      maxNs: 2_000_000,
    });
    const bars = histogramOf(passes).filter((bar) => bar.decisions > 0);
    expect(bars).toEqual([
      { upToNs: 1000, decisions: 15_840 },
      { upToNs: 2000, decisions: 3960 },
      { upToNs: 100_000, decisions: 144 },
      { upToNs: 200_000, decisions: 36 },
      { upToNs: 1_000_000, decisions: 16 },
      { upToNs: 2_000_000, decisions: 4 },
    ]);
  });

  it("asks nothing twice that need not come twice", () => {
    const seen = new Set<unknown>();
    let asked = 0;
    const decide = (request: string): void => {
      asked++;
      seen.add(request);
    };
    timePasses(decide, newRequests(workload(Number.POSITIVE_INFINITY)), 100);
    expect(seen.size).toBe(asked);
  });

  it("lets others have passes between, so that a slow while is one pass of each", () => {
    const clock = fakeClock();
    let takes = 0.001;
    const ours = [1, 2].map(() => newPasses(() => clock.pass(takes), newRequests(workload(9)), 500));
    const times = ours.map((): Float64Array[] => []);
    for (let pass = 0; pass < PASSES; pass++) {
      takes = pass === 2 ? 0.004 : 0.001;
      for (const [i, next] of ours.entries()) times[i]?.push(next());
    }
    for (const passes of times) {
      expect(passes.map(({ length }) => length)).toEqual([100, 100, 100, 100, 100]);
      expect(percentilesOf(passes).p50).toEqual({ ns: 1000, low: 1000, high: 4000 });
    }
  });
});

describe("interleave", () => {
  const sampling = { rounds: 5, batch: 32, warmMs: 0 };

  it("gives times and ratios to the limit", () => {
    const clock = fakeClock();
    const contender = (name: string, ms: number): Contender => ({ name, decide: () => clock.pass(ms) });
    const measured = interleave(
      [contender("limit", 0.01), contender("slow", 0.05)],
      "limit",
      newRequests(workload(9)),
      sampling,
    );
    const [limit, slow] = measured;
    expect(measured.map((m) => m.name)).toEqual(["limit", "slow"]);
    expect(limit?.ns).toBeCloseTo(10_000, 3);
    expect(slow?.ns).toBeCloseTo(50_000, 3);
    expect(limit?.ratio).toBeUndefined();
    expect(slow?.ratio?.median).toBeCloseTo(5, 9);
  });

  it("takes the ratio within a round, so that a slow phase of the machine does not count", () => {
    const clock = fakeClock();
    // A machine that is ten times slower in every other round; the texts of a round tell which it is.
    const numbers = newRequests(workload(Number.POSITIVE_INFINITY));
    let round = 0;
    const supply = (count: number): readonly string[] => {
      if (count === sampling.batch) round++;
      return numbers(count);
    };
    const contender = (name: string, ms: number): Contender => ({
      name,
      decide: () => clock.pass(ms * (round % 2 === 0 ? 1 : 10)),
    });
    const [first, second] = interleave(
      [contender("limit", 0.01), contender("double", 0.02)],
      "limit",
      supply,
      sampling,
    );
    expect((first?.high ?? 0) / (first?.low ?? 1)).toBeCloseTo(10, 6);
    expect(second?.ratio).toEqual({
      median: expect.closeTo(2, 9),
      low: expect.closeTo(2, 9),
      high: expect.closeTo(2, 9),
    });
  });

  it("has no ratio without a limit", () => {
    const clock = fakeClock();
    const only = { name: "only", decide: () => clock.pass(0.01) };
    expect(interleave([only], undefined, newRequests(workload(9)), sampling)[0]?.ratio).toBeUndefined();
  });

  it("gives each contender the same requests in a round, as objects of its own", () => {
    const clock = fakeClock();
    const seen: Record<string, { readonly n: number }[]> = { a: [], b: [] };
    const contender = (name: string): Contender => ({
      name,
      decide: (request: { readonly n: number }) => {
        seen[name]?.push(request);
        clock.pass(0.001);
      },
    });
    interleave([contender("a"), contender("b")], "a", newRequests(workload(Number.POSITIVE_INFINITY)), sampling);
    // Five rounds of 32, and 8 before each of them.
    const [a, b] = [seen["a"]?.slice(-200) ?? [], seen["b"]?.slice(-200) ?? []];
    expect(a.length).toBe(200);
    expect(a.map(({ n }) => n)).toEqual(b.map(({ n }) => n));
    expect(new Set([...a, ...b]).size).toBe(400);
  });

  it("asks a slow contender less in a round", () => {
    const clock = fakeClock();
    let asked = 0;
    const decide = (): void => {
      asked++;
      clock.pass(10);
    };
    const slow = { name: "slow", decide };
    interleave([slow], undefined, newRequests(workload(9)), { rounds: 10, batch: 32, warmMs: 0 });
    // To warm up, and in each round 8 that count and 8 before them.
    expect(asked).toBe(3 * 8 + 10 * (8 + 8));
  });
});

describe("spreadOf", () => {
  it("is the median with a quarter of the values below and above", () => {
    expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4 });
    expect(spreadOf([7])).toEqual({ median: 7, low: 7, high: 7 });
  });
});

describe("requests", () => {
  it("never come twice while there are new ones", () => {
    const supply = newRequests(workload(100));
    expect(new Set([...supply(60), ...supply(40)]).size).toBe(100);
  });

  it("of a working set are those of the set, and over time all of them", () => {
    const supply = workingSet(workload(1000), 10);
    const numbers = supply(500).map((text) => (JSON.parse(text) as { readonly n: number }).n);
    expect([...new Set(numbers)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

describe("REQ-14", () => {
  /** From the requirement's table, in nanoseconds. */
  const BOUNDS: readonly (readonly [readonly DecisionKind[], RequestSize, number, number])[] = [
    [["lane", "tool", "subagent", "lineage", "call"], "small", 10_000, 100_000],
    [["lane", "tool", "subagent", "lineage", "call"], "typical", 10_000, 100_000],
    [["lane", "tool", "subagent", "lineage", "call"], "large", 25_000, 100_000],
    [["handoff", "exec", "close"], "small", 100_000, 250_000],
    [["handoff", "exec", "close"], "typical", 100_000, 250_000],
    [["handoff", "exec", "close"], "large", 100_000, 250_000],
  ];

  it.each(BOUNDS)("of %j, %s: 99 %% <= %d, 99.9 %% <= %d", (kinds, size, p99, p999) => {
    for (const kind of kinds) {
      expect(exceededBy(row(kind, size, p99, p999), CLOCK)).toEqual([]);
      expect(exceededBy(row(kind, size, p99 + 1, p999), CLOCK)).toEqual(["99 %"]);
      expect(exceededBy(row(kind, size, p99, p999 + 1), CLOCK)).toEqual(["99.9 %"]);
    }
  });

  it("bounds the first decision by the median of processes, where it was measured", () => {
    expect(exceededBy(row("lane", "typical", 1, 1, 1.01), CLOCK)).toEqual(["first"]);
    const { first: _, ...unmeasured } = row("lane", "typical", 1, 1, 1.01);
    expect(exceededBy(unmeasured, CLOCK)).toEqual([]);
  });

  it("has a class for every kind", () => {
    expect(
      BOUNDS.filter(([, size]) => size === "typical")
        .flatMap(([kinds]) => kinds)
        .sort(),
    ).toEqual([...DECISION_KINDS].sort());
  });
});

describe("exceededByServices", () => {
  const within = { ...row("call", "typical", 10_000, 100_000), what: "" };
  const slow = { ...row("call", "typical", 10_001, 100_000), what: "" };
  const services = (bytes = within, sixteen = within, sixteenBytes = within) => ({
    ...({ policy: "S", kind: "call", size: "typical", what: "" } as const),
    ...{ bytes, sixteen, sixteenBytes },
  });
  const run = (found: ReturnType<typeof services>): Results =>
    ({ clockNs: CLOCK, latency: [within], services: { clockNs: CLOCK, rows: [found] } }) as unknown as Results;

  it("says which way of asking is above the bound", () => {
    expect(exceededByServices(services(), CLOCK)).toEqual([]);
    expect(exceededByServices(services(slow), CLOCK)).toEqual(["from bytes, 99 %"]);
    expect(exceededByServices(services(within, slow), CLOCK)).toEqual(["of sixteen, 99 %"]);
    expect(exceededByServices(services(within, within, slow), CLOCK)).toEqual(["of sixteen, from bytes, 99 %"]);
  });

  it("counts for the whole run, where it was measured", () => {
    expect(holds(run(services()))).toBe(true);
    expect(holds(run(services(within, slow)))).toBe(false);
    expect(holds({ clockNs: CLOCK, latency: [within] } as unknown as Results)).toBe(true);
    expect(holds({ clockNs: CLOCK, latency: [slow] } as unknown as Results)).toBe(false);
  });
});

describe("growthOf", () => {
  it("asks one of each question after the other, and every request of each", () => {
    const asked: string[] = [];
    const question = (name: string, count: number) => ({
      decide: (request: never): void => void asked.push(`${name}${String(request)}`),
      requests: Array.from({ length: count }, (_, i) => i),
    });
    expect(growthOf([question("a", 2), question("b", 3)], 8).decisions).toBe(8);
    expect(asked.slice(-8)).toEqual(["a0", "b0", "a1", "b1", "a0", "b2", "a1", "b0"]);
  });

  it("sees what decisions keep", () => {
    const kept: unknown[] = [];
    const leaking = { decide: () => kept.push(new Array(128).fill(0)), requests: [1] };
    expect(growthOf([leaking], 10_000).heapKb).toBeGreaterThan(5000);
  });
});

describe("times for people", () => {
  it.each([
    [0.4, "0 ns"],
    [999, "999 ns"],
    [1000, "1.00 µs"],
    [12_345, "12.3 µs"],
    [1e6, "1.00 ms"],
    [123_456_789, "123 ms"],
  ])("%d nanoseconds are %s", (ns, text) => {
    expect(time(ns)).toBe(text);
  });
});
