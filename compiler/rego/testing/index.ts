/**
 * `test_` rules: compiled into one module, evaluated with a host that hears what they say, and judged as `opa test` judges them.
 *
 * INVARIANT: a test passes by being true, or by having cases that all are; nothing else counts as a pass. The runtime is known
 * here and nowhere else in this package. Knows nothing of policy sets, decisions or gates.
 */

export { askQuery, type QueryAnswer, type QueryTiming } from "./ask-query.ts";
export { benchTests, type TestBenchmark } from "./bench-tests.ts";
export { type EmittedTests, emitTests, testEntrypoints } from "./emit-tests.ts";
export { type EvaluationHost, evaluationHost, type Heard, TEST_LIMITS } from "./evaluation-host.ts";
export { explainFailures } from "./failure-causes.ts";
export { notRun, runRuleTest } from "./rule-tests.ts";
export type { ExpressionProfile } from "./stopwatch.ts";
export {
  type FailureCause,
  hasFailed,
  type Outcome,
  type TestCase,
  type TestResult,
  type Totals,
  totalsOf,
} from "./test-result.ts";
