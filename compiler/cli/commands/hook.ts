/** `portcullis hook`: the call decision for agent hosts that run a command before a tool. Whatever fails is a denial. */

import type { Readable } from "node:stream";
import { type Command, Option } from "commander";
import { answerHook, HOOK_FORMATS, type HookAnswer, type HookFormat, refusal, Verdicts } from "../../gateway/index.ts";
import type { Context } from "../context.ts";
import { EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { loadPolicyArgument } from "../policy/policy-argument.ts";
import { streamsOf } from "../streams.ts";
import { addCallerOptions, type CallerFlags, readCaller } from "./caller-options.ts";
import { decisionLog } from "./decision-log.ts";

interface HookFlags extends CallerFlags {
  readonly format: HookFormat;
  readonly ask: boolean;
}

const MOST_BYTES = 8 * 1024 * 1024;
/** Hosts let a call pass that their hook does not answer: it answers before they lose patience. */
const INPUT_MS = 10_000;
/** What would end the process without an answer. */
const FATAL = ["uncaughtException", "SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT"];

export function registerHook(root: Command, context: Context): void {
  addCallerOptions(root.command("hook"))
    .description("decide one call of a tool for an agent host: JSON in, a decision out, exit code 2 for a denial")
    .addOption(
      new Option("--format <format>", "what the host sends and reads").choices(HOOK_FORMATS).default("generic"),
    )
    .option("--ask", "let the host ask a person where only an approval is missing (claude-code)", false)
    .addHelpText(
      "after",
      `
Examples:
  echo '{"tool":"draft.create","args":{}}' | portcullis hook --policy out/bundle.tar.gz --role WRITER --lane DRAFTING \\
    --lineage news_desk --scope story_id=s-118 --scope run_id=r-7

In .claude/settings.json, for every tool:
  { "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command",
    "command": "portcullis hook --format claude-code --policy out/bundle.tar.gz --role WRITER --lane DRAFTING --tools tools.yaml"
  }] }] } }

generic reads {"tool", "args"} and writes the decision. claude-code reads the input of a PreToolUse hook and writes its
output; an allow leaves the host's own questions as they are. Who calls is said by the options alone: nothing in the input
can change it. Name a bundle, not a folder, where speed matters: a folder is compiled for each call.

Exit codes: 0 the call may be made, or with --ask a person is to be asked; 2 a denial, with its reason on standard error.
Whatever goes wrong is a denial too.`,
    )
    .action(async (flags: HookFlags) => {
      // A fault that nobody catches would end the process with 1, and a signal with its number, which hosts let pass.
      const fatal = (): never => process.exit(EXIT_USAGE);
      for (const event of FATAL) process.on(event, fatal);
      const answer = await decide(context, flags);
      for (const event of FATAL) process.off(event, fatal);
      context.terminal.out(`${JSON.stringify(answer.output)}\n`);
      if (answer.verdict === "deny") context.terminal.err(`${answer.message}\n`);
      context.finish(answer.verdict === "deny" ? EXIT_USAGE : EXIT_OK);
    });
}

async function decide(context: Context, flags: HookFlags): Promise<HookAnswer> {
  try {
    const { caller, tools } = readCaller(flags);
    const policy = await loadPolicyArgument(context.terminal, flags.policy);
    if (policy === undefined) return refusal(flags.format, `the policy \`${flags.policy}\` has findings`);
    const { input } = await streamsOf(context.terminal);
    const text = await readAll(input);
    const log = decisionLog(flags.decisionLog);
    const answer = await answerHook(text, new Verdicts(policy, caller, tools, log.write), flags);
    log.close();
    return answer;
  } catch (error) {
    return refusal(flags.format, error instanceof Error ? error.message : String(error));
  }
}

/** All of the input as text. Throws for too much of it, for bytes that are not UTF-8, and when it does not come in time. */
async function readAll(input: Readable): Promise<string> {
  const timer = setTimeout(() => input.destroy(new Error("standard input did not end in time")), INPUT_MS);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw new Error(`standard input has more than ${MOST_BYTES} bytes`);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}
