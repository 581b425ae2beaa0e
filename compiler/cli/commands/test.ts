/** `portcullis test DIR…`: decision tests (tests/*.yaml) and Rego `test_` rules, on the module itself. */

import { load, type Policy } from "@portcullis/runtime";
import type { Command } from "commander";
import { Option } from "commander";
import { jsonText } from "../../lower/index.ts";
import type { DecisionTest } from "../../model/index.ts";
import { compile, type PolicyTests } from "../../pipeline.ts";
import { EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { junitReport, type TestResult } from "../junit.ts";
import type { Context } from "../main.ts";
import { nodeHost } from "../node-host.ts";
import { reportDiagnostics } from "../report.ts";
import type { Terminal } from "../terminal.ts";
import { VERSION } from "../version.ts";

interface TestFlags {
  readonly format: "human" | "json" | "junit";
  readonly run?: string;
  readonly verbose: boolean;
}

export function registerTest(root: Command, context: Context): void {
  root
    .command("test")
    .description("run decision tests (tests/*.yaml) and Rego test_ rules against the compiled policy")
    .argument("<dir...>", "folders with the sources")
    .option("-r, --run <regex>", "only tests whose name matches")
    .option("-v, --verbose", "list passed tests too", false)
    .addOption(new Option("--format <format>", "output format").choices(["human", "json", "junit"]).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis test policies
  portcullis test policies --run payout --verbose
  portcullis test policies --format junit > results.xml

Exit codes: 0 every test passed, 1 failures, findings, or no test at all; 2 wrong usage.`,
    )
    .action(async (dirs: string[], flags: TestFlags) => {
      const { compiled, diagnostics } = await compile({ host: nodeHost, dirs, tests: true });
      const errors = diagnostics.filter((d) => d.severity === "error");
      if (compiled?.tests === undefined || errors.length > 0) {
        reportDiagnostics(context.terminal, diagnostics, "human", VERSION);
        return context.finish(EXIT_FINDINGS);
      }
      const wanted = flags.run === undefined ? undefined : new RegExp(flags.run, "u");
      const results = runTests(await load(compiled.bundle), compiled.tests).filter((r) => wanted?.test(r.name) ?? true);
      const gates = gatesSeen(results);
      if (flags.format === "junit") context.terminal.out(junitReport(results));
      else if (flags.format === "json") context.terminal.out(`${JSON.stringify({ results, gates }, null, 2)}\n`);
      else printResults(context.terminal, results, gates, flags.verbose);
      const failed = results.some((r) => r.failure !== undefined) || results.length === 0;
      context.finish(failed ? EXIT_FINDINGS : EXIT_OK);
    });
}

function runTests(policy: Policy, tests: PolicyTests): TestResult[] {
  return [
    ...tests.decisions.map((test) => runDecision(policy, test)),
    ...tests.rules.map((rule) => runRule(policy, rule)),
  ];
}

function runDecision(policy: Policy, test: DecisionTest): TestResult {
  const started = performance.now();
  const found = policy.evaluateJson(`portcullis/${test.decision}/decision`, jsonText(test.input));
  const milliseconds = performance.now() - started;
  const { line } = test.span.file.positionAt(test.span.start);
  const difference = missing(JSON.parse(jsonText(test.expect)), found, "");
  const gate = (found as { gate?: unknown } | undefined)?.gate;
  return {
    suite: test.file,
    name: `${test.decision}: ${test.name}`,
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

/** The first thing that `expected` names and `found` lacks; objects may have more, everything else is equal. */
function missing(expected: unknown, found: unknown, path: string): string | undefined {
  const at = path === "" ? "the decision" : `\`${path.slice(1)}\``;
  if (typeof expected !== "object" || expected === null || Array.isArray(expected)) {
    if (JSON.stringify(expected) === JSON.stringify(found)) return undefined;
    return `${at} is ${JSON.stringify(found) ?? "absent"}, expected ${JSON.stringify(expected)}`;
  }
  if (typeof found !== "object" || found === null || Array.isArray(found)) return `${at} is no object`;
  for (const [key, value] of Object.entries(expected)) {
    const difference = missing(value, (found as Record<string, unknown>)[key], `${path}.${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** The gates that the tests reached, by decision. */
function gatesSeen(results: readonly TestResult[]): Record<string, string[]> {
  const gates: Record<string, string[]> = {};
  for (const { decision, gate } of results) {
    if (decision === undefined || gate === undefined) continue;
    const known = (gates[decision] ??= []);
    if (!known.includes(gate)) known.push(gate);
  }
  return gates;
}

function printResults(
  terminal: Terminal,
  results: readonly TestResult[],
  gates: Record<string, string[]>,
  verbose: boolean,
): void {
  const { red, green, dim } = terminal.paint;
  for (const r of results) {
    if (r.failure !== undefined)
      terminal.out(`${red("FAIL")} ${r.name} ${dim(`(${r.location})`)}\n     ${r.failure}\n`);
    else if (verbose) terminal.out(`${green("pass")} ${r.name}\n`);
  }
  for (const [decision, seen] of Object.entries(gates))
    terminal.out(`${dim(`gates reached by ${decision}:`)} ${seen.join(", ")}\n`);
  const failed = results.filter((r) => r.failure !== undefined).length;
  if (results.length === 0) terminal.out("no tests found: write tests/*.yaml, or test_ rules in *_test.rego\n");
  terminal.out(`${results.length - failed} passed, ${failed} failed\n`);
}
