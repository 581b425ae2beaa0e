/** What came of a test. */

/** How a test ended. */
export type Outcome =
  | "pass"
  | "fail"
  /** The evaluation itself failed. */
  | "error"
  /** A `todo_test_` rule. */
  | "skip";

/** The outcome of one test. */
export interface TestResult {
  /** The package of the rule: `data.app_test`. */
  readonly suite: string;
  /** `data.app_test.test_x`. */
  readonly name: string;
  /** `file:row`. */
  readonly location: string;
  readonly milliseconds: number;
  readonly outcome: Outcome;
  /** Why it failed; absent where it did not. */
  readonly failure?: string | undefined;
  /** What failed in a `test_` rule that is not true. */
  readonly cause?: FailureCause;
  /** The cases of `test_x[name] if …`, by their names. */
  readonly cases?: readonly TestCase[];
  /** What the test printed, and noted with `trace`: one line each. */
  readonly printed?: readonly string[];
  readonly notes?: readonly string[];
}

/** The expression that failed last, before the test was given up. */
export interface FailureCause {
  /** `file:row`. */
  readonly location: string;
  /** As written, on one line. */
  readonly expression: string;
  /** What it read, as Rego's terms; `undefined` for the part of it that is. */
  readonly values: readonly { readonly name: string; readonly value: string | undefined }[];
}

/** The outcome of one case of a test with cases. */
export interface TestCase {
  readonly name: string;
  readonly outcome: "pass" | "fail";
  readonly cause?: FailureCause;
  /** The cases of a case, of `test_x[name][other] if …`. */
  readonly cases?: readonly TestCase[];
}

/** How many tests ended how. */
export interface Totals {
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly skip: number;
}

/** How many came out how; of tests with cases, their innermost cases are counted, as `opa test` does. */
export function totalsOf(results: readonly TestResult[]): Totals {
  const totals = { pass: 0, fail: 0, error: 0, skip: 0 };
  const count = (result: TestResult | TestCase): void => {
    if (result.cases === undefined || result.cases.length === 0 || result.outcome === "error") totals[result.outcome]++;
    else for (const inner of result.cases) count(inner);
  };
  for (const result of results) count(result);
  return totals;
}

export function hasFailed({ outcome }: TestResult): boolean {
  return outcome === "fail" || outcome === "error";
}
