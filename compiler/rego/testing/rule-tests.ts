/** `test_` rules: each passes that is true, and each with cases of which all are. */

import type { Policy } from "@portcullis/runtime";
import type { TestRule } from "../analyze/index.ts";
import type { Heard } from "./evaluation-host.ts";
import { casesOf } from "./test-cases.ts";
import type { Outcome, TestResult } from "./test-result.ts";

/** The result of a rule that is not evaluated: a test to be skipped, or a function, which is not a test. */
export function notRun(test: TestRule): TestResult | undefined {
  if (test.isSkipped) return { ...testHead(test), milliseconds: 0, outcome: "skip" };
  if (!test.isFunction) return undefined;
  const failure = "a function is no test: it would have to be called";
  return { ...testHead(test), milliseconds: 0, outcome: "error", failure };
}

function testHead({ package: suite, name, span }: TestRule): Pick<TestResult, "suite" | "name" | "location"> {
  const { line } = span.file.positionAt(span.start);
  return { suite, name: testName({ package: suite, name }), location: `${span.file.name}:${line}` };
}

/** The name of a rule's result. */
export function testName({ package: suite, name }: Pick<TestRule, "package" | "name">): string {
  return `${suite}.${name}`;
}

/** `take` gives what the host heard since it was asked last. */
export function runRuleTest(policy: Policy, test: TestRule, take: () => Heard): TestResult {
  const head = testHead(test);
  const started = performance.now();
  const value = policy.evaluate(test.ref, undefined);
  const milliseconds = performance.now() - started;
  const heard = take();
  const said = {
    milliseconds,
    ...(heard.printed.length === 0 ? {} : { printed: heard.printed }),
    ...(heard.notes.length === 0 ? {} : { notes: heard.notes }),
  };
  if (policy.lastFault !== undefined) return { ...head, ...said, outcome: "error", failure: policy.lastFault.message };
  const { outcome, failure, cases } = judge(test, value, heard);
  return {
    ...head,
    ...said,
    outcome,
    failure,
    ...(cases === undefined || cases.length === 0 ? {} : { cases }),
  };
}

function judge(
  test: TestRule,
  value: unknown,
  heard: Heard,
): { outcome: Outcome; failure?: string; cases?: TestResult["cases"] } {
  if (test.hasCases && typeof value === "object" && value !== null && !Array.isArray(value)) {
    const cases = casesOf(value, heard.cases);
    const failing = cases.filter((c) => c.outcome === "fail");
    if (failing.length === 0) return { outcome: "pass", cases };
    return { outcome: "fail", cases, failure: `${failing.length} of ${cases.length} cases failed` };
  }
  if (value === true) return { outcome: "pass" };
  const found = value === undefined ? "undefined" : JSON.stringify(value);
  return { outcome: "fail", failure: `the rule is ${found}, not true` };
}
