/** Decision tests: one request, and what its decision must hold. */

import { jsonText } from "@portcullis/rego/value";
import type { Policy } from "@portcullis/runtime";
import type { DecisionTest } from "../model/index.ts";
import { decisionTestName } from "./compile-tests.ts";
import type { TestResult } from "./test-result.ts";

export function runDecisionTest(policy: Policy, test: DecisionTest): TestResult {
  const started = performance.now();
  const found = policy.evaluateJson(`portcullis/${test.decision}/decision`, jsonText(test.input));
  const milliseconds = performance.now() - started;
  const { line } = test.span.file.positionAt(test.span.start);
  const difference = missing(JSON.parse(jsonText(test.expect)), found, "");
  const gate = (found as { gate?: unknown } | undefined)?.gate;
  return {
    suite: test.file,
    name: decisionTestName(test),
    location: `${test.file}:${line}`,
    milliseconds,
    outcome: difference === undefined ? "pass" : "fail",
    ...(typeof gate === "string" ? { decision: test.decision, gate } : {}),
    ...(difference === undefined ? {} : { failure: `${difference}; the decision was ${JSON.stringify(found)}` }),
  };
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
