/** `portcullis exec`: the contract-scoped execution lane. */

import type { Command } from "commander";
import type { Context } from "../context.ts";
import { registerExecCheck } from "./exec-check.ts";
import { registerExecClose } from "./exec-close.ts";
import { registerExecSign } from "./exec-sign.ts";

export function registerExec(root: Command, context: Context): void {
  const exec = root
    .command("exec")
    .description("sign, check and reconcile scripts that agents run under a contract: containment, not a sandbox")
    .addHelpText(
      "after",
      `
Examples:
  portcullis exec sign --contract c-104.json
  portcullis exec sign /srv/exec_queue/c-104/run.py --contract c-104.json
  portcullis exec check /srv/exec_queue/c-104/run.py --contract c-104.json --mode newsroom --policy policies --emit | python3 -
  portcullis exec close --contract c-104.json && git commit

Containment, not a sandbox: nothing limits what an allowed script does while it runs. What it changed in the repository is
reconciled when the contract is closed; what it did elsewhere is not seen.`,
    );
  for (const register of [registerExecSign, registerExecCheck, registerExecClose]) register(exec, context);
}
