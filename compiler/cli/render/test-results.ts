/** Prints test results for people. */

import type { TestReport, TestResult } from "@portcullis/governance/testing";
import { type TestCase, totalsOf } from "@portcullis/rego/testing";
import type { Terminal } from "../terminal.ts";

export function printResults(terminal: Terminal, { results, gates }: TestReport, verbose: boolean): void {
  for (const result of results)
    if (verbose || result.outcome !== "pass")
      for (const row of rowsOf(terminal, result, verbose)) terminal.out(`${row}\n`);
  for (const [decision, seen] of Object.entries(gates))
    terminal.out(`${terminal.paint.dim(`gates reached by ${decision}:`)} ${seen.join(", ")}\n`);
  if (results.length === 0)
    terminal.out("no tests found: write tests/*.yaml, or rules whose names begin with `test_`\n");
  terminal.out(`${summaryOf(results)}\n`);
}

function summaryOf(results: readonly TestResult[]): string {
  const { pass, fail, error, skip } = totalsOf(results);
  const rare = [error === 0 ? [] : `${error} with errors`, skip === 0 ? [] : `${skip} skipped`].flat();
  return [`${pass} passed`, `${fail} failed`, ...rare].join(", ");
}

function rowsOf({ paint }: Terminal, result: TestResult, verbose: boolean): string[] {
  const place = paint.dim(`(${result.location})`);
  if (result.outcome === "skip") return [`${paint.yellow("skip")} ${result.name} ${place}`];
  const time = verbose ? ` ${paint.dim(durationText(result.milliseconds))}` : "";
  const head = result.outcome === "pass" ? paint.green("pass") : paint.red(result.outcome.toUpperCase());
  return [
    result.outcome === "pass" ? `${head} ${result.name}${time}` : `${head} ${result.name} ${place}${time}`,
    ...(result.failure === undefined ? [] : [`     ${result.failure}`]),
    ...caseRows(result.cases ?? [], verbose, "     "),
    ...(result.printed ?? []).map((line) => `     ${paint.dim("print:")} ${line}`),
    ...(result.notes ?? []).map((line) => `     ${paint.dim("note:")} ${line}`),
  ];
}

/** The failed ones; when asked, all. */
function caseRows(cases: readonly TestCase[], verbose: boolean, indent: string): string[] {
  return cases
    .filter(({ outcome }) => verbose || outcome === "fail")
    .flatMap(({ name, outcome, cases: inner }) => [
      `${indent}${name}: ${outcome === "fail" ? "FAIL" : "pass"}`,
      ...caseRows(inner ?? [], verbose, `${indent}  `),
    ]);
}

function durationText(milliseconds: number): string {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return milliseconds >= 1 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds * 1000)} µs`;
}
