/** `portcullis exec`: the contract-scoped execution lane. */

import type { Command } from "commander";
import type { Context } from "../context.ts";
import { registerExecCheck } from "./exec-check.ts";
import { registerExecClose } from "./exec-close.ts";
import { registerExecOpen } from "./exec-open.ts";
import { registerExecRun } from "./exec-run.ts";
import { registerExecSign } from "./exec-sign.ts";

export function registerExec(root: Command, context: Context): void {
  const exec = root
    .command("exec")
    .description(
      "open and sign contracts, check, run and reconcile scripts that agents run under a contract: containment, not a sandbox",
    )
    .addHelpText(
      "after",
      `
Examples:
  portcullis exec open c-104.json --mode newsroom --target docs --operation CREATE WRITE --expires 8h --root /srv/site --policy policies
  portcullis exec sign --contract c-104.json --policy policies
  portcullis exec sign /srv/exec_queue/c-104/run.py --contract c-104.json --policy policies
  portcullis exec run /srv/exec_queue/c-104/run.py --contract c-104.json --mode newsroom --policy policies
  portcullis exec close --contract c-104.json --policy policies --commit "Spring menu"

Containment, not a sandbox: nothing limits what an allowed script does while it runs. What it changed in the repository is
reconciled when the contract is closed; what it did elsewhere is not seen.`,
    );
  const commands = [registerExecOpen, registerExecSign, registerExecCheck, registerExecRun, registerExecClose];
  for (const register of commands) register(exec, context);
}
