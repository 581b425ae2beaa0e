/** `portcullis exec sign`: a person's signature on a contract, or on a script under a contract. */

import type { Command } from "commander";
import { Option } from "commander";
import { CONTRACT_FORMAT, type ContractFile, readContract, signedContract } from "../../execution/contract.ts";
import { hatPath, signHat } from "../../execution/packet.ts";
import { contractPayload } from "../../execution/payloads.ts";
import { readScript } from "../../execution/script.ts";
import { SESSION_SECRET, type SessionSecret, sessionSecret, sign } from "../../execution/session.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import type { Context } from "../main.ts";
import { writeAtomic } from "../write.ts";

interface SignFlags {
  readonly contract: string;
  readonly format: "human" | "json";
}

/** What was signed and where the signature is. */
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
    .addOption(new Option("--format <format>", "output format").choices(["human", "json"]).default("human"))
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

Signatures are HMAC-SHA256 in lower-case hex, over
  contract:{contract_id}|{created_at}
  hat-exec:{contract_id}|{script_sha256}|{mode}|{timestamp}|{sha256 of the canonical JSON of the sorted declared_targets}

Exit codes: 0 signed; 1 the contract or the script cannot be signed; 2 wrong usage, unreadable files, no session secret.`,
    )
    .action((script: string | undefined, flags: SignFlags) => {
      const secret = sessionSecret(process.env);
      const contract = readContract(flags.contract);
      const result =
        script === undefined ? signContract(flags.contract, contract, secret) : signScript(script, contract, secret);
      const { out } = context.terminal;
      if (flags.format === "json") out(`${JSON.stringify(result, null, 2)}\n`);
      else out(`signed ${result.kind}: ${result.file}\n${JSON.stringify(result.signed, null, 2)}\n`);
      context.finish(EXIT_OK);
    });
}

/** Writes the signature into the contract file. */
function signContract(file: string, contract: ContractFile, secret: SessionSecret | undefined): Signed {
  const payload = contractPayload(contract);
  if (payload === undefined) {
    throw new CliError(
      `\`${file}\` cannot be signed`,
      EXIT_FINDINGS,
      "`contract_id` and `created_at` must be strings without `|`",
    );
  }
  const signed = { ...contract, signature: sign(secret, payload) };
  writeAtomic(file, `${JSON.stringify(signed, null, 2)}\n`);
  return { kind: "contract", file, signed };
}

/** Writes the packet beside the script, where its path really leads. */
function signScript(path: string, contract: ContractFile, secret: SessionSecret | undefined): Signed {
  const script = readScript(path);
  if (script.path === undefined || script.sha256 === undefined)
    throw new CliError(`cannot read \`${path}\` as a regular file`);
  const signed = signHat(contract, script.sha256, secret, Date.now());
  if (!signedContract(contract, secret)) {
    throw new CliError(
      "the contract does not carry this session's signature",
      EXIT_FINDINGS,
      "sign it first: portcullis exec sign --contract FILE",
    );
  }
  const file = hatPath(script.path);
  writeAtomic(file, `${JSON.stringify(signed, null, 2)}\n`);
  return { kind: "script", file, signed };
}
