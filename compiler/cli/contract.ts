/** The contract file that the commands of `exec` take. */

import {
  type ContractFile,
  type PayloadVersion,
  parseContract,
  UNCOVERED_BY_V1,
  unreadMembers,
} from "@portcullis/enforcement/execution";
import { Option } from "commander";
import { readDelivered } from "./delivered.ts";
import { EXIT_FINDINGS, orFail } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

/** The format of a contract file, for `--help`. */
export const CONTRACT_FORMAT = `A contract is a JSON file, kept where agents cannot write:
  {
    "contract_id": "c-104",                        letters, digits and . _ -
    "created_at": "2026-03-02T09:00:00Z",          ISO 8601; UTC unless an offset is written
    "status": "open",                              anything else is not open
    "expires_at": "2026-03-02T17:00:00Z",          a contract without it does not count
    "mode": "newsroom",                            a mode of exec.yaml
    "declared_targets": ["docs", "index.json"],    files and folders below contract_root, by canonical paths
    "declared_operations": ["CREATE", "WRITE"],    of CREATE, WRITE, DELETE, RENAME, MODE
    "baseline_sha": "<full commit hash>",          HEAD when the contract was opened
    "contract_root": "/srv/site",                  absolute; in the git repository
    "signature": "<hex>"                           written by \`portcullis exec sign --contract FILE --policy PATH\`
  }
The signature covers everything but status: a program that can write the file can close the contract, and open it again.`;

/** `--payload`, for every command that signs or verifies a contract. */
export function payloadOption(): Option {
  const text = "text of the contract's signature: v2 covers all that decides, v1 the id and the time of creation alone";
  return new Option("--payload <version>", text).choices(["v1", "v2"]).default("v2");
}

/** Says aloud what a signature of the founding form leaves open. */
export function warnOfPayload(terminal: Terminal, payload: PayloadVersion): void {
  if (payload === "v2") return;
  terminal.err(
    `${terminal.paint.yellow("warning:")} payload v1 does not cover ${UNCOVERED_BY_V1.join(", ")}: a program that can write the contract can change them\n`,
  );
}

/** Warns of members that nothing reads, and of targets that look like patterns: a signer may take them for rules. */
export function warnOfUnread(terminal: Terminal, contract: ContractFile): void {
  const { declared_targets: targets } = contract;
  const patterns = Array.isArray(targets) ? targets.filter((one) => typeof one === "string" && one.includes("*")) : [];
  for (const sentence of [
    ...unreadMembers(contract).map(
      (name) =>
        `${JSON.stringify(name)} is no field of a contract: nothing reads it, and the signature does not cover it`,
    ),
    ...patterns.map(
      (one) => `target ${JSON.stringify(one)} is one name, and no pattern: a folder stands for all that lies in it`,
    ),
  ])
    terminal.err(`${terminal.paint.yellow("warning:")} ${sentence}\n`);
}

/** Throws CliError when the file is no regular file, cannot be read, or holds no JSON object. */
export function readContract(path: string): ContractFile {
  return orFail(parseContract(path, readDelivered(path)), { exitCode: EXIT_FINDINGS });
}
