/** Decision tests and Rego `test_` rules, each to be run on a loaded policy. */

import type { Policy } from "@portcullis/runtime";
import { jsonText } from "../lower/index.ts";
import type { DecisionTest } from "../model/index.ts";
import type { PolicyTests } from "../pipeline.ts";

export interface TestResult {
  /** The file of the test, or `rego`. */
  readonly suite: string;
  readonly name: string;
  readonly location: string;
  readonly milliseconds: number;
  /** Decision kind and gate that the test reached. */
  readonly decision?: string;
  readonly gate?: string;
  /** Why it failed; absent when it passed. */
  readonly failure?: string;
}

/** A test that has not run yet. */
export interface PlannedTest {
  readonly name: string;
  run(policy: Policy): TestResult;
}

export function plannedTests(tests: PolicyTests): PlannedTest[] {
  return [
    ...tests.decisions.map((test) => {
      const name = `${test.decision}: ${test.name}`;
      return { name, run: (policy: Policy) => runDecision(policy, test, name) };
    }),
    ...tests.rules.map((rule) => ({ name: rule, run: (policy: Policy) => runRule(policy, rule) })),
  ];
}

function runDecision(policy: Policy, test: DecisionTest, name: string): TestResult {
  const started = performance.now();
  const found = policy.evaluateJson(`portcullis/${test.decision}/decision`, jsonText(test.input));
  const milliseconds = performance.now() - started;
  const { line } = test.span.file.positionAt(test.span.start);
  const difference = missing(JSON.parse(jsonText(test.expect)), found, "");
  const gate = (found as { gate?: unknown } | undefined)?.gate;
  return {
    suite: test.file,
    name,
    location: `${test.file}:${line}`,
    milliseconds,
    ...(typeof gate === "string" ? { decision: test.decision, gate } : {}),
    ...(difference === undefined ? {} : { failure: `${difference}; the decision was ${JSON.stringify(found)}` }),
  };
}

function runRule(policy: Policy, rule: string): TestResult {
  const started = performance.now();
  const found = policy.evaluate(rule, undefined);
  const milliseconds = performance.now() - started;
  const fault = policy.lastFault;
  const failure =
    fault === undefined
      ? `the rule is ${found === undefined ? "undefined" : JSON.stringify(found)}, not true`
      : fault.message;
  return { suite: "rego", name: rule, location: rule, milliseconds, ...(found === true ? {} : { failure }) };
}

/**
 * The first thing that `expected` names and `found` lacks. Objects may have more members, at any depth; lists have the same
 * length and order; everything else is equal.
 */
function missing(expected: unknown, found: unknown, path: string): string | undefined {
  const at = path === "" ? "the decision" : `\`${path.slice(1)}\``;
  if (typeof expected !== "object" || expected === null) {
    if (expected === found) return undefined;
    return `${at} is ${JSON.stringify(found) ?? "absent"}, expected ${JSON.stringify(expected)}`;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(found)) return `${at} is no list`;
    if (found.length !== expected.length) return `${at} has ${found.length} items, expected ${expected.length}`;
  } else if (typeof found !== "object" || found === null || Array.isArray(found)) return `${at} is no object`;
  for (const [key, value] of Object.entries(expected)) {
    const own = Object.hasOwn(found, key) ? (found as Record<string, unknown>)[key] : undefined;
    const difference = missing(value, own, `${path}.${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
