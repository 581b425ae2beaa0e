/** Runs the tests of a policy set: on the very module that ships, and once more for coverage where that was asked for. */

import { type LoadOptions, load } from "@portcullis/runtime";
import type { Compiled } from "../pipeline.ts";
import { type Coverage, measureCoverage } from "./coverage.ts";
import { plannedTests, type TestResult } from "./planned-tests.ts";

export interface TestOptions {
  /** Tells by its name whether a test runs. Default: all do. */
  readonly only?: (name: string) => boolean;
  /** The options that the module is loaded with: builtins, limits. */
  readonly load?: LoadOptions;
}

export interface TestReport {
  readonly results: readonly TestResult[];
  /** The gates that the tests reached, by decision. */
  readonly gates: { readonly [decision: string]: readonly string[] };
  /** `undefined` for a policy that was compiled without `coverage`. */
  readonly coverage: Coverage | undefined;
}

/**
 * Runs the decision tests and `test_` rules of a policy that was compiled with `tests`; without that, there are none.
 *
 * Cost: one evaluation a test, two with coverage. Rejects with the runtime's LoadError for a module that the runtime refuses.
 */
export async function runTests(
  { bundle, tests }: Compiled,
  { only = () => true, load: options = {} }: TestOptions = {},
): Promise<TestReport> {
  const planned = tests === undefined ? [] : plannedTests(tests).filter(({ name }) => only(name));
  const policy = await load(bundle, options);
  const results = planned.map((test) => test.run(policy));
  const coverage = tests?.covering && (await measureCoverage(tests.covering, planned, options));
  return { results, gates: gatesOf(results), coverage };
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
