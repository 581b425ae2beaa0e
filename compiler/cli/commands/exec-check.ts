/** `portcullis exec check`: may this script, or inline code, run? Facts from the machine, the decision from the policy. */

import type { ExecDecision } from "@portcullis/runtime";
import type { Command } from "commander";
import { Option } from "commander";
import {
  type ContractFile,
  execFacts,
  type PayloadVersion,
  SESSION_SECRET,
  sessionSecret,
} from "../../execution/index.ts";
import type { Context } from "../context.ts";
import { payloadOption, readContract, warnOfPayload } from "../contract.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { loadPolicyArgument } from "../policy/policy-argument.ts";
import { printableLine } from "../printer.ts";
import type { Terminal } from "../terminal.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";

interface CheckFlags {
  readonly policy: string;
  readonly mode: string;
  readonly contract?: string;
  readonly inline: boolean;
  readonly emit: boolean;
  readonly payload: PayloadVersion;
  readonly format: HumanOrJson;
}

export function registerExecCheck(exec: Command, context: Context): void {
  exec
    .command("check")
    .description("decide whether a staged script, or inline code, may run")
    .argument("[script]", "the script that is about to run")
    .requiredOption("--policy <path>", "bundle, or folder of sources")
    .requiredOption("--mode <mode>", "the mode that the agent is in")
    .option("--contract <file>", "the active contract (default: there is none)")
    .addOption(new Option("--inline", "the code is inline, not a script").default(false).conflicts("emit"))
    .option("--emit", "write the checked bytes to standard output if they may run, and the decision elsewhere", false)
    .addOption(payloadOption())
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis exec check /srv/exec_queue/c-104/run.py --contract c-104.json --mode newsroom --policy policies
  portcullis exec check /srv/exec_queue/c-104/run.py --contract c-104.json --mode newsroom --policy policies --emit | python3 -
  portcullis exec check --inline --mode mode-init --policy policies --format json

The script is read once. With --emit exactly the bytes that were checked go to standard output, nothing when they are
denied, and the decision goes to standard error: run these bytes, not the file, which may have changed since. A script gets
no arguments. The session secret is read from ${SESSION_SECRET}. This is containment, not a sandbox.

Exit codes: 0 allowed; 1 denied, or findings in the sources; 2 wrong usage, a refused bundle.`,
    )
    .action(async (path: string | undefined, flags: CheckFlags) => {
      const { terminal } = context;
      if ((path === undefined) !== flags.inline) throw new CliError("name either a script or `--inline`");
      const policy = await loadPolicyArgument(terminal, flags.policy, {
        // Standard output is for the checked bytes alone: something that runs may read it.
        format: flags.emit ? "human" : flags.format,
      });
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      const warn = (message: string): void =>
        terminal.err(`${terminal.paint.yellow("warning:")} ${printableLine(message)}\n`);
      if (flags.contract !== undefined) warnOfPayload(terminal, flags.payload);
      const facts = execFacts({
        mode: flags.mode,
        scriptPath: path,
        contract: contractOr(flags.contract, warn),
        secret: sessionSecret(process.env),
        payload: flags.payload,
        now: Date.now(),
      });
      facts.warnings.forEach(warn);
      const decision = policy.exec(facts.request);
      const print = flags.emit ? terminal.err : terminal.out;
      print(flags.format === "json" ? `${JSON.stringify(decision, null, 2)}\n` : sentence(terminal, decision));
      if (decision.allowed !== true) return context.finish(EXIT_FINDINGS);
      if (flags.emit && facts.scriptBytes !== undefined) terminal.outBytes(facts.scriptBytes);
      context.finish(EXIT_OK);
    });
}

/** A contract that cannot be read counts as none; the policy decides on that. */
function contractOr(path: string | undefined, warn: (message: string) => void): ContractFile | undefined {
  if (path === undefined) return undefined;
  try {
    return readContract(path);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    warn(error.message);
    return undefined;
  }
}

function sentence(terminal: Terminal, decision: ExecDecision): string {
  const { red, green } = terminal.paint;
  const detail = "detail" in decision && decision.detail !== undefined ? ` (${decision.detail})` : "";
  const verdict = decision.allowed === true ? green("allowed") : red("denied");
  return `${verdict} ${decision.code ?? ""} ${decision.gate} ${printableLine(decision.reason + detail)}\n`;
}
