/** `portcullis handoff validate`: are these handoff records valid deliveries? The exit code blocks a merge. */

import { statSync } from "node:fs";
import { nodeHost } from "@portcullis/documents/node";
import {
  type CheckedRecord,
  Contents,
  checkRecord,
  notReplayed,
  parseRecord,
  realPath,
  refusedIn,
  type Sample,
  selfTest,
} from "@portcullis/enforcement/execution";
import { loadSources } from "@portcullis/governance/sources";
import type { TestResult } from "@portcullis/governance/testing";
import { unreachable } from "@portcullis/rego/diagnostics";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { readDelivered } from "../delivered.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, type ExitCode, orFail } from "../exit.ts";
import { expandPaths } from "../files.ts";
import { DATA_FLAG } from "../host-data.ts";
import { policyOrLibrary } from "../policy/library-policy.ts";
import { printableLine } from "../printer.ts";
import { junitReport } from "../render/junit.ts";
import type { Terminal } from "../terminal.ts";
import { POLICY_FORMAT } from "./options.ts";

type Format = "human" | "json" | "junit";

interface HandoffFlags {
  readonly root?: string;
  readonly policy?: string;
  readonly data?: string;
  readonly replay?: string;
  readonly selfTest: boolean;
  readonly format: Format;
  readonly json: boolean;
  readonly junit: boolean;
}

/** A record or a sample, and whether it is as it should be. */
interface Outcome extends CheckedRecord {
  readonly positive?: boolean;
  readonly failure: string | undefined;
}

