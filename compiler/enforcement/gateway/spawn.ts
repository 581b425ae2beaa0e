/**
 * The start of a sub-agent, which hosts have as a tool. The subagent decision says whether this persona may hand work to that
 * one now, and the lineage decision whether this chain of agents may be. Both have to allow it before it happens.
 */

import {
  type CallRecord,
  chainWith,
  type Delegation,
  decideSpawn,
  type SpawnAnswer,
  type SpawnDecider,
} from "@portcullis/runtime";
import type { AskedCall, Host } from "./asked-call.ts";
import type { Caller } from "./caller.ts";
import { quoted } from "./outside-names.ts";

export interface Spawns extends Delegation {
  readonly policy: SpawnDecider & { readonly revision?: string | undefined };
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
  // The second: of `multi_agent_v2`, which newer models have, with the name of its group in front.
  codex: { names: ["spawn_agent", "collaborationspawn_agent"], type: "agent_type" },
  gemini: { names: ["delegate_to_agent", "invoke_agent"], type: "agent_name", isBlind: true },
  // At `PreToolUse` it has Claude Code's word for its `task`.
  copilot: { names: ["task", "Agent"], type: "agent_type", isBlind: true },
  cline: { names: ["spawn_agent", "use_subagents", "team_spawn_teammate"], type: "agent_type", isBlind: true },
  opencode: { names: ["task"], type: "subagent_type", isBlind: true },
  generic: CLAUDE,
};

/** Whether a call starts a sub-agent. Of unknown hosts, one that names its type. */
export function startsAgent({ host, name, args }: AskedCall): boolean {
  const { names, type } = SPAWNS[host];
  return names.includes(name) && (host !== "generic" || typeOf(args, type) !== undefined);
}

interface DecidedStart {
  readonly answer: SpawnAnswer;
  readonly record: CallRecord;
}

/** The answer for the start of a sub-agent, and its record. Throws where it cannot be decided. */
export function decideStart(call: AskedCall, caller: Caller, spawns: Spawns | undefined): DecidedStart {
  const { type: member, isBlind } = SPAWNS[call.host];
  if (isBlind) throw new Error(`${quoted(call.name)} starts a sub-agent, and this host does not say which agent calls`);
  // INVARIANT: a sub-agent is a child of the session's own agent. Hosts do not say whose child it is.
  if (call.agent !== undefined) throw new Error("a sub-agent starts no other one: hosts do not say whose it would be");
  return decided(call, typeOf(call.args, member), caller, { spawns, member });
}

/**
 * The answer for the start of the sub-agent that calls, and its record. A host may start some without a call that says so: for a
 * skill, in a workflow, or as its first agent, which a project's settings can name (`agent`). Throws where it cannot be decided.
 * `caller`: the session's own agent.
 */
export function decideStarted(call: AskedCall, caller: Caller, spawns: Spawns | undefined): DecidedStart {
  return decided(call, call.agent?.type, caller, { spawns, member: "agent_type" });
}

function decided(
  call: AskedCall,
  type: unknown,
  caller: Caller,
  { spawns, member }: { readonly spawns: Spawns | undefined; readonly member: string },
): DecidedStart {
  const what = call.agent === undefined ? `${quoted(call.name)} starts a sub-agent` : "a sub-agent has started";
  if (spawns === undefined) throw new Error(`${what}, and there is no \`--governance\` that approves of it`);
  if (typeof type !== "string" || type.trim() === "") throw new Error(`the sub-agent has no type: \`${member}\``);
  const { lineage } = caller;
  const parent = lineage?.at(-1);
  if (lineage === undefined || parent === undefined)
    throw new Error("`--lineage` does not say who starts the sub-agent");
  const started = performance.now();
  const { governance, env } = spawns;
  const answer = decideSpawn(spawns.policy, { lineage, type, governance, env });
  const { allowed, gate, reason, ...details } = answer;
  const record: CallRecord = {
    ...{ disposition: allowed === true ? "ALLOW" : "DENY", role: caller.role, lane: caller.lane, tool: call.name },
    ...{ gate, reason, evaluation_ms: Math.round((performance.now() - started) * 1000) / 1000 },
    ...(spawns.policy.revision === undefined ? {} : { revision: spawns.policy.revision }),
    lineage: chainWith({ lineage, type }).map(({ agent_type }) => agent_type),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
  return { answer, record };
}

function typeOf(args: unknown, member: string): unknown {
  if (typeof args !== "object" || args === null || !Object.hasOwn(args, member)) return undefined;
  return (args as Readonly<Record<string, unknown>>)[member] ?? undefined;
}
