/** `portcullis replay LOG... --policy NEW`: what another policy would have decided. */

import { type LogPart, type ReplayTally, replay, Tally } from "@portcullis/governance/review";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { DATA_FLAG } from "../host-data.ts";
import { logChunks } from "../log-chunks.ts";
import { loadLoadablePolicy } from "../policy/policy-argument.ts";
import { progress } from "../progress.ts";
import { printReplay } from "../render/replay.ts";
import { FINDING_FORMATS, type FindingFormat } from "../render/report.ts";
import { replayInThreads } from "../replay/threads.ts";

const FAIL_ON = ["unknown", "allow", "deny", "any", "nothing"] as const;
/** Chunks that are decided before threads are started: most logs need none. */
const FIRST_CHUNKS = 16;
const STEPS = 1000;

interface ReplayFlags {
  readonly policy: string;
  readonly data?: string;
  readonly failOn: (typeof FAIL_ON)[number];
  readonly all: boolean;
  readonly format: FindingFormat;
}

export function registerReplay(root: Command, context: Context): void {
  root
    .command("replay")
    .description("decide every event of a decision log again with another policy, and show what would have changed")
    .argument(
      "<log...>",
      "ledger or decision log, one JSON object or list of them a line; .gz is unpacked; - for standard input",
    )
    .requiredOption("--policy <bundle>", "bundle, or folder of sources, that decides the events again")
    .option(...DATA_FLAG)
    .addOption(
      new Option(
        "--fail-on <change>",
        "exit 1 when an event is newly allowed (allow) or newly denied (deny), when any answer differs (any), or also when an event cannot be decided again (unknown)",
      )
        .choices(FAIL_ON)
        .default("unknown"),
    )
    .option("--all", "list every group of changes", false)
    .addOption(new Option("--format <format>", "how to print").choices(FINDING_FORMATS).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis replay decisions.jsonl --policy policies
  zcat /var/log/opa/*.gz | portcullis replay - --policy out/bundle.tar.gz --format json
  portcullis replay ledger.jsonl --policy policies --fail-on allow --format github     # in CI

The log is read as it is: \`audit verify\` says whether it is whole. A policy that reads the clock is asked at the time of the
event, and a bound approval of an allowed call counts as given under the new policy.

Exit codes: 0 replayed; 1 a change that --fail-on names, or findings in the sources; 2 wrong usage, a file that cannot be read, logs
without a decision, a refused bundle.`,
    )
    .action(async (logs: readonly string[], flags: ReplayFlags) => {
      if ([...logs, flags.data].filter((path) => path === "-").length > 1)
        throw new CliError("standard input can be read once", EXIT_USAGE);
      const loaded = await loadLoadablePolicy(context.terminal, flags.policy, {
        format: flags.format,
        data: flags.data,
      });
      if (loaded === undefined) return context.finish(EXIT_FINDINGS);
      const bar = progress(context.terminal, "deciding again");
      const parts = partsOf(logs, bar.watch(STEPS * logs.length));
      const whole = new Tally();
      for (let chunk = 0; chunk < FIRST_CHUNKS; chunk++) {
        const { value } = await parts.next();
        if (value !== undefined) whole.add(replay(loaded.policy, value));
      }
      const next = await parts.next();
      if (next.value !== undefined)
        for await (const tally of replayInThreads(loaded, next.value, parts)) whole.add(tally);
      bar.end();
      const tally = whole.facts;
      if (tally.events === 0) throw new CliError("the logs hold no decision: nothing was replayed");
      printReplay(context.terminal, tally, flags);
      context.finish(fails(flags.failOn, tally) ? EXIT_FINDINGS : EXIT_OK);
    });
}

async function* partsOf(logs: readonly string[], step: () => void): AsyncGenerator<LogPart, undefined> {
  for (const file of logs) {
    let steps = 0;
    for await (const { firstLine, lines, part } of logChunks(file)) {
      for (; steps < Math.floor(part * STEPS); steps++) step();
      yield { file, firstLine, lines };
    }
  }
  return undefined;
}

function fails(failOn: ReplayFlags["failOn"], { events, same, counts, unknown }: ReplayTally): boolean {
  switch (failOn) {
    case "nothing":
      return false;
    case "allow":
      return counts["newly-allowed"] > 0;
    case "deny":
      return counts["newly-denied"] > 0;
    case "any":
      return Object.values(counts).some((count) => count > 0);
    case "unknown":
      return events > same || unknown.length > 0;
  }
}
