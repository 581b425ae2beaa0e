/** Taking a grant away never opens anything: what was denied stays denied, and no delegate appears. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWhole, SEED } from "../../campaign.ts";
import type { DecisionName } from "../../statements/index.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { field } from "../../statements/values.ts";
import { requestsTo } from "./arbitraries.ts";
import { policies } from "./arbitrary-policies.ts";
import type { Batch } from "./evaluator.ts";
import { evaluators } from "./evaluators.ts";
import { SCALE } from "./runs.ts";

type Removal = (policy: PolicyData) => PolicyData[];

function without<T extends object>(table: T, key: string): T {
  return Object.fromEntries(Object.entries(table).filter(([name]) => name !== key)) as T;
}

/** The table with one row as `change` makes it. */
function withRow<T>(table: { readonly [id: string]: T }, id: string, row: T): { readonly [id: string]: T } {
  return Object.fromEntries(Object.entries(table).map(([name, old]) => [name, name === id ? row : old]));
}

const removals: Readonly<Record<string, Removal>> = {
  "a role from a lane": (policy) =>
    Object.entries(policy.lanes).flatMap(([id, lane]) =>
      Object.keys(lane.roles).map((role) => ({
        ...policy,
        lanes: withRow(policy.lanes, id, { ...lane, roles: without(lane.roles, role) }),
      })),
    ),
  "a tool from a lane": (policy) =>
    Object.entries(policy.lanes).flatMap(([id, lane]) =>
      Object.keys(lane.tools).map((tool) => ({
        ...policy,
        lanes: withRow(policy.lanes, id, { ...lane, tools: without(lane.tools, tool) }),
      })),
    ),
  "a subagent from an allowlist": (policy) =>
    Object.entries(policy.agents).flatMap(([id, agent]) =>
      agent.allowlist.map((name) => {
        const rest = (list: readonly string[]): string[] => list.filter((one) => one !== name);
        const row = { ...agent, allowlist: rest(agent.allowlist), delegated: rest(agent.delegated) };
        return { ...policy, agents: withRow(policy.agents, id, row) };
      }),
    ),
  "a type from can_spawn": (policy) =>
    Object.entries(policy.manifests).flatMap(([id, manifest]) =>
      Object.keys(manifest.can_spawn).map((type) => ({
        ...policy,
        manifests: withRow(policy.manifests, id, { ...manifest, can_spawn: without(manifest.can_spawn, type) }),
      })),
    ),
  "a manifest": (policy) =>
    policy.settings.call.unknown_agents === "allow"
      ? []
      : Object.keys(policy.manifests).map((type) => ({ ...policy, manifests: without(policy.manifests, type) })),
  "a tool from a manifest": (policy) =>
    Object.entries(policy.manifests).flatMap(([id, manifest]) =>
      Object.keys(manifest.tools ?? {}).map((tool) => ({
        ...policy,
        manifests: withRow(policy.manifests, id, { ...manifest, tools: without(manifest.tools ?? {}, tool) }),
      })),
    ),
  "an agent from a handoff's roles": (policy) =>
    Object.keys(policy.handoff.agents ?? {}).map((name) => ({
      ...policy,
      handoff: { ...policy.handoff, agents: without(policy.handoff.agents ?? {}, name) },
    })),
};

const affected: readonly (readonly [keyof typeof removals, DecisionName])[] = [
  ["a role from a lane", "lane"],
  ["a role from a lane", "tool"],
  ["a tool from a lane", "tool"],
  ["a subagent from an allowlist", "subagent"],
  ["a type from can_spawn", "lineage"],
  ["an agent from a handoff's roles", "handoff"],
  ["a role from a lane", "call"],
  ["a tool from a lane", "call"],
  ["a type from can_spawn", "call"],
  ["a manifest", "lineage"],
  ["a manifest", "call"],
  ["a tool from a manifest", "call"],
];

/** The name of an agent that is gone is a person's: people are what the policy does not know. */
const isPersonNow = (grant: string, old: unknown): boolean =>
  grant === "a manifest" && field(old, "reason") === "approval_not_human";

const REMOVALS_A_POLICY = 5;

describe.each(evaluators)("by $name, removing", (evaluator) => {
  it.each(affected)("%s opens nothing for %s", async (grant, decision) => {
    const count = Math.ceil(evaluator.requests / 2);
    const size = { minLength: count, maxLength: count, size: "max" } as const;
    const some = fc.tuple(policies, fc.array(requestsTo(decision), size));
    const numRuns = Math.ceil((evaluator.policies / 2) * SCALE);
    const cases = fc.sample(some, { numRuns, seed: SEED }).flatMap(([policy, inputs]) => {
      const all = removals[grant]!(policy);
      // Grants that requests meet on purpose stand at either end.
      const picked = [...all.slice(0, 2), ...all.slice(2).slice(2 - REMOVALS_A_POLICY)];
      return picked.map((fewer) => ({ policy, inputs, fewer }));
    });
    const before: Batch[] = cases.map(({ policy, inputs }) => ({ policy, inputs }));
    const after: Batch[] = cases.map(({ fewer, inputs }) => ({ policy: fewer, inputs }));
    const [was, is] = [await evaluator.decide(decision, before), await evaluator.decide(decision, after)];
    let closed = 0;
    const opened = cases.flatMap(({ inputs, policy, fewer }, b) =>
      inputs.flatMap((input, i) => {
        const [old, now] = [was[b]?.[i], is[b]?.[i]];
        const delegates = (answer: unknown): unknown[] => (field(answer, "delegatedSubagents") ?? []) as unknown[];
        if (field(old, "allowed") === true && field(now, "allowed") !== true) closed += 1;
        const opens = field(now, "allowed") === true && field(old, "allowed") !== true && !isPersonNow(grant, old);
        const appears = delegates(now).some((name) => !delegates(old).includes(name));
        return opens || appears ? [{ input, old, now, policy, fewer }] : [];
      }),
    );
    expect(opened.slice(0, 2)).toEqual([]);
    // A tenth of the policies may hold no grant that somebody uses.
    if (isWhole && cases.length > 20) expect(closed).toBeGreaterThan(0);
  });
});
