/** A policy that answers as it is told, and a store that takes down what becomes of calls. */

import type { CallDecision, CallRequest, HistoryStore, PolicyLimits } from "@portcullis/runtime";

export const ALLOW: CallDecision = { allowed: true, gate: "ALLOW", reason: "call_allowed" };
export const DENY: CallDecision = { allowed: false, gate: "FLAGS", reason: "flag_prohibited", flags: ["bulk"] };
export const DENIED = 'The policy denies "t": FLAGS, flag_prohibited; flags ["bulk"]';

const LIMITS: PolicyLimits = { X: { calls: {}, per: [], max_calls: 9 } };

/** A policy with one limit, so that each call is reserved. */
export function policyOf(answer: CallDecision | (() => CallDecision)): {
  readonly asked: CallRequest[];
  readonly limits: PolicyLimits;
  call(request: CallRequest): CallDecision;
} {
  const asked: CallRequest[] = [];
  const call = (request: CallRequest): CallDecision => {
    asked.push(request);
    return typeof answer === "function" ? answer() : answer;
  };
  return { asked, limits: LIMITS, call };
}

/** What became of each call: `commit`, `release`, or nothing where it is used up and has not succeeded. */
export function keeping(said: string[]): HistoryStore {
  const facts = { now: 5, history: { X: { calls: 0, sum: 0, last_ms: {} } } };
  const reservation = {
    ...{ facts, isReserved: true },
    commit: async () => void said.push("commit"),
    release: async () => void said.push("release"),
  };
  return { reserve: async () => reservation };
}
