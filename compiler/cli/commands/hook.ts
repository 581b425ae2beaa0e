/** `portcullis hook`: the call decision for agent hosts that run a command before a tool. Whatever fails is a denial. */

import { isAbsolute } from "node:path";
import { answerHook, HOOK_FORMATS, type HookAnswer, type HookFormat, refusal } from "@portcullis/enforcement/gateway";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { DEADLINE_SECONDS, MOST_DEADLINE_SECONDS, MOST_INPUT_BYTES } from "../hook-limits.ts";
import { loadPolicyArgument } from "../policy/policy-argument.ts";
import { addCallerOptions, type CallerFlags, readCaller } from "./caller-options.ts";
import { decisionLog } from "./decision-log.ts";
import { wholeNumber } from "./options.ts";

interface HookFlags extends CallerFlags {
  readonly format: HookFormat;
  readonly ask: boolean;
  readonly deadline: string;
}

export function registerHook(root: Command, context: Context): void {
  addCallerOptions(root.command("hook"))
    .description(
      "decide one call of a tool for an agent host: JSON in, exit code 2 and a denial out, or nothing for an allow",
    )
    .addOption(new Option("--format <host>", "who asks; auto tells by the input").choices(HOOK_FORMATS).default("auto"))
    .option("--ask", "where only an approval is missing, let Claude Code or Copilot CLI ask a person", false)
    .option("--deadline <seconds>", "time for the answer; then it is a denial", String(DEADLINE_SECONDS))
    .allowExcessArguments(false)
    .addHelpText("after", HELP)
    .action(async (flags: HookFlags) => {
      const { verdict, output, message } = await decide(context, flags);
      if (output !== undefined) context.terminal.out(`${JSON.stringify(output)}\n`);
      if (verdict === "deny") context.terminal.err(`${message}\n`);
      context.finish(verdict === "deny" ? EXIT_USAGE : EXIT_OK);
    });
}

const HELP = `
Examples:
  echo '{"tool":"draft.create","args":{}}' | portcullis hook --policy "$PWD/out/bundle.tar.gz" --role WRITER \\
    --lane DRAFTING --lineage news_desk --scope story_id=s-118 --scope run_id=r-7

Claude Code, for every tool, in .claude/settings.json:
  { "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "timeout": 30, "onFailure": "block",
    "command": "/usr/local/bin/portcullis hook --policy /etc/portcullis/bundle.tar.gz --role WRITER --lane DRAFTING --lineage news_desk"
  }] }] } }
Codex, in config.toml: the same command and timeout below [[hooks.PreToolUse]] [[hooks.PreToolUse.hooks]].
Gemini CLI, in .gemini/settings.json: the same below BeforeTool, with "timeout": 30000, which are milliseconds.
Copilot CLI, in a file of .github/hooks: { "version": 1, "hooks": { "PreToolUse": [{ "type": "command", "bash": "…", "timeoutSec": 30 }] } }
Cline: a script .clinerules/hooks/PreToolUse that ends in \`exec /usr/local/bin/portcullis hook …\`.

Write absolute paths, of the program too, and keep bundle, map and log where the agent cannot write: a host runs its hook in
the folder that the agent changed to last, so relative paths are refused. Give the host more time than --deadline, and
let it block when the hook cannot start ("onFailure"): hosts let a call pass whose hook does not answer.

The input is the host's own before-tool event. generic takes \`tool\` or \`tool_name\`, \`args\` or \`tool_input\`, and ignores the
rest. Who calls is said by the options alone. A sub-agent that the input names (\`agent_type\`) is added to --lineage, which
it needs. An allow prints nothing, and leaves the host's own questions as they are. Name a bundle, not a folder, where speed
matters: a folder is compiled for each call.

Exit codes: 0 the call may be made, or with --ask a person is to be asked; 2 a denial, with its reason on standard error and
one JSON object that every host obeys on standard output. Whatever goes wrong is that denial too.`;

async function decide(context: Context, flags: HookFlags): Promise<HookAnswer> {
  try {
    wholeNumber("--deadline", flags.deadline, MOST_DEADLINE_SECONDS);
    for (const option of ["policy", "tools", "decisionLog"] as const) demandAbsolute(option, flags[option]);
    const { caller, tools } = readCaller(flags);
    const policy = await loadPolicyArgument(context.terminal, flags.policy);
    if (policy === undefined) return refusal(`the policy \`${flags.policy}\` has findings`);
    const text = textOf(await context.terminal.readInput());
    const log = decisionLog(flags.decisionLog);
    const answer = await answerHook(text, { policy, caller, tools, record: log.write }, flags);
    log.close();
    return answer;
  } catch (error) {
    return refusal(error instanceof Error ? error.message : String(error));
  }
}

/** Throws CliError for a path that would be read where the agent is. */
function demandAbsolute(option: "policy" | "tools" | "decisionLog", path: string | undefined): void {
  if (path === undefined || isAbsolute(path)) return;
  const name = option === "decisionLog" ? "decision-log" : option;
  throw new CliError(`\`--${name} ${path}\` is relative: hosts run a hook where the agent changed to last`);
}

/** Throws for too much input, and for bytes that are not UTF-8. */
function textOf(bytes: Uint8Array): string {
  if (bytes.length > MOST_INPUT_BYTES) throw new Error(`standard input has more than ${MOST_INPUT_BYTES} bytes`);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
