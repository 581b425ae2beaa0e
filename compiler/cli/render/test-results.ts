/** Prints test results for people. */

import type { TestReport, TestResult } from "@portcullis/governance/testing";
import { type FailureCause, type TestCase, totalsOf } from "@portcullis/rego/testing";
import { printableLine } from "../printer.ts";
import type { Terminal } from "../terminal.ts";

/** How much is said. */
export interface Telling {
  readonly verbose: boolean;
  /** The values of an expression that failed: a log of a CI may be read by those who must not know them. */
  readonly values: boolean;
  /** Names of all tests that there are, those that `--run` leaves out among them. */
  readonly names: readonly string[];
}

export function printResults(terminal: Terminal, report: TestReport, telling: Telling): void {
  const { results, gates } = report;
  for (const result of results)
    if (telling.verbose || result.outcome !== "pass")
      for (const row of rowsOf(terminal, result, telling)) terminal.line(row);
  for (const [decision, seen] of Object.entries(gates))
    terminal.line(`${terminal.paint.dim(`gates reached by ${decision}:`)} ${seen.join(", ")}`);
  if (results.length === 0) terminal.line(whyNone(telling.names));
  for (const { name, runs, nanoseconds } of report.benchmarks ?? [])
    terminal.line(`${name}  ${durationText(nanoseconds / 1e6)}  ${runs.toLocaleString("en-US")} runs`);
  terminal.line(summaryOf(results));
}

function whyNone(names: readonly string[]): string {
  const [first] = [...names].sort();
  if (first === undefined) return "no tests found: write tests/*.yaml, or rules whose names begin with `test_`";
  return `no test's name matches \`--run\`: there ${names.length === 1 ? "is one" : `are ${names.length}`}, such as \`${printableLine(first)}\``;
}

/** The report without the values of failures, for formats that are kept. */
export function withoutValues(report: TestReport): TestReport {
  const mute = <T extends TestResult | TestCase>(result: T): T => ({
    ...result,
    ...(result.cause && { cause: { ...result.cause, values: [] } }),
    ...(result.cases && { cases: result.cases.map(mute) }),
  });
  return { ...report, results: report.results.map(mute) };
}

function summaryOf(results: readonly TestResult[]): string {
  const { pass, fail, error, skip } = totalsOf(results);
  const rare = [error === 0 ? [] : `${error} with errors`, skip === 0 ? [] : `${skip} skipped`].flat();
  return [`${pass} passed`, `${fail} failed`, ...rare].join(", ");
}

function rowsOf({ paint }: Terminal, result: TestResult, telling: Telling): string[] {
  const { verbose } = telling;
  const place = paint.dim(`(${result.location})`);
  if (result.outcome === "skip") return [`${paint.yellow("skip")} ${result.name} ${place}`];
  const time = verbose ? ` ${paint.dim(durationText(result.milliseconds))}` : "";
  const head = result.outcome === "pass" ? paint.green("pass") : paint.red(result.outcome.toUpperCase());
  return [
    result.outcome === "pass" ? `${head} ${result.name}${time}` : `${head} ${result.name} ${place}${time}`,
    ...(result.failure === undefined ? [] : [`     ${result.failure}`]),
    ...causeRows(result, telling, "     "),
    ...caseRows(result.cases ?? [], telling, "     "),
    ...(result.printed ?? []).map((line) => `     ${paint.dim("print:")} ${line}`),
    ...(result.notes ?? []).map((line) => `     ${paint.dim("note:")} ${line}`),
  ];
}

/** The failed ones; when asked, all. */
function caseRows(cases: readonly TestCase[], telling: Telling, indent: string): string[] {
  return cases
    .filter(({ outcome }) => telling.verbose || outcome === "fail")
    .flatMap((test) => [
      `${indent}${test.name}: ${test.outcome === "fail" ? "FAIL" : "pass"}`,
      ...causeRows(test, telling, `${indent}  `),
      ...caseRows(test.cases ?? [], telling, `${indent}  `),
    ]);
}

/** The expression that failed, and what it read. */
function causeRows({ cause }: Pick<TestResult, "cause">, { values }: Telling, indent: string): string[] {
  if (cause === undefined) return [];
  return causeLines(values ? cause : { ...cause, values: [] }).map((line) => `${indent}${line}`);
}

export function causeLines({ location, expression, values }: FailureCause): string[] {
  return [`${location}: ${expression}`, ...values.map(({ name, value }) => `  ${name}: ${value ?? "undefined"}`)];
}

export function durationText(milliseconds: number): string {
  if (milliseconds < 0.001) return `${Math.round(milliseconds * 1e6)} ns`;
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return milliseconds >= 1 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds * 1000)} µs`;
}
