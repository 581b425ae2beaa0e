/**
 * The finite questions that a policy set can be asked: every role in every lane, with every tool, by every agent type; every
 * persona for every subagent; every agent type starting every other. Ids are those of the data; only the compiled policy answers.
 */

import type { JsonObject } from "@portcullis/rego/value";
import { type DecisionKind, GATES, type Policy } from "@portcullis/runtime";
import { agentKey, keys, member, type PolicyIds, policyIds } from "./policy-ids.ts";

/** A decision of which every question over the policy's ids can be asked. */
export type SpaceName = "lane" | "tool" | "subagent" | "spawn" | "call" | "approval" | "limit";

/** What a decision says, without the members that only some gates have. */
export interface Answer {
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
}

/** The decision that a space asks. */
export const DECISION_OF: { readonly [S in SpaceName]: DecisionKind } = {
  lane: "lane",
  tool: "tool",
  subagent: "subagent",
  spawn: "lineage",
  call: "call",
  approval: "call",
  limit: "call",
};

/** Questions that are ids alone: all combinations of an id of each axis. */
export interface IdSpace<Name extends string> {
  readonly name: Name;
  /** The names of a question's coordinates. */
  readonly axes: readonly string[];
  /** The ids of each axis, in order. */
  readonly ids: readonly (readonly string[])[];
  /** How many questions there are. */
  readonly size: number;
  /** In words, for people: the questions, and the parts that are fixed in all of them. */
  readonly says: string;
}

/** Every question that the ids of a policy allow of one decision. */
export interface Space extends IdSpace<SpaceName> {
  /** The scope that a call must have. */
  readonly scopeOf?: (lane: string, tool: string) => JsonObject;
  /** The requests that a question is asked as, where ids alone do not say one. */
  readonly requestsOf?: (ids: readonly string[]) => readonly JsonObject[];
}

function space(name: SpaceName, says: string, axes: Record<string, readonly string[]>): Space {
  const size = Object.values(axes).reduce((product, values) => product * values.length, 1);
  return { name, axes: Object.keys(axes), ids: Object.values(axes), size, says };
}

/** The spaces whose questions are ids alone; those with an empty axis have no questions. */
export function spacesOf(ids: PolicyIds): Space[] {
  const { roles, lanes, tools, agents, subagents, types } = ids;
  return [
    space("lane", "every role in every lane", { role: roles, lane: lanes }),
    space("tool", "every role in every lane with every tool", { role: roles, lane: lanes, tool: tools }),
    space("subagent", "every persona for every subagent, in a turn that is enabled, sealed and approved", {
      persona: agents,
      subagent: subagents,
    }),
    space("spawn", "every agent type at the root starting every type", { parent: types, child: types }),
  ];
}

/** Calls by one agent at the root. They have the scope that the tables ask for and a person's approval, raise no flag, write nothing. */
export function callSpace(tables: JsonObject): Space {
  const { roles, lanes, tools, types } = policyIds(tables);
  const needed = (table: string, id: string, list: string): string[] =>
    keys(member(member(member(tables, table), id), list));
  return {
    ...space("call", "every agent type at the root calling every tool, in every role and lane, approved", {
      role: roles,
      lane: lanes,
      tool: tools,
      agent: types,
    }),
    scopeOf: (lane, tool) => {
      const all = [...needed("lanes", lane, "requires"), ...needed("tools", tool, "scope_keys")];
      return Object.fromEntries(all.map((key) => [key, "x-1"]));
    },
  };
}

/** How many questions some spaces have together. */
export function questionCount(spaces: readonly Space[]): number {
  return spaces.reduce((sum, space) => sum + space.size, 0);
}

/** The questions of a space in order, the last axis the fastest. */
export function* questions(space: Pick<IdSpace<string>, "ids" | "size">): Generator<readonly string[]> {
  if (space.size === 0) return;
  const at = space.ids.map(() => 0);
  for (;;) {
    yield at.map((i, axis) => (space.ids[axis] as readonly string[])[i] as string);
    let axis = at.length - 1;
    while (axis >= 0 && ++(at[axis] as number) === (space.ids[axis] as readonly string[]).length) at[axis--] = 0;
    if (axis < 0) return;
  }
}

/** Gates of the tool decision by whose denial there is no grant, whatever else a request says. */
export const DECIDED_BY_DATA: ReadonlySet<string> = new Set(
  GATES.tool.filter(({ depends }) => depends === "data").map(({ gate }) => gate),
);

/** The entrypoints that an `Asker` asks. */
export const ASKED = ["lane", "tool", "subagent", "lineage", "call"].map((kind) => `portcullis/${kind}/decision`);

