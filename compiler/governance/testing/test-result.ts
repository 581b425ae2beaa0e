/** What came of a test of a policy set: as of a `test_` rule, and which gate a decision reached. */

import type { TestResult as RuleTestResult } from "@portcullis/rego/testing";

/**
 * The outcome of one test. Suite and name of a decision test are its file and `lane: name of the case`; those of a rule are its
 * package and its whole name.
 */
export interface TestResult extends RuleTestResult {
  /** The decision kind of a decision test, and the gate that it reached. */
  readonly decision?: string;
  readonly gate?: string;
}
