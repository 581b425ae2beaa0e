/** `portcullis bench BUNDLE|DIR --entrypoint E --input FILE`: the cost of a decision of an author's own policy, against a bound. */

import type { Command } from "commander";
import { readInputs } from "../bench/inputs.ts";
import { loadNow, machineNow } from "../bench/machine.ts";
import { measure } from "../bench/measure.ts";
import { baselineOf, compareReports, printReport, reportOf } from "../bench/report.ts";
import { boundOfEntrypoint } from "../bench/requirement.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { DATA_FLAG } from "../host-data.ts";
import { demandEntrypoint, ENTRYPOINT_WORDS, entrypointNamed } from "../policy/known-entrypoint.ts";
import { loadPolicyArgument } from "../policy/policy-argument.ts";
import { collect, formatOption, type HumanOrJson, POLICY_FORMAT, wholeNumber } from "./options.ts";
import { readJson } from "./read.ts";

interface BenchFlags {
  readonly entrypoint: string;
  readonly input: readonly string[];
  readonly data?: string;
  readonly decisions: string;
  readonly p99?: string;
  readonly p999?: string;
  readonly baseline?: string;
  readonly format: HumanOrJson;
  readonly check: boolean;
}

/** Every time is kept until the end. */
const MOST_DECISIONS = 100_000_000;

export function registerBench(root: Command, context: Context): void {
  root
    .command("bench")
    .description("measure single decisions of a bundle (or of a folder of sources) against a bound on latency")
    .argument("<bundle>", "bundle.tar.gz, policy.wasm, or a folder of sources, which is compiled first")
    .requiredOption("-e, --entrypoint <entrypoint>", ENTRYPOINT_WORDS, entrypointNamed)
    .option(
      "-i, --input <file>",
      "file with an input as JSON, or with one on each line, or - for standard input; may be repeated (default: no input)",
      collect,
      [],
    )
    .option(...DATA_FLAG)
    .option("--decisions <count>", "how many decisions to time, after some to warm up", "100000")
    .option("--p99 <ns>", "bound of the 99th percentile in nanoseconds (default: that of REQ-14)")
    .option("--p999 <ns>", "bound of the 99.9th percentile in nanoseconds (default: that of REQ-14)")
    .option("--baseline <file>", "report of an earlier run (--format json): says what got slower beyond noise")
    .option("--check", "exit 1 when a bound is exceeded, or something is slower than in the baseline", false)
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis bench out/bundle.tar.gz -e portcullis/tool/decision -i request.json
  portcullis bench policies -e my/rules/allow -i small.json -i large.json --p99 50000 --check
  portcullis bench out/bundle.tar.gz -e portcullis/close/decision -i requests.ndjson --format json > before.json
  portcullis bench out/bundle.tar.gz -e portcullis/close/decision -i requests.ndjson --baseline before.json --check

Inputs are asked in turn, each time as a fresh value.
REQ-14: 99 % within 10 µs and 99.9 % within 100 µs; with a chain of 10 agents or 5 writes 25 and 100 µs; handoff, exec and close
100 and 250 µs. A bound is exceeded where the whole range of passes lies above it, the time of reading the clock taken off.
Where the figure of all passes does, and not that of each, it is exceeded in some passes, and --check passes.
Slower beyond noise is a median or a 99th percentile that is more than a tenth above the baseline's, and no pass of which
comes near any of the baseline's.
Exit codes: 0 measured; 1 findings in the sources, or with --check a bound exceeded or something slower than in the
baseline; 2 wrong usage, a refused bundle, or an evaluation that fails.`,
    )
    .action(async (bundle: string, flags: BenchFlags) => {
      const asked = {
        ...(flags.p99 !== undefined && { p99: wholeNumber("--p99", flags.p99) }),
        ...(flags.p999 !== undefined && { p999: wholeNumber("--p999", flags.p999) }),
      };
      const decisions = wholeNumber("--decisions", flags.decisions);
      if (decisions > MOST_DECISIONS)
        throw new CliError(`\`--decisions ${flags.decisions}\`: at most ${MOST_DECISIONS.toLocaleString("en-US")}`);
      const { terminal } = context;
      const { entrypoint } = flags;
      const inputs = await readInputs(terminal, flags.input);
      const baseline =
        flags.baseline === undefined
          ? undefined
          : baselineOf(await readJson(terminal, flags.baseline), flags.baseline, entrypoint);
      const policy = await loadPolicyArgument(terminal, bundle, {
        ensure: [entrypoint],
        format: flags.format,
        data: flags.data,
      });
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      demandEntrypoint(policy, entrypoint, bundle);
      const requests = inputs.map(({ text }) => (text === undefined ? undefined : (JSON.parse(text) as unknown)));
      const bound = { ...boundOfEntrypoint(entrypoint, requests), ...asked };
      const load = loadNow();
      const measured = measure(policy, entrypoint, inputs, decisions);
      const plain = reportOf(policy, entrypoint, inputs, measured, machineNow(load), bound);
      const report = baseline === undefined ? plain : { ...plain, slower: compareReports(baseline, plain) };
      if (flags.format === "json") terminal.out(`${JSON.stringify(report, null, 2)}\n`);
      else printReport(terminal, report, baseline);
      const failed = report.exceeded.length > 0 || (report.slower?.length ?? 0) > 0;
      context.finish(flags.check && failed ? EXIT_FINDINGS : EXIT_OK);
    });
}
