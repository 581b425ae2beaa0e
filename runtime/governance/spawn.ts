/**
 * The start of a sub-agent, which agent hosts and SDKs have as a tool. The subagent decision says whether this persona may hand
 * work to that one now, and the lineage decision whether this chain of agents may be. Both have to allow it before it happens.
 */

import { FAULTS } from "./answers.ts";
import { guardTurn, type SubagentDecider } from "./guard-turn.ts";
import type { LineageRequest } from "./requests.ts";

/** What an answer to the start of a sub-agent says; the decision that denied may say more. */
export interface SpawnAnswer {
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
}

/** What answers both questions; a Policy does. */
export interface SpawnDecider extends SubagentDecider {
  lineage(request: LineageRequest): SpawnAnswer;
}

/** Who approved that sub-agents start. The host's, and never an agent's. */
export interface Delegation {
  /** `opts.subagentGovernance`, as the subagent decision takes it. */
  readonly governance: unknown;
  /** Has to have CHIRALITY_ENABLE_SUBAGENTS, with the text `true`. */
  readonly env: { readonly [name: string]: unknown };
}

/** One start: the chain of agents from the root to the one that starts another, and the type of that other. */
export interface SpawnRequest extends Delegation {
  readonly lineage: readonly { readonly agent_type: string; readonly spawn_depth: number }[];
  readonly type: string;
}

/** The chain with the agent that starts at its end. */
export function chainWith({ lineage, type }: Pick<SpawnRequest, "lineage" | "type">): SpawnRequest["lineage"] {
  return [...lineage, { agent_type: type, spawn_depth: lineage.length }];
}

/**
 * Whether the sub-agent may start. An empty chain and an empty type are denials. Cost: two or three subagent decisions, and a lineage
 * decision where those allow. Nothing is written down.
 */
export function decideSpawn(policy: SpawnDecider, request: SpawnRequest): SpawnAnswer {
  const parent = request.lineage.at(-1);
  if (parent === undefined || request.type.trim() === "") return FAULTS.lineage;
  const delegation = delegationOf(policy, parent.agent_type, request);
  return delegation.allowed === true ? policy.lineage({ lineage: chainWith(request) }) : delegation;
}

/** The type `news_desk` is the persona of that name, or NEWS_DESK: files of instructions are named in capitals. */
function delegationOf(policy: SpawnDecider, parent: string, { type, governance, env }: SpawnRequest): SpawnAnswer {
  const asked = [parent, capitals(parent)].map((persona) =>
    guardTurn(policy, { persona, governance, env }, { log: false }),
  );
  const [own, capital] = asked;
  const turn = own?.decision.gate === FAULTS.subagent.gate ? capital : own;
  if (turn === undefined) return FAULTS.lineage;
  const { allowed, gate, reason } = turn.decision;
  if (allowed !== true) return { allowed: false, gate, reason };
  const wanted = [agentKey(type), agentKey(capitals(type))];
  if (turn.delegatedSubagents.some((name) => wanted.includes(agentKey(name)))) return { allowed: true, gate, reason };
  return { allowed: false, gate: "DELEGATED", reason: "subagent_not_delegated" };
}

/** Letters of ASCII alone: other ones that become such a letter in capitals, as `\u0131` becomes `I`, are another name's. */
function capitals(name: string): string {
  return name.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** Names of agents are the same with `-` and with `_`. */
function agentKey(name: string): string {
  return name.replaceAll("-", "_");
}
