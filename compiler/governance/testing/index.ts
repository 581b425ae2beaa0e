/** The test runner: decision tests and `test_` rules, and which rules they cover. */

export {
  type CompiledTests,
  type CompileTestsOptions,
  type CompileTestsResult,
  type CoveringModule,
  compileTests,
  type HandoffSample,
  sampleName,
} from "./compile-tests.ts";
export type { Coverage, FileCoverage } from "./coverage.ts";
export { type EvaluationHost, evaluationHost, type Heard } from "./evaluation-host.ts";
export { runTests, type TestOptions, type TestReport } from "./run-tests.ts";
export { hasFailed, type Outcome, type TestCase, type TestResult, type Totals, totalsOf } from "./test-result.ts";