/** Asks a policy. A fault is a denial, as everywhere. */
export class Asker {
  private readonly policy: Policy;
  private persona: string | undefined;
  private turn: { readonly answer: Answer; readonly delegated: ReadonlySet<string> } | undefined;

  constructor(policy: Policy) {
    this.policy = policy;
  }

  ask({ name, scopeOf, requestsOf }: Pick<Space, "name" | "scopeOf" | "requestsOf">, ids: readonly string[]): Answer {
    const [first = "", second = "", third = "", fourth = ""] = ids;
    switch (name) {
      case "lane":
        return answerOf(this.policy.lane({ role: first, lane: second }));
      case "tool":
        return answerOf(this.policy.tool({ role: first, lane: second, tool: third }));
      case "subagent":
        return this.delegation(first, second);
      case "spawn":
        return this.start(first, second);
      case "call": {
        const lineage = [{ agent_type: fourth, spawn_depth: 0 }];
        const scope = scopeOf?.(second, third) ?? {};
        const approval = { ref: "AP-1", by: "a person" };
        return answerOf(this.policy.call({ role: first, lane: second, tool: third, scope, lineage, approval }));
      }
      case "limit":
      case "approval": {
        // What the data alone decides is denied with any approval.
        const tool = answerOf(this.policy.tool({ role: first, lane: second, tool: third }));
        return DECIDED_BY_DATA.has(tool.gate) ? tool : this.anyOf(requestsOf?.(ids) ?? []);
      }
    }
  }

  /** The first allow; or else the denial of the last gate that any request came to. */
  private anyOf(requests: readonly JsonObject[]): Answer {
    let denial: Answer | undefined;
    for (const request of requests) {
      const answer = answerOf(this.policy.evaluate("portcullis/call/decision", request));
      if (answer.allowed) return answer;
      if (denial === undefined || isLater(answer, denial)) denial = answer;
    }
    return denial ?? answerOf(undefined);
  }

  /** After the policy's data was changed. */
  forget(): void {
    this.persona = undefined;
  }

  /** Where depths are what agents say (`lineage.depth: reported`), a child may say that it is at the root, too. */
  private start(parent: string, child: string): Answer {
    const positional = this.chain(parent, child, 1);
    if (positional.allowed) return positional;
    const reported = this.chain(parent, child, 0);
    return reported.allowed ? reported : positional;
  }

  private chain(parent: string, child: string, depth: number): Answer {
    const lineage = [
      { agent_type: parent, spawn_depth: 0 },
      { agent_type: child, spawn_depth: depth },
    ];
    return answerOf(this.policy.lineage({ lineage }));
  }

  /** The decision is for a turn, and is kept for the questions about its other subagents. */
  private delegation(persona: string, subagent: string): Answer {
    if (this.persona !== persona || this.turn === undefined) {
      const env = { CHIRALITY_ENABLE_SUBAGENTS: "true" };
      const governance = { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1" };
      const decision: unknown = this.policy.subagent({ persona, env, governance });
      const names = (decision as { delegatedSubagents?: unknown }).delegatedSubagents;
      const delegated = Array.isArray(names) ? names.filter((n) => typeof n === "string").map(agentKey) : [];
      this.persona = persona;
      this.turn = { answer: answerOf(decision), delegated: new Set(delegated) };
    }
    const { answer, delegated } = this.turn;
    if (!answer.allowed || delegated.has(agentKey(subagent))) return answer;
    return { allowed: false, gate: "DELEGATED", reason: "subagent_not_delegated" };
  }
}

/** Whether an answer to a decision comes of a later gate; those of an author's own are the last. */
export function isLater(a: Answer, b: Answer, kind: DecisionKind = "call"): boolean {
  const [first, second] = [a, b].map(({ gate }) => {
    const at = GATES[kind].findIndex((described) => described.gate === gate);
    return at < 0 ? GATES[kind].length : at;
  }) as [number, number];
  return first > second;
}

/** Anything that is not plainly an allow is a denial. */
export function answerOf(decision: unknown): Answer {
  const { allowed, gate, reason } = (decision ?? {}) as { allowed?: unknown; gate?: unknown; reason?: unknown };
  return { allowed: allowed === true, gate: String(gate), reason: String(reason) };
}

/**
 * Whether an answer allows: a boolean, or the one that stands under `allowed` or, in AuthZEN's answers, `decision`. No answer
 * is a denial. `undefined` for any other, which only its caller can read.
 */
export function verdictOf(answer: unknown): boolean | undefined {
  if (answer === undefined) return false;
  const { allowed, decision } = (answer ?? {}) as { allowed?: unknown; decision?: unknown };
  const said = [answer, allowed, decision].filter((value) => typeof value === "boolean");
  return said.length === 0 ? undefined : said.includes(true);
}
