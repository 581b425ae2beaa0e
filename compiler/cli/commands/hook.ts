/** `portcullis hook`: the call decision for agent hosts that run a command before a tool. Whatever fails is a denial. */

import type { Command } from "commander";
import type { Context } from "../context.ts";
import { decideCall } from "../hook/decide.ts";
import { HOOK_OPTIONS, type HookFlags } from "../hook/options.ts";
import { outcomeOf } from "../hook/outcome.ts";
import { addOptions } from "./add-options.ts";

/** For help and completion. The program itself starts a hook from `hook/process.ts`, which does without Commander. */
export function registerHook(root: Command, context: Context): void {
  addOptions(root.command("hook"), HOOK_OPTIONS)
    .description(
      "decide one call of a tool for an agent host: JSON in, exit code 2 and a denial out, or nothing for an allow",
    )
    .allowExcessArguments(false)
    .addHelpText("after", HELP)
    .action(async (flags: HookFlags) => {
      const { code, out, err } = outcomeOf(await decideCall(flags, () => context.terminal.readInput()));
      context.terminal.out(out);
      context.terminal.err(err);
      context.finish(code);
    });
}

const HELP = `
Examples:
  echo '{"tool":"draft.create","args":{}}' | portcullis hook --policy "$PWD/out/bundle.tar.gz" --role WRITER \\
    --lane DRAFTING --lineage news_desk --scope story_id=s-118 --scope run_id=r-7

A policy with rego.host_data needs \`--data /etc/portcullis/shifts.json\`; without all of it every call is denied.

Claude Code, for every tool, in .claude/settings.json:
  { "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "timeout": 30, "onFailure": "block",
    "command": "/usr/local/bin/portcullis hook --policy /etc/portcullis/bundle.tar.gz --role WRITER --lane DRAFTING --lineage news_desk"
  }] }] } }
Codex, in config.toml: the same command and timeout below [[hooks.PreToolUse]] [[hooks.PreToolUse.hooks]].
Gemini CLI, in .gemini/settings.json: the same below BeforeTool, with "timeout": 30000, which are milliseconds.
Copilot CLI, in a file of .github/hooks: { "version": 1, "hooks": { "PreToolUse": [{ "type": "command", "bash": "…", "timeoutSec": 30 }] } }
Cline: a script .clinerules/hooks/PreToolUse that ends in \`exec /usr/local/bin/portcullis hook …\`.

Write absolute paths, of the program too, and keep bundle, data, map and log where the agent cannot write: a host runs its hook in
the folder that the agent changed to last, so relative paths are refused. Give the host more time than --deadline, and
let it block when the hook cannot start ("onFailure"): hosts let a call pass whose hook does not answer.

The input is the host's own before-tool event. generic takes \`tool\` or \`tool_name\`, \`args\` or \`tool_input\`, and ignores the
rest. Who calls is said by the options alone. A sub-agent that the input names (\`agent_type\`) is added to --lineage, which
it needs. An allow prints nothing, and leaves the host's own questions as they are.

Exit codes: 0 the call may be made, or with --ask a person is to be asked; 2 a denial, with its reason on standard error and
one JSON object that every host obeys on standard output. Whatever goes wrong is that denial too.`;
