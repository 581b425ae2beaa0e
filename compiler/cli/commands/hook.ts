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

\`portcullis init --for HOST\` writes this into a host's configuration: for Claude Code, Codex, Gemini CLI, Copilot CLI, Cline and
opencode, with a line that denies where the hook is missing, crashes or does not end: hosts let such calls pass. By hand:
absolute paths, of the program too, with bundle, keys, data, map and log where the agent cannot write: a host runs its hook in the
folder that the agent changed to last, so relative paths are refused. Give the host more time than --deadline.

The input is the host's own event before a tool, or, with --format HOST, after it: then what succeeded is counted for limits with
\`only_after\`, and nothing is printed. generic takes \`tool\` or \`tool_name\`, \`args\` or \`tool_input\`, and ignores the rest. With
--format ended the same call has \`succeeded\`, true or false: it is over, and nothing is decided. Who calls is said by the options alone. A sub-agent that the input names (\`agent_type\`) is added to --lineage, which
it needs. The tool that starts one (Claude Code's Agent, Codex's spawn_agent) is decided by the subagent decision, with the
last type of --lineage as persona, and by the lineage decision, and as a call as well if the registry, the map or a limit has that
tool; who approved stands in the file of --governance:
{ "contextSealed": true, "pipelineRunApproved": true, "approvalRef": "AP-7", "approvedBy": "m.okafor" }. Without it, in a
sub-agent, and where a host does not say which agent calls, the start is denied. An allow prints nothing, and leaves the host's own questions as they are.

Exit codes: 0 the call may be made, or its end is noted, or with --ask a person is to be asked; 2 a denial, with its reason on standard error and
one JSON object that every host obeys on standard output. Whatever goes wrong is that denial too.`;
