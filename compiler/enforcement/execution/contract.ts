/** Contract files, read as facts. Nothing here judges: a field of the wrong type goes to the policy as it is. */

import { failure, isJsonObject, type Result, success } from "@portcullis/documents";
import type { CloseRequest, ExecRequest } from "@portcullis/runtime";
import type { TableOf } from "@portcullis/runtime/trust";
import { instant } from "./instant.ts";
import { contractPayload, type PayloadVersion } from "./payloads.ts";
import { type SessionSecret, verify } from "./session.ts";
import { strictJson } from "./strict-json.ts";

/** A contract file's members, unchecked. */
export type ContractFile = { readonly [field: string]: unknown };

/** Reads a contract file's bytes; `name`: its name in messages. A problem for text that is not a JSON object. */
export function parseContract(name: string, bytes: Uint8Array): Result<ContractFile, "broken-json"> {
  const result = strictJson(name, bytes);
  if (!result.ok) return result;
  return isJsonObject(result.value)
    ? success(result.value)
    : failure("broken-json", `\`${name}\` holds no JSON object`);
}

/** Who asks about a contract's signature, and about which text. */
export interface Signatory {
  readonly secret: SessionSecret | undefined;
  /** Default: `v2`. */
  readonly payload?: PayloadVersion | undefined;
}

export const SIGNATORY: TableOf<Signatory> = { secret: "any?", payload: ["v1", "v2", undefined] };

/** The facts about a contract, for the exec decision. `now` in milliseconds since 1970. */
export function contractFacts(contract: ContractFile, by: Signatory, now: number): ExecRequest["contract"] {
  const facts = {
    contract_id: contract["contract_id"],
    status: contract["status"],
    signature_valid: isSignedContract(contract, by),
    expired: isExpired(contract, now),
    mode: contract["mode"],
    declared_targets: contract["declared_targets"],
    declared_operations: contract["declared_operations"],
  };
  // The policy holds every field to its type.
  return facts as ExecRequest["contract"];
}

/** The facts about a contract at its close. `lastCommit` in milliseconds since 1970. */
export function closedContractFacts(
  contract: ContractFile,
  by: Signatory,
  lastCommit: number,
): CloseRequest["contract"] {
  return { signature_valid: isSignedContract(contract, by), expired: isExpired(contract, lastCommit) };
}

/** Whether the contract carries this session's signature. */
export function isSignedContract(contract: ContractFile, { secret, payload = "v2" }: Signatory): boolean {
  const text = contractPayload(contract, payload);
  return text !== undefined && verify(secret, text, contract["signature"]);
}

/** Also true of a contract without expiry, and of one whose expiry is no time. */
function isExpired(contract: ContractFile, at: number): boolean {
  return !(at < (instant(contract["expires_at"]) ?? Number.NEGATIVE_INFINITY));
}
