/**
 * Calls by who has approved them: an approver of the policy, a person without a signature that holds, or none of them. A question of
 * this space is asked as several requests, in which the arguments, the history and the time are as the tables seem to ask for.
 */

import type { JsonObject } from "@portcullis/rego/value";
import type { Policy } from "@portcullis/runtime";
import { type Answer, Asker, isLater, questions, type Space } from "../decision-space.ts";
import { keys, member, policyIds } from "../policy-ids.ts";
import { boundApproval, brokenApprovals, underOwnRevision } from "../search/approval-questions.ts";
import { callStarts } from "../search/questions.ts";
import { requestOf } from "./properties.ts";
import { type Property, Witnesses } from "./property.ts";

/** No approval at all, one that says nothing, or one in the name of an agent. */
const UNAPPROVED = "(unapproved)";
/** One that only names a person; or a bound one that an approver has not signed for this very call, or that no longer holds. */
const UNSIGNED = "(unsigned)";
/** Names of agents, and approvers, whose approvals are tried where none must count. */
const MOST_NAMES = 4;
const NOON = Date.UTC(2026, 5, 1, 12);

/** No questions where the policy has no roles, lanes or tools. */
export function approvalSpace(tables: JsonObject): Space {
  const { roles, lanes, tools } = policyIds(tables);
  const approvers = [...keys(tables["approvers"]), UNAPPROVED, UNSIGNED];
  const ids = [roles, lanes, tools, approvers];
  return {
    name: "approval",
    axes: ["role", "lane", "tool", "approver"],
    ids,
    size: ids.reduce((product, of) => product * of.length, 1),
    says: "every role calling every tool in every lane, approved by every approver, without an approval, and without a signature",
    requestsOf: ([role = "", lane = "", tool = "", approver = ""]) => {
      const starts = callStarts({ tables: [tables], isAllowed: () => false }, { role, lane, tool });
      return starts
        .flatMap((start) => approvedBy(approver, tables, start))
        .map((request) => underOwnRevision(request, tables));
    },
  };
}

function approvedBy(approver: string, tables: JsonObject, start: JsonObject): JsonObject[] {
  const told = member(start["facts"], "now");
  const now = typeof told === "number" ? told : NOON;
  if (approver === UNAPPROVED) {
    const agents = policyIds(tables).roles.slice(0, MOST_NAMES);
    const given = [null, { ref: " ", by: "a person" }, ...agents.map((by) => ({ ref: "AP-1", by }))];
    return given.map((approval) => ({ ...start, approval }));
  }
  const signed = (by: string): JsonObject => ({ ...start, ...boundApproval(start, by, now) });
  if (approver !== UNSIGNED) return [signed(approver)];
  const broken = keys(tables["approvers"])
    .slice(0, MOST_NAMES)
    .flatMap((by) => [...brokenApprovals([tables], signed(by))].map((changed) => ({ ...signed(by), ...changed })));
  return [start, ...broken];
}

/** Whether it is for want of another approval that a question is denied: with one, some gate behind it decides. */
export function deniesForApproval(policy: Policy, tables: JsonObject, ids: readonly string[], denial: Answer): boolean {
  const [space, asker] = [approvalSpace(tables), new Asker(policy)];
  return [...keys(tables["approvers"]), UNSIGNED].some((approver) => {
    const answer = asker.ask(space, [...ids.slice(0, 3), approver]);
    return answer.allowed || isLater(answer, denial);
  });
}

/** A tool of which every call needs an approval, and how it must not be approved. */
const NOT_ENOUGH: { readonly [approval: string]: readonly string[] } = {
  required: [UNAPPROVED],
  bound: [UNAPPROVED, UNSIGNED],
};

/** Every call of a tool that says so needs an approval: without one, or with one that does not hold, it is denied. */
export function unapprovedIsDenied(policy: Policy, tables: JsonObject): Property {
  const witnesses = new Witnesses();
  const asker = new Asker(policy);
  const space = approvalSpace(tables);
  const [roles = [], lanes = [], tools = []] = space.ids;
  for (const [approval, approvers] of Object.entries(NOT_ENOUGH)) {
    const asking = tools.filter((tool) => member(member(tables["tools"], tool), "approval") === approval);
    const size = roles.length * lanes.length * asking.length * approvers.length;
    for (const ids of questions({ ...space, ids: [roles, lanes, asking, approvers], size })) {
      witnesses.asked++;
      const answer = asker.ask(space, ids);
      if (answer.allowed) witnesses.add(requestOf(space, ids), answer, `\`approval\` of the tool is ${approval}`);
    }
  }
  return witnesses.property("calls of tools that need an approval are denied without one");
}
