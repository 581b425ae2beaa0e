/** Contract files, read as facts. Nothing here judges: a field of the wrong type goes to the policy as it is. */

import type { ExecRequest } from "@portcullis/runtime";
import { isJsonObject } from "../base/json-object.ts";
import { failure, type Result, success } from "../base/result.ts";
import { instant } from "./instant.ts";
import { contractPayload } from "./payloads.ts";
import { type SessionSecret, sign, verify } from "./session.ts";
import { strictJson } from "./strict-json.ts";

/** A contract file's members, unchecked. */
export type ContractFile = { readonly [field: string]: unknown };

/** Reads a contract file's bytes; `name`: its name in messages. A problem for text that is no JSON object. */
export function parseContract(name: string, bytes: Uint8Array): Result<ContractFile, "broken-json"> {
  const result = strictJson(name, bytes);
  if (!result.ok) return result;
  return isJsonObject(result.value)
    ? success(result.value)
    : failure("broken-json", `\`${name}\` holds no JSON object`);
}

/** The contract with this session's signature; an old one is replaced. `name`: its name in messages. */
export function signContract(
  name: string,
  contract: ContractFile,
  secret: SessionSecret,
): Result<ContractFile, "unsignable"> {
  const payload = contractPayload(contract);
  if (payload !== undefined) return success({ ...contract, signature: sign(secret, payload) });
  return failure(
    "unsignable",
    `\`${name}\` cannot be signed`,
    "`contract_id` and `created_at` must be strings without `|`",
  );
}

/** The facts about a contract, for the exec decision. `now` in milliseconds since 1970. */
export function contractFacts(
  contract: ContractFile,
  secret: SessionSecret | undefined,
  now: number,
): ExecRequest["contract"] {
  const facts = {
    contract_id: contract["contract_id"],
    status: contract["status"],
    signature_valid: isSignedContract(contract, secret),
    expired: !(now < (instant(contract["expires_at"]) ?? Number.NEGATIVE_INFINITY)),
    mode: contract["mode"],
    declared_targets: contract["declared_targets"],
    declared_operations: contract["declared_operations"],
  };
  // The policy holds every field to its type.
  return facts as ExecRequest["contract"];
}

/** Whether the contract carries this session's signature. */
export function isSignedContract(contract: ContractFile, secret: SessionSecret | undefined): boolean {
  const payload = contractPayload(contract);
  return payload !== undefined && verify(secret, payload, contract["signature"]);
}
