/**
 * Calls with bound approvals: what hosts may say of a signature, of its use, and of the time. The tables only say what to try.
 * Each policy is asked with an approval that was given under it.
 */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { keys, member } from "../policy-ids.ts";
import { APPROVAL } from "./templates.ts";

/** Stands for the policy that is asked, where an approval says under which one it was given. */
export const OWN_REVISION = "(that of the policy which is asked)";

const DIGEST = "0".repeat(64);
/** Noon of an ordinary Monday, in UTC. */
const NOON = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;
/** Approvers that are tried for one tool. */
const MOST_APPROVERS = 16;

/** Whether a call of the tool may need a bound approval in any of the policies. */
export function mayBind(tables: readonly JsonObject[], tool: string): boolean {
  return tables.some((t) => {
    const row = member(member(t, "tools"), tool);
    return member(row, "approval") === "bound" || member(row, "bound_arguments") === true;
  });
}

/** Whether it may need any approval. */
export function mayAsk(tables: readonly JsonObject[], tool: string): boolean {
  return tables.some((t) => {
    const row = member(member(t, "tools"), tool);
    const rules = keys(member(row, "arguments")).map((name) => member(member(row, "arguments"), name));
    const isAsked = rules.some((r) => [r, member(r, "each")].some((one) => member(one, "asks") !== undefined));
    return member(row, "approval") !== "none" || isAsked;
  });
}

/** What else a call says that has a good bound approval, of one approver after the other; those that `focus` has alone, if it has any. */
export function boundApprovals(
  tables: readonly JsonObject[],
  input: JsonObject,
  focus: ReadonlySet<string> | undefined,
): JsonObject[] {
  const names = [...new Set(tables.flatMap((t) => keys(member(t, "approvers"))))];
  const wanted = names.filter((name) => focus?.has(name) === true);
  const now = member(input["facts"], "now") ?? NOON;
  return (wanted.length > 0 ? wanted : names)
    .slice(0, MOST_APPROVERS)
    .map((by) => boundApproval(input, by, typeof now === "number" ? now : NOON));
}

/** A good approval of one approver, and what a host finds out about it. */
export function boundApproval({ facts }: JsonObject, by: string, now: number): JsonObject {
  const approval = {
    ...{ ...APPROVAL, by, type: "portcullis-approval/1", decision: "approve", call_sha256: DIGEST },
    ...{ policy_revision: OWN_REVISION, expires_at: now + HOUR, nonce: "n-1", signature: "s" },
  };
  const verified = { signature_valid: true, key_of: by, used: false, refused: false };
  return { approval, facts: { ...(isJsonObject(facts) ? facts : {}), now, approval: verified, call_sha256: DIGEST } };
}

/** The same call with one thing at a time of its approval as a gate makes it matter. */
export function* atApprovals(tables: readonly JsonObject[], input: JsonObject): Generator<JsonObject> {
  yield* brokenApprovals(tables, input);
  for (const end of endsOf(tables, input)) yield endingAt(input, end - 1);
}

/** What no longer makes a good bound approval of it, one thing at a time. */
export function* brokenApprovals(tables: readonly JsonObject[], input: JsonObject): Generator<JsonObject> {
  const { approval, facts } = input;
  if (!isJsonObject(approval) || !isJsonObject(facts)) return;
  const verified = facts["approval"] as JsonObject;
  for (const changed of [
    { type: "portcullis-approval/2" },
    { decision: "refuse" },
    { call_sha256: "1".repeat(64) },
    { policy_revision: "another" },
    { expires_at: facts["now"] },
    { expires_at: Number(facts["now"]) + 24 * HOUR + 1 },
    { nonce: " " },
    { ref: " " },
  ])
    yield { approval: { ...approval, ...changed } };
  const stranger = "a stranger";
  yield { approval: { ...approval, by: stranger }, facts: { ...facts, approval: { ...verified, key_of: stranger } } };
  for (const changed of [
    { signature_valid: false },
    { key_of: "another" },
    { used: true },
    { used: null },
    { refused: true },
    { refused: null },
  ])
    yield { facts: { ...facts, approval: { ...verified, ...changed } } };
  yield { facts: { ...facts, call_sha256: null } };
  yield { facts: { ...facts, now: null } };
  for (const end of endsOf(tables, input)) yield endingAt(input, end);
}

/** When the approver of a call is one no longer. */
function endsOf(tables: readonly JsonObject[], { approval }: JsonObject): number[] {
  return tables.flatMap((t) => {
    const end = member(member(member(t, "approvers"), String(member(approval, "by"))), "until_ms");
    return typeof end === "number" ? [end] : [];
  });
}

function endingAt({ approval, facts }: JsonObject, now: number): JsonObject {
  if (!isJsonObject(approval) || !isJsonObject(facts)) return {};
  return { approval: { ...approval, expires_at: now + HOUR }, facts: { ...facts, now } };
}

/** The request as a policy is asked it: an approval under that policy. */
export function underOwnRevision(input: JsonObject, tables: JsonObject | undefined): JsonObject {
  const { approval } = input;
  if (!isJsonObject(approval) || approval["policy_revision"] !== OWN_REVISION) return input;
  return { ...input, approval: { ...approval, policy_revision: tables?.["approval_revision"] ?? "none" } };
}

/** The same request with the word for the policy's own revision in its place: it can be asked of another policy. */
export function underAnyRevision(input: JsonObject, tables: JsonObject | undefined): JsonObject {
  const { approval } = input;
  const revision = tables?.["approval_revision"];
  if (!isJsonObject(approval) || revision === undefined || approval["policy_revision"] !== revision) return input;
  return { ...input, approval: { ...approval, policy_revision: OWN_REVISION } };
}
