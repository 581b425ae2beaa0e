/** `portcullis harness` and `portcullis harness verify`: the deterministic run and audit harness. */

import { join } from "node:path";
import { type HarnessFormat, harnessText, InvalidRequest, runHarness, verifyHarness } from "@portcullis/runtime";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { DATA_FLAG } from "../host-data.ts";
import { memberOf, type OutputKind, REPLACES, refuseOthersFile } from "../output-file.ts";
import { loadPolicyArgument } from "../policy/policy-argument.ts";
import { writeAllAtomic } from "../write.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";
import { readText } from "./read.ts";

interface HarnessFlags {
  readonly request?: string;
  readonly policy?: string;
  readonly data?: string;
  readonly run_id?: string;
  readonly now_utc?: string;
  readonly policy_lanes_version?: string;
  readonly policy_roles_version?: string;
  readonly out: string;
  readonly canonical?: boolean;
}

const OUTPUT: OutputKind = {
  command: "harness",
  option: "--out",
  names: "folder",
  wrote: (bytes) => memberOf(bytes, "actor_id") === "harness_actor",
};

export function registerHarness(root: Command, context: Context): void {
  const harness = root
    .command("harness")
    .description(
      "decide one recorded tool request and write a run record and an audit ledger, byte for byte reproducible",
    )
    .option("--request <file>", "the request as JSON, or - for standard input")
    .option("--policy <path>", "bundle, or folder of sources")
    .option(...DATA_FLAG)
    .option("--run_id <id>", "run id (default: RUN_ and 12 digits of the request's hash)")
    .option("--now_utc <time>", "every time in the files, ISO 8601 in UTC (default: the current second)")
    .option("--policy_lanes_version <text>", "default: the version of lanes.yaml, or v1")
    .option("--policy_roles_version <text>", "default: the version of roles.yaml, or v1")
    .option("--out <dir>", "folder for run_record.json and audit_ledger.json", ".")
    .addOption(new Option("--pretty", "indent by 2 (default)").conflicts("canonical"))
    .option("--canonical", "write canonical bytes")
    .addHelpText(
      "after",
      `
Examples:
  portcullis harness --request request.json --policy policies --run_id RUN_1 --now_utc 2026-02-23T18:00:00Z --out out
  portcullis harness verify out/run_record.json out/audit_ledger.json --policy policies

No tool is executed: an allowed request ends as failed, TOOL_NOT_IMPLEMENTED.
${REPLACES}

Exit codes: 0 written, for allow and deny alike; 1, and no files, a request that is invalid or cannot be read, or findings in
the sources; 2 wrong usage, a refused bundle.`,
    )
    .action(async (flags: HarnessFlags) => {
      context.finish(await run(context, flags));
    });
  harness
    .command("verify")
    .description("decide a recorded run again and report every byte that differs")
    .argument("<run_record>", "run_record.json")
    .argument("<audit_ledger>", "audit_ledger.json")
    // Not required of this command: the parent takes it, wherever it stands.
    .option("--policy <path>", "bundle, or folder of sources")
    .option(...DATA_FLAG)
    .option("--request <file>", "the request, to check its hash as well")
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis harness verify out/run_record.json out/audit_ledger.json --policy policies
  portcullis harness verify out/run_record.json out/audit_ledger.json --policy out/bundle.tar.gz --request request.json

Exit codes: 0 both files are what this policy decides, to the byte; 1 they are not, or findings in the sources; 2 wrong usage,
unreadable files, a refused bundle.`,
    )
    .action(async (record: string, ledger: string, _own: unknown, command: Command) => {
      // The parent has options of the same names, and commander gives them there.
      const flags = command.optsWithGlobals<HarnessFlags & { format: HumanOrJson }>();
      const policy = await loadPolicyArgument(context.terminal, needed(flags.policy, "--policy"), flags);
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      const { terminal } = context;
      const request = flags.request === undefined ? undefined : await readText(terminal, flags.request);
      const result = verifyHarness(policy, await readText(terminal, record), await readText(terminal, ledger), request);
      if (flags.format === "json") terminal.out(`${JSON.stringify(result, null, 2)}\n`);
      else if (result.ok) terminal.out("verified: record and ledger are what this policy decides, to the byte\n");
      else for (const d of result.differences) terminal.line(`${d.file}: ${d.message}`);
      context.finish(result.ok ? EXIT_OK : EXIT_FINDINGS);
    });
}

async function run(context: Context, flags: HarnessFlags): Promise<typeof EXIT_OK | typeof EXIT_FINDINGS> {
  const { terminal } = context;
  const requestPath = needed(flags.request, "--request");
  const recordPath = join(flags.out, "run_record.json");
  const ledgerPath = join(flags.out, "audit_ledger.json");
  for (const path of [recordPath, ledgerPath]) await refuseOthersFile(path, OUTPUT);
  const policy = await loadPolicyArgument(terminal, needed(flags.policy, "--policy"), { data: flags.data });
  if (policy === undefined) return EXIT_FINDINGS;
  let text: string;
  try {
    text = await readText(terminal, requestPath);
  } catch (error) {
    if (error instanceof CliError) throw new CliError(error.message, EXIT_FINDINGS);
    throw error;
  }
  try {
    const result = runHarness(policy, text, {
      runId: flags.run_id,
      nowUtc: flags.now_utc ?? new Date().toISOString().replace(/\.\d+Z$/, "Z"),
      lanesVersion: flags.policy_lanes_version ?? policy.versions.lanes ?? "v1",
      rolesVersion: flags.policy_roles_version ?? policy.versions.roles ?? "v1",
    });
    const format: HarnessFormat = flags.canonical === true ? "canonical" : "pretty";
    writeAllAtomic([
      { path: recordPath, content: harnessText(result.record, format) },
      { path: ledgerPath, content: harnessText(result.ledger, format) },
    ]);
    terminal.out(`${recordPath} ${ledgerPath} run_id=${result.runId} request_hash_sha256=${result.requestHash}\n`);
    return EXIT_OK;
  } catch (error) {
    if (error instanceof InvalidRequest) throw new CliError(error.message, EXIT_FINDINGS, "nothing was written");
    throw error;
  }
}

function needed(value: string | undefined, flag: string): string {
  if (value === undefined) throw new CliError(`required option \`${flag}\` is missing`);
  return value;
}
