/** What adapters of agent SDKs are asked with: a policy that answers as it is told, and a store that takes notes. */
import type { CallDecision, CallRequest, HistoryStore } from "@portcullis/runtime";
import { ToolDenied } from "../../../runtime/agents/admission.ts";

export const ALLOW: CallDecision = { allowed: true, gate: "ALLOW", reason: "call_allowed" };
export const DENY = { allowed: false, gate: "FLAGS", reason: "r" } as unknown as CallDecision;
export const CONTEXT = { role: "R", lane: "L", lineage: [{ agent_type: "desk", spawn_depth: 0 }] };
export const DENIED = 'The policy denies "t": FLAGS, r';

/** A policy with one limit, so that each call is reserved. */
export function policyOf(answer: CallDecision = ALLOW) {
  const asked: CallRequest[] = [];
  const call = (request: CallRequest): CallDecision => {
    asked.push(request);
    return answer;
  };
  return { asked, limits: { X: { calls: {}, per: [], max_calls: 9 } }, call };
}

/** Takes down what becomes of calls: nothing for one that is used up, and has not succeeded. */
export function keeping(said: string[]): HistoryStore {
  const reservation = {
    ...{ facts: { now: 5, history: { X: { calls: 0, sum: 0, last_ms: {} } } }, isReserved: true },
    commit: async () => void said.push("commit"),
    release: async () => void said.push("release"),
  };
  return { reserve: async () => reservation } as unknown as HistoryStore;
}

/** What a call of it ends with. */
export function outcome(work: () => unknown): Promise<unknown> {
  return new Promise((resolve) => {
    resolve(work());
  }).catch((error: Error) => (error instanceof ToolDenied ? error.message : `${error.name}: ${error.message}`));
}
