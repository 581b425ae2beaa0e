/**
 * The start of a sub-agent, which hosts have as a tool. The subagent decision says whether this persona may hand work to that
 * one now, and the lineage decision whether this chain of agents may be. Both have to allow it before it happens.
 */

import { type CallRecord, FAULTS, guardTurn, type LineageRequest, type SubagentDecider } from "@portcullis/runtime";
import type { AskedCall, Host } from "./asked-call.ts";
import type { Caller } from "./caller.ts";
import { quoted } from "./look-alikes.ts";

/** What answers both questions. */
export interface SpawnDecider extends SubagentDecider {
  lineage(request: LineageRequest): Answer;
  readonly revision?: string | undefined;
}

export interface Spawns {
  readonly policy: SpawnDecider;
  /** Who approved of it, as the subagent decision takes it: the host's, and never the agent's. */
  readonly governance: unknown;
  readonly env: { readonly [name: string]: unknown };
}

export interface Answer {
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
}

interface SpawnTool {
  readonly names: readonly string[];
  /** The argument with the type of the agent that starts. */
  readonly type: string;
  /** The host never says which sub-agent calls a tool: it would have its parent's rights. */
  readonly isBlind?: true;
}

const CLAUDE: SpawnTool = { names: ["Agent", "Task"], type: "subagent_type" };
const SPAWNS: Readonly<Record<Host, SpawnTool>> = {
  "claude-code": CLAUDE,
  codex: { names: ["spawn_agent"], type: "agent_type" },
  gemini: { names: ["delegate_to_agent", "invoke_agent"], type: "agent_name", isBlind: true },
  copilot: { names: ["task"], type: "agent_type", isBlind: true },
  cline: { names: ["spawn_agent", "use_subagents", "team_spawn_teammate"], type: "agent_type", isBlind: true },
  opencode: { names: ["task"], type: "subagent_type", isBlind: true },
  generic: CLAUDE,
};

/** Whether a call starts a sub-agent. Of unknown hosts, one that names its type. */
export function startsAgent({ host, name, args }: AskedCall): boolean {
  const { names, type } = SPAWNS[host];
  return names.includes(name) && (host !== "generic" || typeOf(args, type) !== undefined);
}

/** The answer for the start of a sub-agent, and its record. Throws where it cannot be decided. */
export function decideSpawn(
  call: AskedCall,
  caller: Caller,
  spawns: Spawns | undefined,
): { readonly answer: Answer; readonly record: CallRecord } {
  const { type: member, isBlind } = SPAWNS[call.host];
  if (isBlind) throw new Error(`${quoted(call.name)} starts a sub-agent, and this host does not say which agent calls`);
  // INVARIANT: a sub-agent is a child of the session's own agent. Hosts do not say whose child it is.
  if (call.agent !== undefined) throw new Error("a sub-agent starts no other one: hosts do not say whose it would be");
  if (spawns === undefined)
    throw new Error(`${quoted(call.name)} starts a sub-agent, and there is no \`--governance\` that approves of it`);
  const type = typeOf(call.args, member);
  if (typeof type !== "string" || type.trim() === "") throw new Error(`the sub-agent has no type: \`${member}\``);
  const { lineage } = caller;
  const parent = lineage?.at(-1);
  if (lineage === undefined || parent === undefined)
    throw new Error("`--lineage` does not say who starts the sub-agent");
  const started = performance.now();
  const chain = [...lineage, { agent_type: type, spawn_depth: lineage.length }];
  const delegation = delegationOf(spawns, parent.agent_type, type);
  const answer = delegation.allowed === true ? spawns.policy.lineage({ lineage: chain }) : delegation;
  const { allowed, gate, reason, ...details } = answer;
  const record: CallRecord = {
    ...{ disposition: allowed === true ? "ALLOW" : "DENY", role: caller.role, lane: caller.lane, tool: call.name },
    ...{ gate, reason, evaluation_ms: Math.round((performance.now() - started) * 1000) / 1000 },
    ...(spawns.policy.revision === undefined ? {} : { revision: spawns.policy.revision }),
    lineage: chain.map(({ agent_type }) => agent_type),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
  return { answer, record };
}

/** The type `news_desk` is the persona of that name, or NEWS_DESK: files of instructions are named in capitals. */
function delegationOf({ policy, governance, env }: Spawns, parent: string, type: string): Answer {
  const asked = [parent, parent.toUpperCase()].map((persona) =>
    guardTurn(policy, { persona, governance, env }, { log: false }),
  );
  const [own, capital] = asked;
  const turn = own?.decision.gate === FAULTS.subagent.gate ? capital : own;
  if (turn === undefined) throw new Error("no answer");
  const { allowed, gate, reason } = turn.decision;
  if (allowed !== true) return { allowed: false, gate, reason };
  const wanted = [agentKey(type), agentKey(type.toUpperCase())];
  if (turn.delegatedSubagents.some((name) => wanted.includes(agentKey(name)))) return { allowed: true, gate, reason };
  return { allowed: false, gate: "DELEGATED", reason: "subagent_not_delegated" };
}

/** Names of agents are the same with `-` and with `_`. */
function agentKey(name: string): string {
  return name.replaceAll("-", "_");
}

function typeOf(args: unknown, member: string): unknown {
  if (typeof args !== "object" || args === null || !Object.hasOwn(args, member)) return undefined;
  return (args as Readonly<Record<string, unknown>>)[member] ?? undefined;
}
