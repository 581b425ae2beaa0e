/** `portcullis exec check`: may this script, or inline code, run? Facts from the machine, the decision from the policy. */

import {
  type ContractFile,
  type ExecFacts,
  execFacts,
  type PayloadVersion,
  SESSION_SECRET,
  sessionSecret,
} from "@portcullis/enforcement/execution";
import type { ExecDecision, Policy } from "@portcullis/runtime";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { payloadOption, readContract, warnOfPayload } from "../contract.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { DATA_FLAG } from "../host-data.ts";
import { loadPolicyArgument } from "../policy/policy-argument.ts";
import { printableLine } from "../printer.ts";
import type { Terminal } from "../terminal.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";

/** What `exec check` and `exec run` decide by. */
export interface ExecFlags {
  readonly policy: string;
  readonly mode: string;
  readonly data?: string;
  readonly contract?: string;
  readonly payload: PayloadVersion;
}

interface CheckFlags extends ExecFlags {
  readonly inline: boolean;
  readonly format: HumanOrJson;
}

export function registerExecCheck(exec: Command, context: Context): void {
  exec
    .command("check")
    .description("decide whether a staged script, or inline code, may run")
    .argument("[script]", "the script that is about to run")
    .requiredOption("--policy <path>", "bundle, or folder of sources")
    .option(...DATA_FLAG)
    .requiredOption("--mode <mode>", "the mode that the agent is in")
    .option("--contract <file>", "the active contract (default: no contract)")
    .option("--inline", "the code is inline, not a script", false)
    .addOption(payloadOption())
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis exec check /srv/exec_queue/c-104/run.py --contract c-104.json --mode newsroom --policy policies
  portcullis exec check --inline --mode mode-init --policy policies --format json

Nothing runs: \`exec run\` checks a script and starts the very bytes. The session secret is read from
${SESSION_SECRET}. This is containment, not a sandbox.

Exit codes: 0 allowed; 1 denied, or findings in the sources; 2 wrong usage, a refused bundle.`,
    )
    .action(async (path: string | undefined, flags: CheckFlags) => {
      const { terminal } = context;
      if ((path === undefined) !== flags.inline) throw new CliError("name either a script or `--inline`");
      const policy = await loadPolicyArgument(terminal, flags.policy, flags);
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      const { decision } = decide(terminal, policy, path, flags);
      terminal.out(
        flags.format === "json" ? `${JSON.stringify(decision, null, 2)}\n` : decisionSentence(terminal, decision),
      );
      context.finish(decision.allowed === true ? EXIT_OK : EXIT_FINDINGS);
    });
}

/** Decides on what is there now, with warnings about what could not be read. */
export function decide(
  terminal: Terminal,
  policy: Policy,
  path: string | undefined,
  flags: ExecFlags,
): Omit<ExecFacts, "warnings"> & { readonly decision: ExecDecision } {
  const warn = (message: string): void =>
    void terminal.err(`${terminal.paint.yellow("warning:")} ${printableLine(message)}\n`);
  if (flags.contract !== undefined) warnOfPayload(terminal, flags.payload);
  const secret = sessionSecret(process.env);
  if (path !== undefined && secret === undefined)
    warn(`no valid session secret in \`${SESSION_SECRET}\`, so no signature counts`);
  const { request, scriptBytes, warnings } = execFacts({
    mode: flags.mode,
    scriptPath: path,
    contract: contractOr(flags.contract, warn),
    secret,
    payload: flags.payload,
    now: Date.now(),
  });
  warnings.forEach(warn);
  return { decision: policy.exec(request), request, scriptBytes };
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

/** One line for a person. */
export function decisionSentence(terminal: Terminal, decision: ExecDecision): string {
  const { red, green } = terminal.paint;
  const detail = "detail" in decision && decision.detail !== undefined ? ` (${decision.detail})` : "";
  const verdict = decision.allowed === true ? green("allowed") : red("denied");
  return `${verdict} ${decision.code ?? ""} ${decision.gate} ${printableLine(decision.reason + detail)}\n`;
}
