/** `portcullis bench BUNDLE|DIR --entrypoint E --input FILE`: what a decision of an author's own policy costs, against a budget. */

import type { Policy } from "@portcullis/runtime";
import type { Command } from "commander";
import { Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { loadPolicyArgument } from "../policy-argument.ts";
import { table } from "../terminal.ts";
import { wholeNumber } from "./options.ts";
import { readJson } from "./read.ts";

interface BenchFlags {
  readonly entrypoint: string;
  readonly input?: string;
  readonly data?: string;
  readonly decisions: string;
  readonly median: string;
  readonly p99: string;
  readonly p999: string;
  readonly format: "human" | "json";
  readonly check: boolean;
}

/** Every time is kept until the end. */
const MOST_DECISIONS = 100_000_000;

/** Nanoseconds, but for `first`, which is the first decision after loading. */
interface Figures {
  readonly median: number;
  readonly p99: number;
  readonly p999: number;
  readonly slowest: number;
  readonly first: number;
  /** What reading the clock costs; part of every figure. */
  readonly clock: number;
}

export function registerBench(root: Command, context: Context): void {
  root
    .command("bench")
    .description("measure single decisions of a bundle (or of a folder of sources) against a latency budget")
    .argument("<bundle>", "bundle.tar.gz, policy.wasm, or a folder of sources, which is compiled first")
    .requiredOption("-e, --entrypoint <entrypoint>", "as `pkg/rule`, e.g. portcullis/tool/decision")
    .option("-i, --input <file>", "file with the input as JSON, or - for standard input (default: no input)")
    .option("-d, --data <file>", "file with host data as JSON, for what lies outside the bundle's roots")
    .option("--decisions <count>", "how many decisions to time, after as many to warm up", "100000")
    .option("--median <ns>", "budget of the median in nanoseconds", "1000")
    .option("--p99 <ns>", "budget of the 99th percentile in nanoseconds", "10000")
    .option("--p999 <ns>", "budget of the 99.9th percentile in nanoseconds", "100000")
    .option("--check", "exit 1 when the budget is exceeded", false)
    .addOption(new Option("--format <format>", "human or json").choices(["human", "json"]).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis bench out/bundle.tar.gz -e portcullis/tool/decision -i request.json
  portcullis bench policies -e my/rules/allow -i request.json --median 2000 --check --format json

Exit codes: 0 measured; 1 findings in the sources, or a budget exceeded with --check; 2 wrong usage, a refused bundle, or an
evaluation that fails.`,
    )
    .action(async (bundle: string, flags: BenchFlags) => {
      const budget = {
        median: wholeNumber("--median", flags.median),
        p99: wholeNumber("--p99", flags.p99),
        p999: wholeNumber("--p999", flags.p999),
      };
      const decisions = wholeNumber("--decisions", flags.decisions);
      if (decisions > MOST_DECISIONS)
        throw new CliError(`\`--decisions ${flags.decisions}\`: at most ${MOST_DECISIONS.toLocaleString("en-US")}`);
      const input = flags.input === undefined ? undefined : await readJson(context.terminal, flags.input);
      const data = flags.data === undefined ? undefined : await readJson(context.terminal, flags.data);
      const policy = await loadPolicyArgument(context.terminal, bundle, [flags.entrypoint]);
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      if (data !== undefined) policy.setData(data);
      const figures = measure(policy, flags.entrypoint, input, decisions);
      const exceeded = (["median", "p99", "p999"] as const).filter((name) => figures[name] > budget[name]);
      if (flags.format === "json") {
        const { entrypoint } = flags;
        const report = { entrypoint, revision: policy.revision, decisions, unit: "ns", figures, budget, exceeded };
        context.terminal.out(`${JSON.stringify(report, null, 2)}\n`);
      } else {
        print(context, figures, budget);
      }
      context.finish(flags.check && exceeded.length > 0 ? EXIT_FINDINGS : EXIT_OK);
    });
}

function measure(policy: Policy, entrypoint: string, input: unknown, decisions: number): Figures {
  const decide = (): number => {
    const from = performance.now();
    policy.evaluate(entrypoint, input);
    return (performance.now() - from) * 1e6;
  };
  const first = Math.round(decide());
  const fault = policy.lastFault;
  if (fault !== undefined) throw new CliError(`\`${entrypoint}\` cannot be measured: ${fault.message}`, EXIT_USAGE);
  const times = new Float64Array(decisions);
  for (let i = 0; i < decisions; i++) times[i] = decide();
  for (let i = 0; i < decisions; i++) times[i] = decide();
  const clocks = Float64Array.from({ length: 1000 }, () => {
    const from = performance.now();
    return (performance.now() - from) * 1e6;
  });
  times.sort();
  const at = (share: number): number => Math.round(times[Math.floor(share * (decisions - 1))] as number);
  const clock = Math.round(clocks.sort()[500] as number);
  return { median: at(0.5), p99: at(0.99), p999: at(0.999), slowest: at(1), first, clock };
}

function print({ terminal }: Context, figures: Figures, budget: Pick<Figures, "median" | "p99" | "p999">): void {
  const { bold, green, red, dim } = terminal.paint;
  const row = (label: string, name: keyof typeof budget): string[] => [
    label,
    `${figures[name]} ns`,
    `<= ${budget[name]} ns`,
    figures[name] <= budget[name] ? "holds" : "exceeded",
  ];
  const rows = [
    ["", "measured", "budget", ""],
    row("median", "median"),
    row("99 %", "p99"),
    row("99.9 %", "p999"),
    ["slowest", `${figures.slowest} ns`, "", ""],
    ["first", `${figures.first} ns`, "", ""],
  ];
  const paint = (cell: string, column: number, index: number): string => {
    if (index === 0) return bold(cell);
    return column < 3 ? cell : cell === "holds" ? green(cell) : red(cell);
  };
  terminal.out(`${table(rows, paint)}\n`);
  terminal.out(dim(`reading the clock takes ${figures.clock} ns and is part of each figure\n`));
}