export function registerHandoff(root: Command, context: Context): void {
  root
    .command("handoff")
    .description("handoff records between agents")
    .command("validate")
    .description("decide whether handoff records are valid deliveries, with the evidence that is on the disk")
    .argument("[path...]", "records as JSON files, or folders: every *.json below (not in node_modules or .git)")
    .option("--root <dir>", "folder that artifact paths are relative to; links out of it are no evidence")
    .option("--policy <path>", "bundle, or folder of sources (default: the built-in contract alone)")
    .option(...DATA_FLAG)
    .option("--replay <report>", "output of an earlier run with --json: what it refused has to be delivered again")
    .option("--self-test", "run the samples of the sources in --policy instead", false)
    .addOption(new Option("--format <format>", POLICY_FORMAT).choices(["human", "json", "junit"]).default("human"))
    .addOption(new Option("--json", "short for --format json").default(false).conflicts("junit"))
    .addOption(new Option("--junit", "short for --format junit").default(false).conflicts("json"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis handoff validate handoffs --root . --policy policies
  portcullis handoff validate handoffs/HO-2026-0311.json --root . --json
  portcullis handoff validate handoffs --root . --replay refused.json --json > accepted.json
  portcullis handoff validate --self-test --policy policies --junit > results.xml

After a fix, name the report of the run that refused: a refused record counts as delivered again by its \`handoff_id\`, or, if it
had none of its own, by its file. A report of such a run lists what is still missing, and can be replayed itself.

A self-test runs handoff-samples/positive/*.json, which must be accepted, and handoff-samples/negative/*.json, which must be
refused for the reason that they are named after (REASON.json or REASON-more-words.json); their artifacts lie in
handoff-samples/root.

Exit codes: 0 every record is accepted and there was at least one; 1 a record was refused, or none was found, or one that was
refused before is missing, or findings in the sources; 2 wrong usage, unreadable files, a refused bundle.`,
    )
    .action(async (paths: string[], flags: HandoffFlags) => {
      context.finish(flags.selfTest ? await runSelfTest(context, paths, flags) : await validate(context, paths, flags));
    });
}

async function validate({ terminal }: Context, paths: readonly string[], flags: HandoffFlags): Promise<ExitCode> {
  if (paths.length === 0) throw new CliError("name records to validate, or use `--self-test`");
  if (flags.root === undefined) throw new CliError("required option `--root` is missing");
  const root = realPath(flags.root);
  if (root === undefined || !isFolder(root)) throw new CliError(`\`${flags.root}\` is no folder`);
  const files = expandPaths(paths, ".json");
  const refused = flags.replay === undefined ? [] : orFail(refusedIn(flags.replay, readDelivered(flags.replay)));
  const policy = await policyOrLibrary(terminal, flags.policy, { format: formatOf(flags), data: flags.data });
  if (policy === undefined) return EXIT_FINDINGS;
  const contents = new Contents();
  const checked = files.map((file) => checkRecord(policy, root, parseRecord(file, readDelivered(file)), contents));
  const outcomes = [...checked, ...notReplayed(refused, checked)].map(
    (one): Outcome => ({ ...one, failure: one.allowed ? undefined : describe(one) }),
  );
  return print(terminal, outcomes, flags, "accepted");
}

async function runSelfTest({ terminal }: Context, paths: readonly string[], flags: HandoffFlags): Promise<ExitCode> {
  if (paths.length > 0 || flags.root !== undefined || flags.replay !== undefined)
    throw new CliError("`--self-test` takes its records and their root from `--policy`, and replays nothing");
  if (flags.policy === undefined || !isFolder(flags.policy))
    throw new CliError("`--self-test` needs the sources", EXIT_USAGE, "name their folder with `--policy`");
  const policy = await policyOrLibrary(terminal, flags.policy, { format: formatOf(flags), data: flags.data });
  if (policy === undefined) return EXIT_FINDINGS;
  const samples = orFail(selfTest(policy, flags.policy, samplesIn(flags.policy)), { exitCode: EXIT_FINDINGS });
  return print(terminal, samples, flags, "as expected");
}

function print(terminal: Terminal, outcomes: readonly Outcome[], flags: HandoffFlags, good: string): ExitCode {
  const failed = outcomes.filter((o) => o.failure !== undefined).length;
  const ok = failed === 0 && outcomes.length > 0;
  const format = formatOf(flags);
  switch (format) {
    case "json":
      terminal.out(`${JSON.stringify({ ok, records: outcomes.map(reported) }, null, 2)}\n`);
      break;
    case "junit":
      terminal.out(
        junitReport(outcomes.map((o) => ({ suite: "handoff", name: o.file, location: o.file, ...timed(o) }))),
      );
      break;
    case "human":
      printHuman(terminal, outcomes, failed, good);
      break;
    default:
      unreachable(format);
  }
  return ok ? EXIT_OK : EXIT_FINDINGS;
}

function formatOf({ json, junit, format }: HandoffFlags): Format {
  if (json) return "json";
  return junit ? "junit" : format;
}

function reported({ file, handoffId, milliseconds: _, ...more }: Outcome): object {
  return { file, handoff_id: handoffId, ...more };
}

function timed({ milliseconds, failure }: Outcome): Pick<TestResult, "milliseconds" | "outcome" | "failure"> {
  return failure === undefined ? { milliseconds, outcome: "pass" } : { milliseconds, outcome: "fail", failure };
}

function printHuman(terminal: Terminal, outcomes: readonly Outcome[], failed: number, good: string): void {
  const { red, green, dim } = terminal.paint;
  for (const o of outcomes) {
    if (o.failure === undefined) {
      terminal.out(`${green("ok")}      ${printableLine(o.file)}\n`);
      continue;
    }
    terminal.out(`${red(o.positive === undefined ? "refused" : "FAIL   ")} ${printableLine(o.file)}\n`);
    if (o.positive !== undefined || o.problem !== undefined)
      terminal.out(`        ${printableLine(o.problem ?? o.failure ?? "")}\n`);
    for (const v of o.violations) terminal.out(`        ${v.gate} ${v.reason} ${dim(printableLine(v.path))}\n`);
    if (o.violations.length === 0 && o.problem === undefined)
      terminal.out(`        ${o.gate} ${printableLine(o.reason)}\n`);
  }
  if (outcomes.length === 0) terminal.out("no records found\n");
  else terminal.out(`${outcomes.length - failed} ${good}, ${failed} not\n`);
}

function describe(checked: CheckedRecord): string {
  if (checked.problem !== undefined) return checked.problem;
  if (checked.violations.length === 0) return `${checked.gate} ${checked.reason}`;
  return checked.violations.map((v) => `${v.gate} ${v.reason} ${v.path}`.trimEnd()).join("; ");
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function samplesIn(dir: string): Sample[] {
  return loadSources(nodeHost, [dir]).set.samples.map(({ file, ...sample }) => ({ ...sample, text: file.text }));
}
