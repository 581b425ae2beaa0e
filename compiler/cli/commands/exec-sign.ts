/** `portcullis exec sign`: a person's signature on a contract, or on a script under a contract. */

import {
  type ContractFile,
  canBeMet,
  type Meeting,
  type PayloadVersion,
  SESSION_SECRET,
  type SessionSecret,
  SMALLEST_SECRET,
  sessionSecret,
  signContract,
  signScript,
} from "@portcullis/enforcement/execution";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { CONTRACT_FORMAT, payloadOption, readContract, warnOfPayload, warnOfUnread } from "../contract.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, orFail } from "../exit.ts";
import { DATA_FLAG } from "../host-data.ts";
import { memberNames, type OutputKind, REPLACES, refuseOthersFile } from "../output-file.ts";
import { loadPolicyArgument } from "../policy/policy-argument.ts";
import { writeAtomic } from "../write.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";

interface SignFlags {
  readonly contract: string;
  readonly policy: string;
  readonly data?: string;
  readonly payload: PayloadVersion;
  readonly format: HumanOrJson;
}

type SigningMeeting = Meeting & { readonly now: number };

/** The signed document, as it is written to its file. */
interface Signed {
  readonly kind: "contract" | "script";
  readonly file: string;
  readonly signed: object;
}

/** All that a packet of either payload holds. What has more was written by somebody. */
const PACKET =
  "contract_id,declared_operations?,declared_targets,mode,script_sha256,signature,timestamp,version?".split(",");

const OUTPUT: OutputKind = { command: "exec sign", wrote: isPacket };

export function registerExecSign(exec: Command, context: Context): void {
  exec
    .command("sign")
    .description("sign a contract, or approve a script: write its HAT packet beside it")
    .argument("[script]", "the staged script; without one, the contract itself is signed")
    .requiredOption("--contract <file>", "the contract file")
    .requiredOption("--policy <path>", "bundle, or folder of sources: it says which modes there are")
    .option(...DATA_FLAG)
    .addOption(payloadOption())
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  export ${SESSION_SECRET}=$(openssl rand -hex 32)
  portcullis exec sign --contract c-104.json --policy policies
  portcullis exec sign /srv/exec_queue/c-104/run.py --contract c-104.json --policy policies

The session secret is at least 16 bytes in hex, in the environment variable ${SESSION_SECRET}; it is never written to
disk. Its holder can sign: keep it from agents. A script's packet is \`<script>.hat.json\`, as run.py.hat.json.
${REPLACES}

${CONTRACT_FORMAT}

Refused is what can never be met: a contract that is not open, has expired, is in a mode that the policy does not know, has a
baseline that is not a commit of the repository around contract_root, or a root that is not there or behind a link; no targets
or operations; targets that are everything or that no decision would count: \`/\`, \`.\`, empty, with \`..\`, with a slash at the
end, outside of contract_root; a script whose name holds a \`\\\`.

Signatures are HMAC-SHA256 in lower-case hex, over
  contract2:{canonical JSON of all fields above but status and signature}
  hat-exec2:{canonical JSON of contract_id, declared_operations, declared_targets, mode, script_sha256, timestamp}
and with --payload v1 over
  contract:{contract_id}|{created_at}
  hat-exec:{contract_id}|{script_sha256}|{mode}|{timestamp}|{sha256 of the canonical JSON of the sorted declared_targets}

Exit codes: 0 signed; 1 the contract or the script cannot be signed, or findings in the sources; 2 wrong usage, unreadable files, no session secret.`,
    )
    .action(async (script: string | undefined, flags: SignFlags) => {
      const contract = readContract(flags.contract);
      const secret = neededSecret();
      warnOfPayload(context.terminal, flags.payload);
      warnOfUnread(context.terminal, contract);
      const meeting = await meetingOf(flags, context);
      if (meeting === undefined) return context.finish(EXIT_FINDINGS);
      const result =
        script === undefined
          ? signedContract(flags, contract, secret, meeting)
          : signedScript(script, contract, secret, { ...flags, meeting });
      if (result.kind === "script") await refuseOthersFile(result.file, OUTPUT);
      writeAtomic(result.file, `${JSON.stringify(result.signed, null, 2)}\n`);
      const { out } = context.terminal;
      if (flags.format === "json") out(`${JSON.stringify(result, null, 2)}\n`);
      else out(`signed ${result.kind}: ${result.file}\n${JSON.stringify(result.signed, null, 2)}\n`);
      context.finish(EXIT_OK);
    });
}

function isPacket(bytes: Buffer): boolean {
  const names = memberNames(bytes);
  const isKnown = (name: string): boolean => PACKET.includes(name) || PACKET.includes(`${name}?`);
  return names.every(isKnown) && PACKET.every((name) => name.endsWith("?") || names.includes(name));
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

/** `undefined` for a policy with findings, which are printed. */
async function meetingOf(flags: SignFlags, { terminal }: Context): Promise<SigningMeeting | undefined> {
  const policy = await loadPolicyArgument(terminal, flags.policy, flags);
  return policy && { policy, now: Date.now() };
}

/** The contract file with the signature in it. */
function signedContract(
  { contract: file, payload }: SignFlags,
  contract: ContractFile,
  secret: SessionSecret,
  meeting: Meeting,
): Signed {
  const signed = orFail(signContract(file, contract, secret, { ...meeting, payload }), { exitCode: EXIT_FINDINGS });
  return { kind: "contract", file, signed };
}

/** The packet beside the script. */
function signedScript(
  path: string,
  contract: ContractFile,
  secret: SessionSecret,
  { contract: name, payload, meeting }: SignFlags & { readonly meeting: SigningMeeting },
): Signed {
  orFail(canBeMet(name, contract, meeting), { exitCode: EXIT_FINDINGS });
  const result = signScript(path, contract, secret, { now: meeting.now, payload });
  const isUnread = !result.ok && result.problem.code === "unreadable-script";
  const { path: file, packet } = orFail(result, { exitCode: isUnread ? EXIT_USAGE : EXIT_FINDINGS });
  return { kind: "script", file, signed: packet };
}
