/** `portcullis test DIR…`: decision tests (tests/*.yaml) and Rego `test_` rules, on the module itself. */

import { builtins } from "@portcullis/builtins";
import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { nodeHost } from "../../node.ts";
import { compile } from "../../pipeline.ts";
import { runTests, type TestReport } from "../../testing/index.ts";
import type { Context } from "../context.ts";
import { coverageSummary, printCoverage } from "../coverage.ts";
import { EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { junitReport } from "../junit.ts";
import { reportDiagnostics } from "../report.ts";
import type { Terminal } from "../terminal.ts";
import { VERSION } from "../version.ts";

interface TestFlags {
  readonly format: "human" | "json" | "junit";
  readonly run?: RegExp;
  readonly coverage: boolean;
  readonly threshold?: number;
  readonly verbose: boolean;
}

export function registerTest(root: Command, context: Context): void {
  root
    .command("test")
    .description("run decision tests (tests/*.yaml) and Rego test_ rules against the compiled policy")
    .argument("<dir...>", "folders with the sources")
    .option("-r, --run <regex>", "only tests whose name matches", asPattern)
    .option("-v, --verbose", "list passed tests too", false)
    .option("-c, --coverage", "report the rules whose bodies never succeeded in a test, by file and row", false)
    .option("--threshold <percent>", "with the coverage of rules under this, exit 1 (implies --coverage)", asPercent)
    .addOption(new Option("--format <format>", "output format").choices(["human", "json", "junit"]).default("human"))
    .addHelpText(
      "after",
      `
Coverage counts every rule and every \`else\` of the bundle, the decision library's included; a rule is covered when its body
succeeded at least once. It is measured on a module of its own, never on the one that is tested. With --format junit its
summary goes to standard error.

Examples:
  portcullis test policies
  portcullis test policies --run payout --verbose
  portcullis test policies --threshold 90
  portcullis test policies --format junit > results.xml

Exit codes: 0 every test passed, 1 failures, findings, no test at all, or coverage under the threshold; 2 wrong usage.`,
    )
    .action(async (dirs: string[], flags: TestFlags) => {
      const { terminal } = context;
      const wantsCoverage = flags.coverage || flags.threshold !== undefined;
      const { compiled, diagnostics } = await compile({
        host: nodeHost,
        dirs,
        tests: true,
        coverage: wantsCoverage,
      });
      const errors = diagnostics.filter((d) => d.severity === "error");
      if (compiled?.tests === undefined || errors.length > 0) {
        reportDiagnostics(terminal, diagnostics, "human", VERSION);
        return context.finish(EXIT_FINDINGS);
      }
      const only = (name: string): boolean => flags.run?.test(name) ?? true;
      const report = await runTests(compiled, { only, load: { builtins } });
      const { results, coverage } = report;
      if (flags.format === "junit") {
        terminal.out(junitReport(results));
        if (coverage !== undefined) terminal.err(coverageSummary(coverage));
      } else if (flags.format === "json") {
        terminal.out(`${JSON.stringify(report, null, 2)}\n`);
      } else {
        printResults(terminal, report, flags.verbose);
        if (coverage !== undefined) printCoverage(terminal, coverage);
      }
      const isUnder = flags.threshold !== undefined && (coverage?.coverage ?? 0) < flags.threshold;
      if (isUnder) terminal.err(`${terminal.paint.red("error:")} coverage is under ${flags.threshold} %\n`);
      const failed = isUnder || results.some((r) => r.failure !== undefined) || results.length === 0;
      context.finish(failed ? EXIT_FINDINGS : EXIT_OK);
    });
}

function asPattern(text: string): RegExp {
  try {
    return new RegExp(text, "u");
  } catch {
    throw new InvalidArgumentError("It is no regular expression.");
  }
}

function asPercent(text: string): number {
  const percent = Number(text);
  if (text.trim() === "" || !(percent >= 0 && percent <= 100))
    throw new InvalidArgumentError("It must be a number from 0 to 100.");
  return percent;
}

function printResults(terminal: Terminal, { results, gates }: TestReport, verbose: boolean): void {
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
