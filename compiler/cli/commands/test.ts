/** `portcullis test PATH…`: decision tests (tests/*.yaml) and Rego `test_` rules, in one module. */

import { nodeHost } from "@portcullis/documents/node";
import type { CompiledTests, TestOptions, TestReport } from "@portcullis/governance/testing";
import { hasFailed } from "@portcullis/rego/testing";
import type { LoadOptions } from "@portcullis/runtime";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Context } from "../context.ts";
import { EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { ignoring } from "../ignoring.ts";
import { compilePolicyTests } from "../policy/compile.ts";
import { withHostOptions } from "../policy/host-options.ts";
import { limitsOption } from "../policy/limits-option.ts";
import { BUILTIN_OPTION, type BuiltinFlags, CAPABILITIES_OPTION, readOwnBuiltins } from "../policy/own-builtins.ts";
import { refusing } from "../policy/refusing.ts";
import { readSchemas, SCHEMA_OPTION } from "../policy/schemas.ts";
import { printableLine } from "../printer.ts";
import { progress } from "../progress.ts";
import { coverageSummary, lcovReport, printCoverage } from "../render/coverage.ts";
import { junitReport } from "../render/junit.ts";
import { reportDiagnostics } from "../render/report.ts";
import { tapReport } from "../render/tap.ts";
import { durationText, printResults, withoutValues } from "../render/test-results.ts";
import { watching } from "../watching.ts";
import { collect, POLICY_FORMAT, wholeNumber } from "./options.ts";

interface TestFlags extends BuiltinFlags {
  readonly format: "human" | "json" | "junit" | "tap" | "lcov";
  readonly run?: RegExp;
  readonly coverage: boolean;
  readonly threshold?: number;
  readonly thresholdAll: boolean;
  readonly ignore: string[];
  readonly schema?: string;
  readonly limits?: LoadOptions["limits"];
  readonly exitZeroOnSkipped: boolean;
  readonly varValues: boolean;
  readonly timeout?: number;
  readonly count: number;
  readonly bench: boolean;
  readonly verbose: boolean;
  readonly watch: boolean;
}

export function registerTest(root: Command, context: Context): void {
  root
    .command("test")
    .description("run decision tests (tests/*.yaml), Rego test_ rules and handoff samples against the compiled policy")
    .argument("<path...>", "folders with the sources, or files")
    .option("-r, --run <regex>", "only tests whose name matches", asPattern)
    .option("-w, --watch", "test again whenever a file changes, until Ctrl-C", false)
    .option("-v, --verbose", "list passed tests too, with what they print and note", false)
    .option("--var-values", "show the values that a failed expression read, as it is done in a terminal", false)
    .option("--timeout <duration>", "a test that takes longer is an error: 500ms, 5s, 1m; 0: none is", asDuration)
    .option("--count <n>", "run every test this often", (text) => wholeNumber("--count", text), 1)
    .option("--bench", "time each test rule that passes, for a tenth of a second", false)
    .option(
      "-c, --coverage",
      "report the lines that no test reached, and the rules whose bodies never succeeded",
      false,
    )
    .option(
      "--threshold <percent>",
      "with the coverage of your own rules under this, exit 1 (implies --coverage)",
      asPercent,
    )
    .option(
      "--threshold-all",
      "count the decision library's rules for --threshold too, and list those that no test covers",
      false,
    )
    .option("-z, --exit-zero-on-skipped", "skipped tests do not fail the run", false)
    .option(...SCHEMA_OPTION)
    .option(...CAPABILITIES_OPTION)
    .option(...BUILTIN_OPTION)
    .option(...limitsOption("steps=2000000000,memory=1GiB,input=16MiB"))
    .option("--ignore <glob>", "leave out files and folders of this name, e.g. '*.yaml' (may be repeated)", collect, [])
    .addOption(
      new Option("--format <format>", POLICY_FORMAT)
        .choices(["human", "json", "junit", "tap", "lcov"])
        .default("human"),
    )
    .addHelpText(
      "after",
      `
Tests are all rules of which a part of the name begins with \`test_\`, in every file; each must be true. Rules of one name are
tests of their own: the second is \`test_x#01\`. Of \`test_x[name] if …\` every \`name\` is a case, and each case must hold. Rules
that begin with \`todo_test_\` are skipped, which fails the run unless --exit-zero-on-skipped is given. The time is real, chance
is seeded, and there is no network: replace \`http.send\` with \`with http.send as …\`.

An approval in the input of a decision test that says \`policy_revision: this policy\` is given under the policy that is tested.

Records in handoff-samples/positive must be accepted, and those in handoff-samples/negative refused for the reason that they are
named after.

Coverage counts every rule and every \`else\` of the bundle, the decision library's included; a rule is covered when its body
succeeded at least once. It is measured on a module of its own, never on the one that is tested. With --format junit and tap
its summary goes to standard error.

Examples:
  portcullis test policies
  portcullis test policies --run payout --verbose
  portcullis test policies --watch
  portcullis test policies --threshold 90
  portcullis test policies --format lcov > coverage.lcov
  portcullis test rules --bench --run payout --count 3
  portcullis test rules --builtin builtins.mjs
  portcullis test policies --format junit > results.xml

Exit codes: 0 every test passed, 1 failures, skipped tests, findings, no test at all, or coverage under the threshold; 2 wrong
usage.`,
    )
    .action(async (dirs: string[], flags: TestFlags) => {
      const run = (): Promise<void> => testOnce(context, dirs, flags);
      await (flags.watch ? watching(context.terminal, dirs, run) : run());
    });
}

async function testOnce(context: Context, dirs: readonly string[], flags: TestFlags): Promise<void> {
  const { terminal } = context;
  const wantsCoverage = flags.coverage || flags.threshold !== undefined || flags.format === "lcov";
  const { declared, allowed, supplied } = await readOwnBuiltins(flags);
  const names = new Set<string>();
  const { compiled, diagnostics } = await compilePolicyTests(terminal, {
    host: ignoring(nodeHost, flags.ignore),
    dirs,
    only: (name) => {
      names.add(name);
      return flags.run?.test(name) ?? true;
    },
    coverage: wantsCoverage,
    ...readSchemas(flags.schema),
    ...declared,
    allowBuiltins: allowed,
  });
  if (compiled === undefined) {
    reportDiagnostics(terminal, diagnostics, flags.format === "lcov" ? "human" : flags.format);
    return context.finish(EXIT_FINDINGS);
  }
  // Warnings, as those of a policy that opens: where tests are all that is asked of a set, nothing else would say them.
  reportDiagnostics(terminal, diagnostics, "human");
  const { runTests } = await import("@portcullis/governance/testing");
  const also = await alsoRunning(compiled.samples);
  const bar = progress(terminal, "testing");
  const { count, bench } = flags;
  const running = { ...also, watch: bar.watch, count, bench };
  const ran = await refusing("the tests", () =>
    withHostOptions(supplied, flags.limits, (load) => runTests(compiled, { ...running, load })),
  );
  bar.end();
  const values = flags.varValues || terminal.interactive;
  const report = timed(values ? ran : withoutValues(ran), flags.timeout);
  const { results, coverage } = report;
  const telling = { verbose: flags.verbose, values, names: [...names] };
  switch (flags.format) {
    case "junit":
    case "tap":
      terminal.out(flags.format === "tap" ? tapReport(results) : junitReport(results));
      if (coverage !== undefined) terminal.err(coverageSummary(coverage));
      break;
    case "json":
      terminal.out(`${JSON.stringify(report, null, 2)}\n`);
      break;
    case "lcov": {
      const line = (text: string): void => void terminal.err(`${printableLine(text)}\n`);
      printResults({ ...terminal, out: terminal.err, line }, report, telling);
      if (coverage !== undefined) terminal.out(lcovReport(coverage));
      break;
    }
    case "human":
      printResults(terminal, report, telling);
      if (coverage !== undefined) printCoverage(terminal, coverage, flags.thresholdAll);
      break;
  }
  const isUnder = flags.threshold !== undefined && percentOf(report, flags.thresholdAll) < flags.threshold;
  if (isUnder) terminal.err(`${terminal.paint.red("error:")} coverage is under ${flags.threshold} %\n`);
  const isSkipping = !flags.exitZeroOnSkipped && results.some((r) => r.outcome === "skip");
  const failed = isUnder || isSkipping || results.some(hasFailed) || results.length === 0;
  context.finish(failed ? EXIT_FINDINGS : EXIT_OK);
}

/** Records of handoffs, which are decided with the files that they name. */
async function alsoRunning(samples: CompiledTests["samples"]): Promise<Pick<TestOptions, "also">> {
  if (samples.length === 0) return {};
  const { sampleResults } = await import("../sample-results.ts");
  return { also: (policy) => sampleResults(policy, samples) };
}

/** What took longer than it may is an error. An evaluation is not cut short: it ends at the limit of steps at the latest. */
function timed(report: TestReport, timeout: number | undefined): TestReport {
  if (timeout === undefined || timeout === 0) return report;
  const results = report.results.map((result) => {
    if (result.milliseconds <= timeout || hasFailed(result)) return result;
    const failure = `it took ${durationText(result.milliseconds)}, longer than ${durationText(timeout)}`;
    return { ...result, outcome: "error" as const, failure };
  });
  return { ...report, results };
}

function percentOf({ coverage }: TestReport, all: boolean): number {
  return (all ? coverage?.coverage : coverage?.own_coverage) ?? 0;
}

/** Go's way to say that case does not matter is a flag of the expression; here it is one beside it. */
function asPattern(text: string): RegExp {
  const insensitive = text.startsWith("(?i)");
  try {
    return new RegExp(insensitive ? text.slice("(?i)".length) : text, insensitive ? "iu" : "u");
  } catch {
    throw new InvalidArgumentError("It is no regular expression.");
  }
}

/** In milliseconds. */
function asDuration(text: string): number {
  const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError("It must be a time such as 500ms, 5s or 1m.");
  return Number(number) * ({ ms: 1, s: 1000, m: 60_000 }[unit] as number);
}

function asPercent(text: string): number {
  const percent = Number(text);
  if (text.trim() === "" || !(percent >= 0 && percent <= 100))
    throw new InvalidArgumentError("It must be a number from 0 to 100.");
  return percent;
}
