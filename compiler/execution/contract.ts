/** Contract files, read as facts. Nothing here judges: a field of the wrong type goes to the policy as it is. */

import type { ExecRequest } from "@portcullis/runtime";
import { readBytes } from "../cli/commands/read.ts";
import { CliError, EXIT_FINDINGS } from "../cli/exit.ts";
import { instant } from "./instant.ts";
import { contractPayload } from "./payloads.ts";
import { type SessionSecret, verify } from "./session.ts";
import { isJsonObject, strictJson } from "./strict-json.ts";

/** A contract file's members, unchecked. */
export type ContractFile = { readonly [field: string]: unknown };

/** The format of a contract file, for `--help`. */
export const CONTRACT_FORMAT = `A contract is a JSON file, kept where agents cannot write:
  {
    "contract_id": "c-104",                        letters, digits and . _ -
    "created_at": "2026-03-02T09:00:00Z",          ISO 8601; UTC unless an offset is written
    "status": "open",                              anything else is not open
    "expires_at": "2026-03-02T17:00:00Z",          a contract without it does not count
    "mode": "newsroom",                            a mode of exec.yaml
    "declared_targets": ["docs", "index.json"],    files and folders below contract_root
    "declared_operations": ["WRITE"],
    "baseline_sha": "<full commit hash>",          HEAD when the contract was opened
    "contract_root": "/srv/site",                  absolute; in the git repository
    "signature": "<hex>"                           written by \`portcullis exec sign --contract FILE\`
  }
The signature covers contract_id and created_at. Targets and mode are bound by each script's HAT packet.`;

/** Throws CliError when the file cannot be read or holds no JSON object. */
export function readContract(path: string): ContractFile {
  const result = strictJson(path, readBytes(path));
  if (!result.ok) throw new CliError(result.problem, EXIT_FINDINGS);
  if (!isJsonObject(result.value)) throw new CliError(`\`${path}\` holds no JSON object`, EXIT_FINDINGS);
  return result.value;
}

/** What the exec decision asks of a contract. `now` in milliseconds since 1970. */
export function contractFacts(
  contract: ContractFile,
  secret: SessionSecret | undefined,
  now: number,
): ExecRequest["contract"] {
  const facts = {
    contract_id: contract["contract_id"],
    status: contract["status"],
    signature_valid: signedContract(contract, secret),
    expired: !(now < (instant(contract["expires_at"]) ?? Number.NEGATIVE_INFINITY)),
    mode: contract["mode"],
    declared_targets: contract["declared_targets"],
    declared_operations: contract["declared_operations"],
  };
  // The policy holds every field to its type.
  return facts as ExecRequest["contract"];
}

/** Whether the contract carries this session's signature. */
export function signedContract(contract: ContractFile, secret: SessionSecret | undefined): boolean {
  const payload = contractPayload(contract);
  return payload !== undefined && verify(secret, payload, contract["signature"]);
}
