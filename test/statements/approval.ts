/** The rows of gate APPROVAL, stated from `approvals.md`. */
import { asRead, isPersonName } from "./agents.ts";
import { approvalOfArguments } from "./arguments.ts";
import type { PolicyData } from "./policy.ts";
import { type Decision, entry, field, isWritten } from "./values.ts";

const deny = (reason: string, more: Decision = {}): Decision => ({ allowed: false, gate: "APPROVAL", reason, ...more });

const DAY = 24 * 60 * 60 * 1000;

/** The first row that denies, in the page's order. */
export function approvalDenial(policy: PolicyData, input: unknown): Decision | undefined {
  const tool = field(input, "tool");
  const need = needOf(policy, input);
  if (need === "none") return undefined;
  const facts = field(input, "facts");
  const approval = field(input, "approval") ?? undefined;
  if (approval === undefined) {
    const digest = field(facts, "call_sha256");
    return deny("approval_required", {
      approval: need,
      ...(typeof digest === "string" ? { call_sha256: digest } : {}),
    });
  }
  const by = field(approval, "by");
  if (!isWhole(approval, need) || typeof by !== "string") return deny("approval_malformed");
  if (!isPersonName(policy, by)) return deny("approval_not_human");
  if (need === "required") return undefined;

  const approver = entry(policy.approvers ?? {}, by);
  if (approver === undefined) return deny("approver_unknown");
  const now = field(facts, "now");
  const end = field(approval, "expires_at") as number;
  const lastDay = approver.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(`${approver.until}T00:00:00Z`);
  if (isInteger(now) && now >= lastDay + DAY) return deny("approver_expired");
  if (approver.tools !== undefined && entry(approver.tools, tool) === undefined) return deny("approver_not_for_tool");
  const known = field(facts, "approval");
  if (field(known, "signature_valid") !== true || field(known, "key_of") !== by)
    return deny("approval_signature_invalid");
  const digest = field(facts, "call_sha256");
  if (typeof digest !== "string" || digest !== field(approval, "call_sha256"))
    return deny("approval_not_for_this_call");
  if (field(approval, "policy_revision") !== policy.approval_revision) return deny("approval_for_other_policy");
  if (!isInteger(now) || now >= end || end - now > DAY) return deny("approval_expired");
  if (field(approval, "decision") !== "approve" || field(known, "refused") !== false) return deny("approval_refused");
  return field(known, "used") === false ? undefined : deny("approval_used");
}

/** A tool that says `bound` stays bound, whatever an argument asks for. */
function needOf(policy: PolicyData, input: unknown): "bound" | "required" | "none" {
  const tool = entry(policy.tools, field(input, "tool"));
  const asked = [tool?.approval ?? "none", ...approvalOfArguments(tool?.written, input)];
  if (asked.includes("bound")) return "bound";
  return asked.every((one) => one === "none") ? "none" : "required";
}

/** An approval by name says the name and the reference; a bound one all of its members, each in its form. */
function isWhole(approval: unknown, need: "bound" | "required"): boolean {
  const by = field(approval, "by");
  if (!isWritten(field(approval, "ref")) || typeof by !== "string" || asRead(by) === "") return false;
  if (need === "required") return true;
  const texts = ["call_sha256", "policy_revision", "nonce", "signature"].map((name) => field(approval, name));
  const decision = field(approval, "decision");
  return (
    field(approval, "type") === "portcullis-approval/1" &&
    (decision === "approve" || decision === "refuse") &&
    texts.every(isWritten) &&
    isInteger(field(approval, "expires_at"))
  );
}

function isInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}
