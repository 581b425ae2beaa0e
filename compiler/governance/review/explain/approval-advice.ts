/**
 * What to do about a call whose bound approval is missing or does not hold. No change of a request makes one: a person signs it.
 * Who may is tried: the call is asked again as a host would, with a good approval of each approver.
 */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { approverWords } from "../../lower/index.ts";
import { member } from "../policy-ids.ts";
import { boundApproval, underOwnRevision } from "../search/approval-questions.ts";

/** The answer to a request of the same decision. */
type Answers = (request: JsonObject) => unknown;

const SIGN = "`portcullis approve CALL.json --policy POLICY --key KEY`";
/** Reasons that only a bound approval is denied for. */
const BOUND: ReadonlySet<unknown> = new Set([
  ...["approver_unknown", "approver_expired", "approver_not_for_tool", "approval_signature_invalid"],
  ...[
    "approval_not_for_this_call",
    "approval_for_other_policy",
    "approval_expired",
    "approval_refused",
    "approval_used",
  ],
]);

/** Sentences without a period; none where the decision is not about a bound approval. `now`: where the request says no time. */
export function approvalAdvice(
  decision: unknown,
  input: unknown,
  tables: JsonObject,
  answers: Answers,
  now: number,
): string[] {
  if (!isJsonObject(decision) || !isJsonObject(input) || decision["gate"] !== "APPROVAL") return [];
  const { reason, approval: need } = decision;
  const isOfBound = need === "bound" || BOUND.has(reason);
  const tool = member(member(tables, "tools"), String(input["tool"]));
  // Whether one that is malformed, or an agent's, has to be bound, its denial does not say.
  const mayBeBound = member(tool, "approval") === "bound" || member(tool, "bound_arguments") === true;
  if (!isOfBound && !mayBeBound) return [];
  const first = adviceFor(String(reason), input, tables);
  if (reason === "approval_refused" && isRefused(input)) return [first];
  return [first, ...whoMay(input, tables, answers, now)];
}

function isRefused({ approval, facts }: JsonObject): boolean {
  return member(approval, "decision") === "refuse" || member(member(facts, "approval"), "refused") === true;
}

function adviceFor(reason: string, input: JsonObject, tables: JsonObject): string {
  const { approval, facts } = input;
  const by = String(member(approval, "by"));
  const digest = member(facts, "call_sha256");
  const row = approverWords(tables).find(({ approver }) => approver === by);
  switch (reason) {
    case "approval_required":
      return `have a person approve this very call${typeof digest === "string" ? `, whose digest is ${digest}` : ""}`;
    case "approval_malformed":
      return "give the approval as `portcullis approve` wrote it: all of its members";
    case "approval_not_human":
      return "have a person approve the call: agents approve nothing";
    case "approver_unknown":
      return `\`${by}\` is no approver of this policy: approvers.yaml names them`;
    case "approver_expired":
    case "approver_not_for_tool":
      return `\`${by}\` ${row?.says ?? "may approve no call"}: another approver has to`;
    case "approval_signature_invalid":
      return `have it signed with the key that approvers.yaml has for \`${by}\``;
    case "approval_not_for_this_call":
      return `have this call approved: its digest is ${String(digest ?? "not known to the host")}, and the approval is for ${String(member(approval, "call_sha256"))}`;
    case "approval_for_other_policy":
      return `have the call approved again under this policy, whose revision is ${String(tables["approval_revision"])}`;
    case "approval_expired":
      return `have the call approved again: the approval ends at ${timeOf(member(approval, "expires_at"))}, and one is good for a day at most`;
    case "approval_refused":
      return isRefused(input)
        ? "an approver has refused this very call: no approval of it counts until the refusal ends"
        : "give the host a history store (`--state`): without one it cannot tell that no approver has refused the call";
    default:
      return member(member(facts, "approval"), "used") === true
        ? "have the call approved once more: an approval is good for one run"
        : "give the host a history store (`--state`): without one it cannot tell that the approval was not used";
  }
}

function timeOf(milliseconds: unknown): string {
  const time = new Date(Number(milliseconds));
  return Number.isNaN(time.getTime()) ? "no time" : time.toISOString();
}

/** Who may approve, each tried; or what denies the call with any approval. */
function whoMay(input: JsonObject, tables: JsonObject, answers: Answers, otherwise: number): string[] {
  const told = member(input["facts"], "now");
  const now = typeof told === "number" ? told : otherwise;
  const tried = approverWords(tables, String(input["tool"])).map(({ approver, says }) => {
    const request = underOwnRevision({ ...input, ...boundApproval(input, approver, now) }, tables);
    return { approver, says, answer: answers(request) };
  });
  if (tried.length === 0) return ["the policy has no approver for calls of this tool: approvers.yaml has to name one"];
  const may = tried.filter(({ answer }) => member(answer, "allowed") === true);
  if (may.length > 0) return may.map(({ approver, says }) => `\`${approver}\` can approve it with ${SIGN} (${says})`);
  const [first] = tried.filter(({ answer }) => member(answer, "gate") !== "APPROVAL").concat(tried);
  const { gate, reason } = (first?.answer ?? {}) as { readonly gate?: unknown; readonly reason?: unknown };
  return [`an approval alone is not enough: ${String(gate)} denies the call then, with ${String(reason)}`];
}
