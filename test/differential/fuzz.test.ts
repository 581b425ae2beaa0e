/** What `make fuzz` is made of besides comparing: its arguments, its processes, its summary. */

import { describe, expect, it } from "vitest";
import { readOptions } from "./options.ts";
import { compareInProcesses } from "./processes.ts";
import { summaryText } from "./report.ts";
import { NOTHING, seedsThatDiffer, sum, type Tally } from "./tally.ts";

describe("arguments", () => {
  it("may be empty, as make passes what is not given", () => {
    const options = readOptions(["--runs", "", "--seed", "", "--jobs", "2", "--with", ""]);
    expect(options).toEqual({ runs: 2000, seed: 1_000_000, jobs: 2, opa: false, json: false, show: false });
  });

  it.each([
    [["--runs", "0"], "RUNS must be a whole number"],
    [["--seed", "1.5"], "SEED must be a whole number"],
    [["--jobs", "many"], "JOBS must be a whole number"],
    [["--with", "OPA"], "WITH can only be opa, not OPA"],
  ])("%j are refused", (args, wrong) => {
    expect(readOptions(args)).toEqual({ wrong });
  });

  it("that are not known are refused", () => {
    expect(readOptions(["--rums", "5"])).toMatchObject({ wrong: expect.stringContaining("--rums") });
  });
});

async function compareMortals(runs: number, jobs: number): Promise<{ tally: Tally; next: number }> {
  let tally = NOTHING;
  const next = await compareInProcesses({
    runs,
    seed: 1,
    jobs,
    opa: false,
    worker: new URL("./fixtures/mortal-worker.mjs", import.meta.url),
    onTally(part) {
      tally = sum(tally, part);
    },
  });
  return { tally, next };
}

describe("processes", () => {
  it.each([1, 3])("%d of them compare as many programs as were asked for, however many are refused", async (jobs) => {
    const { tally, next } = await compareMortals(20, jobs);
    expect(tally.compared).toBe(20);
    expect(tally.refused).toEqual({ "a/code": 2 });
    expect(next).toBe(23);
    expect(seedsThatDiffer(tally)).toEqual([17]);
  });

  it("that die on a program leave the others compared, and that one among those that differ", async () => {
    const { tally, next } = await compareMortals(40, 2);
    expect(tally.compared).toBe(40);
    expect(seedsThatDiffer(tally)).toEqual([17, 23]);
    expect(tally.differences.find((d) => d.seed === 23)?.text).toBe("its process ended with code 7");
    expect(next - 1 - (tally.refused["a/code"] ?? 0)).toBe(41);
  });
});

describe("the summary", () => {
  const result = { ...NOTHING, firstSeed: 1, nextSeed: 43, seconds: 2, compared: 40 };

  it("counts what was compared, and why programs were refused", () => {
    const refusedByOpa = { rego_unsafe_var_error: [4, 9] };
    expect(summaryText({ ...result, refused: { "a/few": 1, "a/many": 3 }, refusedByOpa }).split("\n")).toEqual([
      "seeds 1 to 42: 40 compared, 4 refused, 0 differ; 2 s, 20 a second",
      "       3 refused: a/many",
      "       1 refused: a/few",
      expect.stringMatching(/^ {7}2 refused by opa: rego_unsafe_var_error, seeds 4 9 \(OPA's safety check .*\)$/),
    ]);
  });

  it("counts contradictions apart, and those that only one of both evaluations meets by seed", () => {
    const lines = summaryText({ ...result, conflicts: 3, passedOver: [5, 6], unasked: [7] }).split("\n");
    expect(lines.slice(1)).toEqual([
      "       3 contradictions that opa meets, too",
      "       2 contradictions that an index of opa's passes over, and it meets without: seeds 5 6",
      "       1 contradictions that opa alone meets, in groups that nothing asks for: seeds 7",
    ]);
  });

  it("tells how to look at what differs", () => {
    const differences = [17, 23, 17].map((seed) => ({ seed, text: "…" }));
    expect(summaryText({ ...result, differences })).toContain(
      "seeds that differ: 17 23\none of them again: make fuzz RUNS=1 SEED=17; to look at it: make fuzz SEED=17 ARGS=--show",
    );
  });
});
