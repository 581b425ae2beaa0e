/** What turns times into numbers, on contenders whose times are known. */

import { afterEach, describe, expect, it, vi } from "vitest";
import budget from "../../bench/budget.json" with { type: "json" };
import { growthOf } from "../../bench/footprint.ts";
import { time } from "../../bench/report.ts";
import { exceededBy } from "../../bench/requirement.ts";
import { type Contender, INPUT_STYLES, percentilesOf, sample } from "../../bench/sampler.ts";

afterEach(() => vi.restoreAllMocks());

/** A clock that a decision itself moves on, by the milliseconds that it is to take. */
function fakeClock(): { pass(ms: number): void } {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  return { pass: (ms) => void (now += ms) };
}

describe("percentilesOf", () => {
  it("tells the middle, the slow and the slowest apart", () => {
    const clock = fakeClock();
    let asked = 0;
    // Every hundredth decision takes 100 times as long, every thousandth 1,000 times.
    const decide = (): void => {
      asked++;
      clock.pass(asked % 1000 === 0 ? 1 : asked % 100 === 0 ? 0.1 : 0.001);
    };
    const measured = percentilesOf(decide, [{}], 20_000);
    expect(asked).toBe(40_000);
    expect(measured).toEqual({
      decisions: 20_000,
      p50Ns: 1000,
      p99Ns: 1000,
      p999Ns: 100_000,
      maxNs: 1_000_000,
      clockNs: 0,
    });
  });

  it("asks every request in turn", () => {
    const seen: unknown[] = [];
    percentilesOf((request: unknown) => seen.push(request), ["a", "b", "c"], 6);
    expect(seen.slice(-6)).toEqual(["a", "b", "c", "a", "b", "c"]);
  });
});

describe("sample", () => {
  const texts = Array.from({ length: 32 }, (_, i) => JSON.stringify({ a: `text ${i % 4}`, n: [i] }));

  it.each(INPUT_STYLES)("gives times and ratios to the limit, requests %s", (style) => {
    const clock = fakeClock();
    const contender = (name: string, ms: number): Contender => ({ name, decide: () => clock.pass(ms) });
    const measured = sample([contender("limit", 0.01), contender("slow", 0.05)], "limit", style, texts, {
      rounds: 5,
      sliceMs: 0.5,
    });
    const [limit, slow] = measured;
    expect(measured.map((m) => m.name)).toEqual(["limit", "slow"]);
    expect(limit?.medianNs).toBeCloseTo(10_000, 3);
    expect(slow?.medianNs).toBeCloseTo(50_000, 3);
    expect(limit?.ratio).toBeCloseTo(1, 9);
    expect(slow?.ratio).toBeCloseTo(5, 9);
  });

  it("has no ratio without a limit", () => {
    const clock = fakeClock();
    const only = { name: "only", decide: () => clock.pass(0.01) };
    expect(sample([only], undefined, "same", texts, { rounds: 3, sliceMs: 0.1 })[0]?.ratio).toBeUndefined();
  });

  it.each([
    ["same", 1],
    ["varied", 32],
  ] as const)("asks with as many objects as the style says: %s", (style, objects) => {
    const clock = fakeClock();
    const seen = new Set<unknown>();
    const decide = (request: unknown): void => {
      seen.add(request);
      clock.pass(0.001);
    };
    sample([{ name: "only", decide }], undefined, style, texts, { rounds: 3, sliceMs: 0.1 });
    expect(seen.size).toBe(objects);
  });

  it("uses a fresh request once", () => {
    const clock = fakeClock();
    const seen = new Set<unknown>();
    let asked = 0;
    const decide = (request: unknown): void => {
      asked++;
      seen.add(request);
      clock.pass(0.001);
    };
    sample([{ name: "only", decide }], undefined, "fresh", texts, { rounds: 3, sliceMs: 0.01 });
    // The first requests also warm up.
    expect(asked - seen.size).toBeLessThanOrEqual(32);
    expect(seen.size).toBeGreaterThan(64);
  });
});

describe("the budget", () => {
  const within = { p50Ns: budget.medianNs, p99Ns: budget.p99Ns, p999Ns: budget.p999Ns };

  it("holds when it is met exactly", () => {
    expect(exceededBy(within, budget.firstDecisionMs)).toEqual([]);
  });

  it.each([
    [{ ...within, p50Ns: budget.medianNs + 1 }, 0, ["median"]],
    [{ ...within, p99Ns: budget.p99Ns + 1 }, 0, ["p99"]],
    [{ ...within, p999Ns: budget.p999Ns + 1 }, 0, ["p99.9"]],
    [within, budget.firstDecisionMs * 1.01, ["first"]],
    [{ p50Ns: 1e9, p99Ns: 1e9, p999Ns: 1e9 }, 1e9, ["median", "p99", "p99.9", "first"]],
  ])("names what exceeds it: %j, %d", (measured, firstMs, exceeded) => {
    expect(exceededBy(measured, firstMs)).toEqual(exceeded);
  });

  it("is that of the requirement", () => {
    expect(budget).toEqual({ medianNs: 1000, p99Ns: 10_000, p999Ns: 100_000, firstDecisionMs: 1 });
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
