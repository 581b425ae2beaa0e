/** How long tests take: each is evaluated for a while, after it passed. */

import type { Policy } from "@portcullis/runtime";
import type { TestRule } from "../analyze/index.ts";
import { testName } from "./rule-tests.ts";
import type { TestResult } from "./test-result.ts";

/** One measurement of one test. */
export interface TestBenchmark {
  readonly name: string;
  readonly runs: number;
  /** Nanoseconds that one evaluation took, on average; `print` and `trace` of the test included. */
  readonly nanoseconds: number;
}

/** How long each test is evaluated, and how many evaluations go between two looks at the clock at most. */
const [MEASURED_MS, MOST_BETWEEN] = [100, 4096];

/** Measures each test that passed, `count` times. `forget` drops what the host heard. Cost: a tenth of a second each. */
export function benchTests(
  policy: Policy,
  rules: readonly TestRule[],
  results: readonly TestResult[],
  count: number,
  forget: () => unknown,
): TestBenchmark[] {
  const passed = new Set(results.filter((r) => r.outcome === "pass").map((r) => r.name));
  return rules
    .filter((rule) => passed.has(testName(rule)))
    .flatMap((rule) => Array.from({ length: count }, () => measure(policy, rule, forget)));
}

function measure(policy: Policy, rule: TestRule, forget: () => unknown): TestBenchmark {
  const began = performance.now();
  let [runs, between, took] = [0, 1, 0];
  while (took < MEASURED_MS) {
    for (let i = 0; i < between; i++) policy.evaluate(rule.ref, undefined);
    forget();
    runs += between;
    took = performance.now() - began;
    between = Math.min(between * 2, MOST_BETWEEN);
  }
  return { name: testName(rule), runs, nanoseconds: Math.round((took * 1e6) / runs) };
}
