/** `portcullis exec open`: writes a contract on the repository as it is, and none that can never be met. */

import { basename } from "node:path";
import { OPERATIONS, openContract } from "@portcullis/enforcement/execution";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CONTRACT_FORMAT, warnOfUnread } from "../contract.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, orFail } from "../exit.ts";
import { DATA_FLAG } from "../host-data.ts";
import { isThere } from "../output-file.ts";
import { loadPolicyArgument } from "../policy/policy-argument.ts";
import { writeAtomic } from "../write.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";

interface OpenFlags {
  readonly policy: string;
  readonly data?: string;
  readonly mode: string;
  readonly target: readonly string[];
  readonly operation: readonly string[];
  readonly expires: string;
  readonly root: string;
  readonly id?: string;
  readonly format: HumanOrJson;
}

export function registerExecOpen(exec: Command, context: Context): void {
  exec
    .command("open")
    .description("write a contract on the repository as it is now; sign it afterwards")
    .argument("<file>", "the contract file, which must not exist; outside of the repository")
    .requiredOption("--policy <path>", "bundle, or folder of sources: it says which modes there are")
    .option(...DATA_FLAG)
    .requiredOption("--mode <mode>", "the mode that scripts run in")
    .requiredOption("--target <paths...>", "files and folders that may change, below the root")
    .addOption(
      new Option("--operation <names...>", "what may be done to them").choices(OPERATIONS).makeOptionMandatory(),
    )
    .requiredOption("--expires <time>", "when it ends: 30m, 8h, 2d, or ISO 8601")
    .option("--root <folder>", "the folder that the work is in", ".")
    .option("--id <id>", "the contract's id (default: the file's name without .json)")
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis exec open c-104.json --mode newsroom --target docs index.json --operation CREATE WRITE --expires 8h --root /srv/site --policy policies

The baseline is the commit that is checked out. Refused is what can never be met: a root in no repository, or in one that
\`exec close\` could not judge, a mode that the policy does not know, a time that is past, targets that are everything or that
no decision would count.

${CONTRACT_FORMAT}

Exit codes: 0 written; 1 the contract could never be met, or findings in the sources; 2 wrong usage, a file that is there.`,
    )
    .action(async (file: string, flags: OpenFlags) => {
      if (isThere(file)) throw new CliError(`\`${file}\` is there already`);
      const policy = await loadPolicyArgument(context.terminal, flags.policy, flags);
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      const { target: targets, operation: operations, mode, expires, root } = flags;
      const id = flags.id ?? basename(file).replace(/\.json$/, "");
      const declaration = { id, mode, targets, operations, expires, root };
      const result = openContract(file, declaration, { policy, now: Date.now() });
      const contract = orFail(result, { exitCode: EXIT_FINDINGS });
      warnOfUnread(context.terminal, contract);
      const text = `${JSON.stringify(contract, null, 2)}\n`;
      writeAtomic(file, text);
      const { out } = context.terminal;
      out(
        flags.format === "json"
          ? text
          : `opened ${file}; sign it: portcullis exec sign --contract ${file} --policy ${flags.policy}\n${text}`,
      );
      context.finish(EXIT_OK);
    });
}
