/** The harness's request: read exactly, and refused where two readers could disagree about it. */

import { type ExactJson, type ExactObject, JsonTextError, parseExactJson } from "../../json/index.ts";

/** Says why a request is invalid; nothing was decided. */
export class InvalidRequest extends Error {
  override readonly name = "InvalidRequest";
}

/** The parts of a request that record and ledger keep. */
export interface RequestFacts {
  readonly role: string | null;
  readonly lane: string | null;
  readonly tool: string | null;
  readonly caseId: ExactJson;
  readonly runKind: ExactJson;
  readonly idempotencyKey: ExactJson;
}

export interface HarnessRequest extends RequestFacts {
  /** The request as written, for its hash. */
  readonly whole: ExactObject;
}

/** Reads the text of a request. Throws InvalidRequest. */
export function readRequest(text: string): HarnessRequest {
  let value: ExactJson;
  try {
    value = parseExactJson(text);
  } catch (error) {
    if (error instanceof JsonTextError) throw new InvalidRequest(`the request is not valid JSON: ${error.message}`);
    throw error;
  }
  if (!isObject(value)) throw new InvalidRequest("the request is not a JSON object");
  const scope = value.get("scope");
  if (scope !== undefined && !isObject(scope)) throw new InvalidRequest("`scope` is not an object");
  return {
    whole: value,
    role: id(value, "agent_role"),
    lane: id(value, "lane_id"),
    tool: id(value, "tool_name"),
    caseId: scope?.get("case_id") ?? null,
    runKind: value.get("run_kind") ?? "unspecified",
    idempotencyKey: value.get("idempotency_key") ?? null,
  };
}

function isObject(value: ExactJson): value is ExactObject {
  return value instanceof Map;
}

function id(request: ExactObject, key: string): string | null {
  const value = request.get(key);
  if (value === undefined) return null;
  if (typeof value !== "string") throw new InvalidRequest(`\`${key}\` is not a string`);
  return value;
}
