/** `portcullis exec sign`: a person's signature on a contract, or on a script under a contract. */

import type { Command } from "commander";
import {
  type ContractFile,
  type PayloadVersion,
  SESSION_SECRET,
  type SessionSecret,
  SMALLEST_SECRET,
  sessionSecret,
  signContract,
  signScript,
} from "../../execution/index.ts";
import type { Context } from "../context.ts";
import { CONTRACT_FORMAT, payloadOption, readContract, warnOfPayload } from "../contract.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, orFail } from "../exit.ts";
import { libraryPolicy } from "../policy/library-policy.ts";
import { writeAtomic } from "../write.ts";
import { formatOption, type HumanOrJson } from "./options.ts";

interface SignFlags {
  readonly contract: string;
  readonly payload: PayloadVersion;
  readonly format: HumanOrJson;
}

/** The signed document, as it is written to its file. */
interface Signed {
  readonly kind: "contract" | "script";
  readonly file: string;
  readonly signed: object;
}

export function registerExecSign(exec: Command, context: Context): void {
  exec
    .command("sign")
    .description("sign a contract, or approve a script: write its HAT packet beside it")
    .argument("[script]", "the staged script; without one, the contract itself is signed")
    .requiredOption("--contract <file>", "the contract file")
    .addOption(payloadOption())
    .addOption(formatOption())
    .addHelpText(
      "after",
      `
Examples:
  export ${SESSION_SECRET}=$(openssl rand -hex 32)
  portcullis exec sign --contract c-104.json
  portcullis exec sign /srv/exec_queue/c-104/run.py --contract c-104.json

The session secret is at least 16 bytes in hex, in the environment variable ${SESSION_SECRET}; it is never written to
disk. Whoever has it can sign: keep it from agents. A script's packet is \`<script>.hat.json\`, as run.py.hat.json.

${CONTRACT_FORMAT}

Refused are targets that are everything or that no decision would count: \`/\`, \`.\`, empty, with \`..\`, with a slash at the
end, outside of contract_root; operations that are none; a script whose name holds a \`\\\`.

Signatures are HMAC-SHA256 in lower-case hex, over
  contract2:{canonical JSON of all fields above but status and signature}
  hat-exec2:{canonical JSON of contract_id, declared_operations, declared_targets, mode, script_sha256, timestamp}
and with --payload v1 over
  contract:{contract_id}|{created_at}
  hat-exec:{contract_id}|{script_sha256}|{mode}|{timestamp}|{sha256 of the canonical JSON of the sorted declared_targets}

Exit codes: 0 signed; 1 the contract or the script cannot be signed; 2 wrong usage, unreadable files, no session secret.`,
    )
    .action(async (script: string | undefined, flags: SignFlags) => {
      const contract = readContract(flags.contract);
      const secret = neededSecret();
      warnOfPayload(context.terminal, flags.payload);
      const result =
        script === undefined
          ? await signedContract(flags, contract, secret, context)
          : signedScript(script, contract, secret, flags.payload);
      writeAtomic(result.file, `${JSON.stringify(result.signed, null, 2)}\n`);
      const { out } = context.terminal;
      if (flags.format === "json") out(`${JSON.stringify(result, null, 2)}\n`);
      else out(`signed ${result.kind}: ${result.file}\n${JSON.stringify(result.signed, null, 2)}\n`);
      context.finish(EXIT_OK);
    });
}

/** Throws CliError without a secret. */
function neededSecret(): SessionSecret {
  const secret = sessionSecret(process.env);
  if (secret !== undefined) return secret;
  throw new CliError(
    `no valid session secret in \`${SESSION_SECRET}\``,
    EXIT_USAGE,
    `it is at least ${SMALLEST_SECRET} random bytes in hex: export ${SESSION_SECRET}=$(openssl rand -hex 32)`,
  );
}

/** The contract file with the signature in it. */
async function signedContract(
  { contract: file, payload }: SignFlags,
  contract: ContractFile,
  secret: SessionSecret,
  { terminal }: Context,
): Promise<Signed> {
  const policy = await libraryPolicy(terminal);
  const signed = orFail(signContract(file, contract, secret, { policy, payload }), { exitCode: EXIT_FINDINGS });
  return { kind: "contract", file, signed };
}

/** The packet beside the script. */
function signedScript(path: string, contract: ContractFile, secret: SessionSecret, payload: PayloadVersion): Signed {
  const result = signScript(path, contract, secret, { now: Date.now(), payload });
  const isUnread = !result.ok && result.problem.code === "unreadable-script";
  const { path: file, packet } = orFail(result, { exitCode: isUnread ? EXIT_USAGE : EXIT_FINDINGS });
  return { kind: "script", file, signed: packet };
}
