/** `portcullis exec run`: checks a staged script and starts the very bytes that were checked. */

import { basename } from "node:path";
import { launchOf, runScript, SESSION_SECRET } from "@portcullis/enforcement/execution";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { payloadOption } from "../contract.ts";
import { CliError, EXIT_FINDINGS, EXIT_USAGE, fileProblem, orFail } from "../exit.ts";
import { DATA_FLAG } from "../host-data.ts";
import { openDecidingPolicy } from "../policy/policy-argument.ts";
import { decide, decisionSentence, type ExecFlags } from "./exec-check.ts";

export function registerExecRun(exec: Command, context: Context): void {
  exec
    .command("run")
    .description("decide whether a staged script may run, and start the very bytes that were checked")
    .argument("<script>", "the staged script")
    .requiredOption("--policy <path>", "bundle, or folder of sources")
    .option(...DATA_FLAG)
    .requiredOption("--mode <mode>", "the mode that the agent is in")
    .option("--contract <file>", "the active contract (default: no contract)")
    .addOption(payloadOption())
    .addHelpText(
      "after",
      `
Examples:
  portcullis exec run /srv/exec_queue/c-104/run.py --contract c-104.json --mode newsroom --policy policies

The script is read once, checked, and started by the command that \`interpreters\` of exec.yaml gives for its extension: a
copy of the checked bytes that lies alone in a folder, so that nothing beside it is imported. It works in a new, empty
folder, whose path it has as PWD, and which is gone afterwards. It has PATH, LANG and what \`environment\` of exec.yaml lists,
nothing else, and never ${SESSION_SECRET}; no arguments, and nothing on standard input.

The decision goes to standard error, the script's output where it belongs. This is containment, not a sandbox.

Exit codes: the script's own, 128 and more for a signal; 1 denied, no interpreter, or findings in the sources; 2 wrong usage,
a refused bundle, an interpreter that cannot be started.`,
    )
    .action(async (path: string, flags: ExecFlags) => {
      const { terminal } = context;
      const opened = await openDecidingPolicy(terminal, flags.policy, { data: flags.data });
      if (opened === undefined) return context.finish(EXIT_FINDINGS);
      const { decision, request, scriptBytes } = decide(terminal, opened.policy, path, flags);
      terminal.err(decisionSentence(terminal, decision));
      const real = request.script?.path;
      if (decision.allowed !== true || scriptBytes === undefined || !real) return context.finish(EXIT_FINDINGS);
      const launch = orFail(launchOf(policyIn(opened.data), real), { exitCode: EXIT_FINDINGS });
      const text = new TextDecoder();
      const output = {
        out: terminal.outBytes,
        err: (bytes: Uint8Array) => terminal.err(text.decode(bytes, { stream: true })),
        isGone: () => terminal.streams?.output.writable === false,
      };
      try {
        context.finish(await runScript({ name: basename(real), bytes: scriptBytes }, launch, output));
      } catch (error) {
        throw new CliError(`cannot start \`${launch.command[0]}\`: ${fileProblem(error)}`, EXIT_USAGE);
      }
    });
}

function policyIn({ portcullis }: { readonly portcullis?: unknown }): unknown {
  return (portcullis as { readonly policy?: unknown } | undefined)?.policy;
}
