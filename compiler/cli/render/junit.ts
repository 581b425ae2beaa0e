/** JUnit XML, as CI systems read it. */

import type { TestResult } from "@portcullis/governance/testing";
import { hasFailed } from "@portcullis/rego/testing";
import { causeLines } from "./test-results.ts";

export function junitReport(results: readonly TestResult[]): string {
  const suites = new Map<string, TestResult[]>();
  for (const r of results) suites.set(r.suite, [...(suites.get(r.suite) ?? []), r]);
  const body = [...suites].map(([name, tests]) => {
    const count = (outcome: TestResult["outcome"]): number => tests.filter((t) => t.outcome === outcome).length;
    const totals = `tests="${tests.length}" failures="${count("fail")}" errors="${count("error")}" skipped="${count("skip")}"`;
    return `  <testsuite name="${escapeXml(name)}" ${totals}>\n${tests.map(testCase).join("\n")}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${body.join("\n")}\n</testsuites>\n`;
}

function testCase(test: TestResult): string {
  const time = (test.milliseconds / 1000).toFixed(6);
  const head = `    <testcase classname="${escapeXml(test.suite)}" name="${escapeXml(test.name)}" time="${time}"`;
  const printed = [...(test.printed ?? []), ...(test.notes ?? [])];
  const inside = [
    ...(test.outcome === "skip" ? ["      <skipped/>"] : []),
    ...(hasFailed(test) ? [failure(test)] : []),
    ...(printed.length === 0 ? [] : [`      <system-out>${escapeXml(printed.join("\n"))}</system-out>`]),
  ];
  return inside.length === 0 ? `${head}/>` : `${head}>\n${inside.join("\n")}\n    </testcase>`;
}

function failure({ outcome, failure: message, location, cause }: TestResult): string {
  const element = outcome === "error" ? "error" : "failure";
  const text = cause === undefined ? location : [location, ...causeLines(cause)].join("\n");
  return `      <${element} message="${escapeXml(message ?? "")}">${escapeXml(text)}</${element}>`;
}

function escapeXml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
  return text
    .replace(/[&<>"']/g, (c) => entities[c] as string)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}
