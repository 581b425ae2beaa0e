/** Whether a JSON body is a call request, for programs that read one from outside. */

import type { DecisionKinds } from "./decision.ts";
import type { PolicyIds } from "./policy-ids.ts";
import type { CallRequest } from "./requests.ts";

/**
 * Whether a value that `JSON.parse` gave has the shape of a call request: every member that the type names is of its type, and
 * with the `ids` of a generated `types.ts` every id is one of them. Other members may be there. The members of `scope` and
 * `args` are not looked at: they are the policy's to judge. It says nothing of what is allowed: `policy.call` does.
 */
export function isCall(value: unknown): value is CallRequest;
/** The same, and that role, lane and tool are ids of the policy set that `ids` names. */
export function isCall<Ids extends PolicyIds>(value: unknown, ids: Ids): value is DecisionKinds<Ids>["call"]["request"];
export function isCall(value: unknown, ids?: PolicyIds): boolean {
  if (!isRecord(value)) return false;
  const { role, lane, tool, scope, flags, writes, lineage, approval } = value;
  return (
    isId(role, ids?.roles) &&
    isId(lane, ids?.lanes) &&
    isId(tool, ids?.tools) &&
    isOptional(scope, isRecord) &&
    isOptional(flags, (list) => isList(list, isText)) &&
    isOptional(writes, (list) => isList(list, (w) => isRecord(w) && isText(w["table"]) && isText(w["mode"]))) &&
    isOptional(lineage, (list) => isList(list, (agent) => isAgent(agent, ids?.agentTypes))) &&
    isOptional(approval, (a) => isRecord(a) && isText(a["ref"]) && isText(a["by"]))
  );
}

function isAgent(value: unknown, types: readonly string[] | undefined): boolean {
  if (!isRecord(value)) return false;
  const { agent_type, spawn_depth, agent_id } = value;
  return (
    isId(agent_type, types) &&
    typeof spawn_depth === "number" &&
    (agent_id === undefined || typeof agent_id === "string")
  );
}

/** `null` and absent mean the same. */
function isOptional(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || is(value);
}

function isList(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isId(value: unknown, known: readonly string[] | undefined): boolean {
  return isText(value) && (known === undefined || known.includes(value));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isRecord(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
