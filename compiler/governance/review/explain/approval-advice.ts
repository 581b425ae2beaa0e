/**
 * What to do about a call whose bound approval is missing or does not hold. No change of a request makes one: a person signs it.
 * Whether it is about an approval, and who may give it, is tried: the call is asked again as a host would, with a good approval of
 * each approver.
 */

import { isJsonEqual, isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { approverWords } from "../../lower/index.ts";
import { member } from "../policy-ids.ts";
import { boundApproval, underOwnRevision } from "../search/approval-questions.ts";

const SIGN = "`portcullis approve CALL.json --policy POLICY --key KEY`";

interface Tried {
  readonly approver: string;
  readonly says: string;
  readonly answer: unknown;
}

/**
 * Sentences without a period; none where an approval changes nothing. `answers`: to a request of the same decision; `now`: where
 * the request says no time.
 */
export function approvalAdvice(
  decision: unknown,
  input: unknown,
  tables: JsonObject,
  answers: (request: JsonObject) => unknown,
  now: number,
): string[] {
  if (!isJsonObject(input) || tables["approval_revision"] === undefined) return [];
  const told = member(input["facts"], "now");
  const at = typeof told === "number" ? told : now;
  const tried = approverWords(tables).map(({ approver, says }): Tried => {
    const request = { ...input, ...boundApproval(input, approver, at) };
    return { approver, says, answer: answers(underOwnRevision(request, tables)) };
  });
  const may = tried.filter(({ answer }) => member(answer, "allowed") === true);
  if (may.length > 0 && isRefused(input))
    return ["an approver has refused this very call: no approval of it counts until the refusal ends"];
  if (may.length > 0)
    return [
      ...hints(input, tables, may),
      ...may.map(({ approver, says }) => `\`${approver}\` can approve it with ${SIGN} (${says})`),
    ];
  // Without one, the decision says itself that it asks for an approval.
  const asked = member(answers({ ...input, approval: null }), "approval") === "bound";
  const other = tried.find(({ answer }) => !isSameGate(answer, decision));
  if (other !== undefined)
    return [
      `an approval alone is not enough: ${String(member(other.answer, "gate"))} denies the call then, with ${String(member(other.answer, "reason"))}`,
    ];
  if (!asked) return [];
  const left = approverWords(tables, String(input["tool"]));
  return left.length === 0
    ? ["the policy has no approver for calls of this tool: approvers.yaml has to name one"]
    : left.map(
        ({ approver, says }) => `\`${approver}\` can approve no call any more (${says}): another approver has to`,
      );
}

function isSameGate(a: unknown, b: unknown): boolean {
  return isJsonEqual(member(a, "gate") ?? null, member(b, "gate") ?? null);
}

function isRefused({ approval, facts }: JsonObject): boolean {
  return member(approval, "decision") === "refuse" || member(member(facts, "approval"), "refused") === true;
}

/** What is plainly wrong with the approval that the call has. */
function hints({ approval, facts }: JsonObject, tables: JsonObject, may: readonly Tried[]): string[] {
  const digest = member(facts, "call_sha256");
  const written = typeof digest === "string" ? `, whose digest is ${digest}` : "";
  if (!isJsonObject(approval)) return [`have a person approve this very call${written}`];
  const { by, call_sha256, policy_revision, expires_at } = approval;
  const row = approverWords(tables).find(({ approver }) => approver === by);
  const [{ signature_valid, key_of, used, refused }, now] = [objectOf(member(facts, "approval")), member(facts, "now")];
  const is = (isSo: boolean, sentence: string): string[] => (isSo ? [sentence] : []);
  return [
    ...is(row === undefined, `\`${String(by)}\` is not an approver of this policy: approvers.yaml names them`),
    ...is(
      row !== undefined && !may.some(({ approver }) => approver === by),
      `\`${String(by)}\` ${row?.says}: another approver has to`,
    ),
    ...is(
      row !== undefined && (signature_valid !== true || key_of !== by),
      `the host has verified no signature with the key that approvers.yaml has for \`${String(by)}\``,
    ),
    ...is(
      call_sha256 !== digest,
      `the approval is for the call ${String(call_sha256)}: have this one approved${written}`,
    ),
    ...is(
      policy_revision !== tables["approval_revision"],
      "the approval was given under another policy than this: have the call approved again",
    ),
    ...is(
      typeof now === "number" && typeof expires_at === "number" && expires_at <= now,
      `the approval ended at ${timeOf(expires_at)}: have the call approved again`,
    ),
    ...is(used === true, "the approval was used: it is good for one run, so have the call approved once more"),
    ...is(
      typeof used !== "boolean" || typeof refused !== "boolean",
      "the host does not say that the approval was not used, and the call not refused: it needs a history store",
    ),
  ];
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function timeOf(milliseconds: unknown): string {
  const time = new Date(Number(milliseconds));
  return Number.isNaN(time.getTime()) ? "a time that no clock shows" : time.toISOString();
}
