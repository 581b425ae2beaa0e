/** Runs the tests of a policy set, and once more for coverage where that was asked for. */

import {
  benchTests,
  evaluationHost,
  notRun,
  runRuleTest,
  TEST_LIMITS,
  type TestBenchmark,
} from "@portcullis/rego/testing";
import { type LoadOptions, load, type Policy } from "@portcullis/runtime";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import type { CompiledTests } from "./compile-tests.ts";
import { type Coverage, measureCoverage } from "./coverage.ts";
import { runDecisionTest } from "./decision-tests.ts";
import type { TestResult } from "./test-result.ts";

/** How a module of tests is loaded, and what runs beside it. */
export interface TestOptions {
  /** The options that the module is loaded with: builtins, sources, limits. Those of yours win over the runner's. */
  readonly load?: LoadOptions;
  /** Tests that need more than the policy, such as files: they run with the others, for coverage too. */
  readonly also?: (policy: Policy) => readonly TestResult[];
  /** Takes the number of the policy set's own tests, once for each time that they run; what it returns is called after each. */
  readonly watch?: (tests: number) => () => void;
  /** How often every test runs; default 1. */
  readonly count?: number;
  /** Each `test_` rule that passed is evaluated again and again, and timed. */
  readonly bench?: boolean;
}

const RUN_TESTS_OPTIONS: TableOf<TestOptions> = {
  load: "object?",
  also: "function?",
  watch: "function?",
  count: "number",
  bench: "boolean",
};

/** The outcome of every test. */
export interface TestReport {
  readonly results: readonly TestResult[];
  /** The gates that the tests reached, by decision. */
  readonly gates: { readonly [decision: string]: readonly string[] };
  /** `undefined` for tests that were compiled without `coverage`. */
  readonly coverage: Coverage | undefined;
  /** With `bench`. */
  readonly benchmarks?: readonly TestBenchmark[];
}

/**
 * Runs decision tests and `test_` rules. `time.now_ns` is the real time, chance is seeded, and there is no network.
 *
 * Cost: one evaluation a test, two with coverage. Rejects with the runtime's LoadError for a module that the runtime refuses:
 * a missing builtin is the one cause, and with a TypeError for an option that is unknown or of another type.
 */
export async function runTests(tests: CompiledTests, given: TestOptions = {}): Promise<TestReport> {
  holdOptions(given, RUN_TESTS_OPTIONS);
  const { load: options = {}, also = () => [], watch = () => () => {}, count = 1, bench = false } = given;
  const limits = { ...TEST_LIMITS, ...options.limits };
  const host = evaluationHost({ ...options, limits });
  const { wasm, decisions, rules } = tests;
  if (wasm === undefined)
    return { results: rules.flatMap((test) => notRun(test) ?? []), gates: {}, coverage: undefined };
  const run = (policy: Policy): TestResult[] => {
    const step = watch(decisions.length + rules.length);
    const stepped = (result: TestResult): TestResult => {
      step();
      return result;
    };
    return [
      ...decisions.map((test) => stepped(runDecisionTest(policy, test))),
      ...rules.map((test) => stepped(notRun(test) ?? runRuleTest(policy, test, host.take))),
      ...also(policy),
    ];
  };
  let results: TestResult[] | undefined;
  // A module that is tested as it reports runs once.
  let benchmarks: TestBenchmark[] | undefined;
  if (wasm !== tests.covering?.wasm) {
    const policy = await load(wasm, host.load);
    results = Array.from({ length: count }, () => run(policy)).flat();
    if (bench) benchmarks = benchTests(policy, rules, results, count, host.take);
  }
  const measured = (policy: Policy): void => {
    const again = run(policy);
    results ??= again;
  };
  const coverage = tests.covering && (await measureCoverage(tests.covering, measured, host.load));
  const explained = (await tests.explain?.(results ?? [], { ...options, limits })) ?? results ?? [];
  return { results: explained, gates: gatesOf(results ?? []), coverage, ...(benchmarks && { benchmarks }) };
}

function gatesOf(results: readonly TestResult[]): TestReport["gates"] {
  const gates: Record<string, string[]> = {};
  for (const { decision, gate } of results) {
    if (decision === undefined || gate === undefined) continue;
    const known = (gates[decision] ??= []);
    if (!known.includes(gate)) known.push(gate);
  }
  return gates;
}
