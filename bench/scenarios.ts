/**
 * What is asked: for each decision kind an allow and a late denial, 1,024 requests each, drawn from a policy's own tables
 * with a seed. Requests are kept as JSON text, so that every contender gets strings of its own.
 */

import type { DecisionKind } from "@portcullis/runtime";
import type { PolicyTables } from "./bundles.ts";
import { type Random, randomOf } from "./random.ts";

/** The kinds whose cost depends on the tables, which every size measures. */
export const TABLE_KINDS = ["lane", "tool", "subagent", "lineage"] as const;
export type TableKind = (typeof TABLE_KINDS)[number];

export interface Scenario {
  readonly kind: DecisionKind;
  readonly outcome: "allow" | "late denial";
  /** The gate that must answer, checked before anything is measured. */
  readonly gate: string;
  readonly texts: readonly string[];
}

export const REQUESTS = 1024;
const SEED = 41;

export function scenariosOf(policy: PolicyTables): Scenario[] {
  const draw = drawerOf(policy);
  return TABLE_KINDS.flatMap((kind) =>
    (["allow", "late denial"] as const).map((outcome): Scenario => {
      const random = randomOf(SEED);
      const { gate, make } = draw[kind][outcome];
      return { kind, outcome, gate, texts: Array.from({ length: REQUESTS }, () => JSON.stringify(make(random))) };
    }),
  );
}

interface Drawer {
  readonly gate: string;
  readonly make: (random: Random) => unknown;
}

function drawerOf(policy: PolicyTables): Record<TableKind, Record<Scenario["outcome"], Drawer>> {
  const roles = Object.keys(policy.roles);
  const lanes = Object.keys(policy.lanes);
  const chains = chainsOf(policy);
  const ready = (tool: string): boolean => {
    const entry = policy.tools[tool];
    return entry?.enabled === true && entry.implementation_status === "implemented";
  };
  const unbuilt = (tool: string): boolean => {
    const entry = policy.tools[tool];
    return entry?.enabled === true && entry.implementation_status !== "implemented";
  };
  const toolRequests = (wanted: (tool: string) => boolean): Drawer["make"] => {
    const pairs = lanes.flatMap((lane) =>
      Object.keys(tablesOf(policy.lanes, lane).tools)
        .filter(wanted)
        .map((tool) => ({ lane, tool })),
    );
    return (random) => {
      const { lane, tool } = random.pick(pairs);
      return { role: random.pick(Object.keys(tablesOf(policy.lanes, lane).roles)), lane, tool };
    };
  };
  const personas = Object.keys(policy.agents).filter((name) => {
    const agent = tablesOf(policy.agents, name);
    return agent.type === 1 && agent.allowlist.length > 0;
  });
  const delegation = (random: Random, approvalRef: string): unknown => ({
    persona: random.pick(personas),
    governance: {
      contextSealed: true,
      pipelineRunApproved: true,
      approvalRef,
      approvedBy: `editor-${random.below(50)}`,
    },
    env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
  });
  const chain = (random: Random, depths: readonly number[]): unknown => ({
    lineage: random
      .pick(chains)
      .map((agent_type, i) => ({ agent_type, spawn_depth: depths[i], agent_id: `run-${random.below(1e6)}-${i}` })),
  });
  return {
    lane: {
      allow: {
        gate: "ALLOW",
        make: (random) => {
          const lane = random.pick(lanes);
          return { role: random.pick(Object.keys(tablesOf(policy.lanes, lane).roles)), lane };
        },
      },
      "late denial": {
        gate: "LANE_ROLE",
        make: (random) => {
          const lane = random.pick(lanes);
          return { role: random.pick(roles.filter((role) => !(role in tablesOf(policy.lanes, lane).roles))), lane };
        },
      },
    },
    tool: {
      allow: { gate: "ALLOW", make: toolRequests(ready) },
      "late denial": { gate: "TOOL_IMPLEMENTED", make: toolRequests(unbuilt) },
    },
    subagent: {
      allow: { gate: "ALLOW", make: (random) => delegation(random, `APPROVAL-${random.below(1e6)}`) },
      "late denial": { gate: "APPROVAL_REF", make: (random) => delegation(random, "   ") },
    },
    lineage: {
      allow: { gate: "ALLOW", make: (random) => chain(random, [0, 1, 2]) },
      "late denial": { gate: "DEPTH_POSITION", make: (random) => chain(random, [0, 1, 1]) },
    },
  };
}

/** Chains of three agents that the manifests permit. */
function chainsOf(policy: PolicyTables): string[][] {
  const { manifests } = policy;
  return Object.entries(manifests).flatMap(([root, { can_spawn, max_spawn_depth }]) =>
    Object.keys(can_spawn).flatMap((child) => {
      const next = manifests[child];
      if (next === undefined || max_spawn_depth < 1 || next.max_spawn_depth < 2) return [];
      return Object.keys(next.can_spawn)
        .filter((leaf) => leaf in manifests)
        .map((leaf) => [root, child, leaf]);
    }),
  );
}

function tablesOf<T>(table: Readonly<Record<string, T>>, key: string): T {
  const found = table[key];
  if (found === undefined) throw new Error(`no ${key} in the policy`);
  return found;
}
