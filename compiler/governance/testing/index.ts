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
export { runTests, type TestOptions, type TestReport } from "./run-tests.ts";
export type { TestResult } from "./test-result.ts";
