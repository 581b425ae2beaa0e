/** The test runner: decision tests and `test_` rules, and which rules they cover. */

export type { Coverage, FileCoverage } from "./coverage.ts";
export type { TestResult } from "./planned-tests.ts";
export { runTests, type TestOptions, type TestReport } from "./run-tests.ts";
