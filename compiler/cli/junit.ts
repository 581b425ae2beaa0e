/** JUnit XML, as CI systems read it. */

import type { TestResult } from "../testing/index.ts";

export function junitReport(results: readonly TestResult[]): string {
  const suites = new Map<string, TestResult[]>();
  for (const r of results) suites.set(r.suite, [...(suites.get(r.suite) ?? []), r]);
  const body = [...suites].map(([name, tests]) => {
    const failures = tests.filter((t) => t.failure !== undefined).length;
    const cases = tests.map((t) => {
      const head = `    <testcase classname="${escapeXml(name)}" name="${escapeXml(t.name)}" time="${(t.milliseconds / 1000).toFixed(6)}"`;
      return t.failure === undefined
        ? `${head}/>`
        : `${head}>\n      <failure message="${escapeXml(t.failure)}">${escapeXml(t.location)}</failure>\n    </testcase>`;
    });
    return `  <testsuite name="${escapeXml(name)}" tests="${tests.length}" failures="${failures}">\n${cases.join("\n")}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${body.join("\n")}\n</testsuites>\n`;
}

function escapeXml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
  return text
    .replace(/[&<>"']/g, (c) => entities[c] as string)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}
