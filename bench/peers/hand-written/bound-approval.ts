/** An approval of one call: whose it is, that it is signed for this call and this policy, in time, and not used. */

import type { PolicyTables } from "../../bundles.ts";
import { type Answer, constant } from "./constant.ts";
import { isObject, isWritten, type Members } from "./text.ts";

const DAY = 24 * 60 * 60 * 1000;

const denials = new Map(
  [
    ...["approval_malformed", "approval_not_human", "approver_unknown", "approver_expired", "approver_not_for_tool"],
    ...["approval_signature_invalid", "approval_not_for_this_call", "approval_for_other_policy", "approval_expired"],
    ...["approval_refused", "approval_used"],
  ].map((reason) => [reason, constant({ allowed: false, gate: "APPROVAL", reason })]),
);

export const denial = (reason: string): Answer => denials.get(reason) as Answer;

/** Whether it has all members of a signed one, in their form. */
export function isBound(approval: Members): boolean {
  const { type, decision, call_sha256, policy_revision, expires_at, nonce, signature } = approval;
  return (
    type === "portcullis-approval/1" &&
    (decision === "approve" || decision === "refuse") &&
    [call_sha256, policy_revision, nonce, signature].every(isWritten) &&
    Number.isSafeInteger(expires_at)
  );
}

/** The first thing that is wrong with a well-formed approval by a person. */
export function boundDenialOf({ approvers = {}, approval_revision }: PolicyTables) {
  return (tool: string, approval: Members, given: unknown): Answer | undefined => {
    const facts = isObject(given) ? given : {};
    const by = approval["by"] as string;
    const approver = Object.hasOwn(approvers, by) ? approvers[by] : undefined;
    if (approver === undefined) return denial("approver_unknown");
    const { now, call_sha256: digest } = facts;
    if (Number.isSafeInteger(now) && (now as number) >= (approver.until_ms ?? Number.POSITIVE_INFINITY))
      return denial("approver_expired");
    if (approver.tools !== undefined && !Object.hasOwn(approver.tools, tool)) return denial("approver_not_for_tool");
    const found = isObject(facts["approval"]) ? facts["approval"] : {};
    if (found["signature_valid"] !== true || found["key_of"] !== by) return denial("approval_signature_invalid");
    if (typeof digest !== "string" || digest !== approval["call_sha256"]) return denial("approval_not_for_this_call");
    if (approval["policy_revision"] !== approval_revision) return denial("approval_for_other_policy");
    const left = Number.isSafeInteger(now) ? (approval["expires_at"] as number) - (now as number) : 0;
    if (!(left > 0 && left <= DAY)) return denial("approval_expired");
    if (approval["decision"] !== "approve" || found["refused"] !== false) return denial("approval_refused");
    return found["used"] === false ? undefined : denial("approval_used");
  };
}
