/**
 * Claims about limits: what may not be once something came before.
 *
 *     - never: { decision: limit, tool: payout.release, calls: 3, per: [scope.contributor_id], within: 1h }
 *     - never: { decision: limit, tool: payout.release, sum: 500000 }
 *     - never: { decision: limit, tool: mail.send, after: web.fetch }
 *     - never: { decision: limit, tool: article.publish, without: article.review }
 *
 * A host tells of the history by a limit's own key and window. So `per` and `within` are held against what the limit says, and the
 * rest is asked: with this history, and nothing else wrong, the call is denied by that limit.
 */

import { compareText, isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { entrypointOf, GATES, type Policy } from "@portcullis/runtime";
import { type Answer, answerOf, DECIDED_BY_DATA, isLater, questions, type Space } from "../decision-space.ts";
import { keys, member, policyIds, texts } from "../policy-ids.ts";
import { boundApprovals, mayBind, underOwnRevision } from "../search/approval-questions.ts";
import { callStarts } from "../search/questions.ts";
import { requestOf } from "./properties.ts";
import type { Witnesses } from "./property.ts";

/** What came before, by one of the first four. */
export interface Earlier {
  /** This many calls in the window. */
  readonly calls?: number | undefined;
  /** As much in the window; the call adds at least 1. */
  readonly sum?: number | undefined;
  /** A call of this tool. */
  readonly after?: string | undefined;
  /** Calls of all tools that an order names, but this one. */
  readonly without?: string | undefined;
  /** The limit counts by no other keys than these: others would each have a history of their own. */
  readonly per?: readonly string[] | undefined;
  /** The limit forgets nothing sooner. In milliseconds. */
  readonly within?: number | undefined;
}

/** Calls of every tool in every lane; no questions where the policy has no roles, lanes or tools. */
export function limitSpace(tables: JsonObject): Space {
  const { roles, lanes, tools } = policyIds(tables);
  return {
    name: "limit",
    axes: ["role", "lane", "tool"],
    ids: [roles, lanes, tools],
    size: roles.length * lanes.length * tools.length,
    says: "every role calling every tool in every lane, after what a claim says",
  };
}

/** Asks all that a claim is about. Calls that the data denies anyway are no counter-examples. */
export function askLimits(policy: Policy, tables: JsonObject, space: Space, earlier: Earlier, found: Witnesses): void {
  for (const ids of questions(space)) {
    found.asked++;
    const [role = "", lane = "", tool = ""] = ids;
    if (DECIDED_BY_DATA.has(answerOf(policy.tool({ role, lane, tool })).gate)) continue;
    const limits = limitsOf(tables, tool).filter(({ limit }) => keepsAs(limit, earlier));
    const whys = limits.map(({ id, limit }) => whyNot(policy, tables, { role, lane, tool }, { id, limit, earlier }));
    if (limits.length === 0)
      found.add(requestOf(space, ids), undefined, "no limit counts it by these keys, for as long");
    else if (!whys.includes(undefined)) found.add(requestOf(space, ids), undefined, whys[0] as string);
  }
}

interface Row {
  readonly id: string;
  readonly limit: JsonObject;
}

function limitsOf(tables: JsonObject, tool: string): Row[] {
  return texts(member(member(tables["tools"], tool), "limits")).flatMap((id): Row[] => {
    const limit = member(tables["limits"], id);
    return isJsonObject(limit) ? [{ id, limit }] : [];
  });
}

function keepsAs(limit: JsonObject, { per, within }: Earlier): boolean {
  const window = limit["within_ms"];
  const isLong = within === undefined || window === undefined || (typeof window === "number" && window >= within);
  return isLong && (per === undefined || texts(limit["per"]).every((key) => per.includes(key)));
}

/** Why a limit does not show it; `undefined` where it denies. */
function whyNot(
  policy: Policy,
  tables: JsonObject,
  call: { readonly role: string; readonly lane: string; readonly tool: string },
  { id, limit, earlier }: Row & { readonly earlier: Earlier },
): string | undefined {
  let isDenied = false;
  const decide = (start: JsonObject, before: Earlier): unknown =>
    policy.evaluate(CALL, underOwnRevision(adding(limit, withHistory(start, limit, id, before)), tables));
  for (const start of startsOf(tables, call)) {
    const decision = decide(start, earlier);
    const answer = answerOf(decision);
    if (answer.allowed) return `limit ${id} allows it`;
    if (denies(id, decision)) {
      // What it denies without this history as well shows nothing: it is the wrong time of the day.
      isDenied ||= !denies(id, decide(start, {}));
    } else if (isBehind(id, answer, decision))
      return `limit ${id} does not deny it, and ${answer.gate} ${answer.reason} does`;
  }
  return isDenied ? undefined : `every request that was tried is denied before limit ${id}`;
}

const CALL = entrypointOf("call");
/** The gate of limits: they are asked in the order of their ids. */
const LIMITS = GATES.call.find(({ judges }) => judges === "history")?.gate ?? "";

function denies(id: string, decision: unknown): boolean {
  return member(decision, "gate") === LIMITS && member(decision, "limit") === id;
}

/** Whether what denies is asked after the limit. */
function isBehind(id: string, answer: Answer, decision: unknown): boolean {
  if (answer.gate === LIMITS) return compareText(String(member(decision, "limit")), id) > 0;
  return isLater(answer, { ...answer, gate: LIMITS });
}

/** Requests with which nothing is wrong, as far as the tables tell; each says a time and a history. */
function startsOf(
  tables: JsonObject,
  call: { readonly role: string; readonly lane: string; readonly tool: string },
): JsonObject[] {
  const starts = callStarts({ tables: [tables], isAllowed: () => false }, call);
  const told = starts.filter(({ facts }) => member(facts, "now") !== undefined);
  if (!mayBind([tables], call.tool)) return told;
  return told.flatMap((start) => boundApprovals([tables], start, undefined).map((more) => ({ ...start, ...more })));
}

/** The request with the claimed history under one limit. */
function withHistory(start: JsonObject, limit: JsonObject, id: string, earlier: Earlier): JsonObject {
  const { calls = 0, sum = 0, after, without } = earlier;
  const facts = isJsonObject(start["facts"]) ? start["facts"] : {};
  const now = facts["now"];
  const ordered = ["only_after", "never_after"].map((order) => keys(member(member(limit, order), "tools")));
  const [needed = [], tainting = []] = ordered;
  // What came before is good, but for what the claim is about.
  const before = [...needed.filter((tool) => tool !== without), ...tainting.filter((tool) => tool === after)];
  const history = isJsonObject(facts["history"]) ? facts["history"] : {};
  const last_ms = Object.fromEntries(before.map((tool) => [tool, now]));
  return { ...start, facts: { ...facts, history: { ...history, [id]: { calls, sum, last_ms } } } };
}

/** The call; one that would add nothing adds 1. */
function adding(limit: JsonObject, request: JsonObject): JsonObject {
  const [root = "", ...name] = String(member(limit["max_sum"], "of") ?? "").split(".");
  const said = request[root];
  const key = name.join(".");
  if (!isJsonObject(said) || said[key] !== 0) return request;
  return { ...request, [root]: { ...said, [key]: 1 } };
}
