/** Arbitrary policies. */

import fc from "fast-check";
import type { PolicyData } from "../../statements/policy.ts";
import {
  type Arb,
  agentKeys,
  agentTexts,
  few,
  flagNames,
  laneIds,
  names,
  roleIds,
  scopeKeys,
  table,
  tables,
  toolIds,
  types,
  writeModes,
} from "./pools.ts";

const agentEntry = fc
  .record({
    type: fc.constantFrom(1, 1, 1, 0, 2, null),
    allowlist: fc.uniqueArray(fc.constantFrom(...agentTexts), { maxLength: 3 }),
    dropped: fc.nat(3),
  })
  .map(({ type, allowlist, dropped }) => ({ type, allowlist, delegated: allowlist.slice(dropped) }));

export const modes = ["dev", "init", "glass", "1", "constructor"];

const anyPolicies: Arb<PolicyData> = fc.record({
  settings: fc.record({
    lineage: fc.record({
      depth: fc.constantFrom("positional", "reported"),
      max_chain: fc.constantFrom(64, 64, 3, 0),
      require: fc.constantFrom(false, false, true),
    }),
    call: fc.record({
      lineage: fc.constantFrom("optional", "required"),
      unknown_agents: fc.constantFrom("deny", "allow"),
    }),
    subagents: fc.record({ approvers: fc.constantFrom("any", "human") }),
  }),
  roles: table(roleIds, fc.record({ class: fc.constantFrom("agent", "human") }, { requiredKeys: [] })),
  lanes: table(
    laneIds,
    fc.record({
      roles: names(roleIds),
      tools: names(toolIds),
      writes: table(tables, names(writeModes)),
      requires: few(scopeKeys),
      prohibits: few(flagNames),
    }),
  ),
  tools: table(
    toolIds,
    fc.record(
      {
        enabled: fc.constantFrom(true, true, false),
        implementation_status: fc.constantFrom("implemented", "implemented", "implemented", "planned", ""),
        lanes: names(laneIds),
        scope_keys: few(scopeKeys),
        prohibited_flags: few(flagNames),
        write_targets: names(tables),
        approval: fc.constantFrom("none" as const, "required" as const),
      },
      { requiredKeys: ["scope_keys", "prohibited_flags", "approval"] },
    ),
  ),
  agents: table(agentKeys, agentEntry),
  manifests: table(
    types,
    fc.record(
      {
        can_spawn: names(types),
        max_spawn_depth: fc.constantFrom(0, 1, 2, 3, 4294967295),
        tools: names(toolIds),
      },
      { requiredKeys: ["can_spawn", "max_spawn_depth"] },
    ),
  ),
  handoff: fc.record(
    {
      required_fields: fc.array(fc.constantFrom("task_id", "severity", "a/b~c"), { maxLength: 2 }),
      forbidden_mutations: names(["Budget", "/x.y", "gates"]),
      placeholders: names(["Soon", "todo", "x y"]),
      agents: table(["a", "b", "todo", "constructor"], fc.constantFrom("sub", "sub", "master")),
      forbidden_paths: names(["e/c", "E/a.md", "x", "e/..x"]),
    },
    { requiredKeys: ["required_fields", "forbidden_mutations", "placeholders", "forbidden_paths"] },
  ),
  exec: fc.record({
    modes: names(modes).map((some) => (Object.keys(some).length > 1 ? { dev: true as const, ...some } : some)),
    inline_modes: names(modes),
    staging_root: fc.constantFrom("/q", "/q", "/q/s", "/", "/q/", "q", "/q/..", "/q/./s", null),
    script_extensions: fc.subarray([".py", ".sh", ""]),
    hat_lifetime_seconds: fc.constantFrom(null, null, 0, 60),
  }),
});

/** What `called` needs to be allowed: half of all policies have it, as few random ones would let a call pass every gate. */
const core: Pick<PolicyData, "roles" | "lanes" | "tools" | "manifests"> = {
  roles: { R0: {} },
  lanes: {
    L0: {
      roles: { R0: true },
      tools: { "t.a": true, "t.b": true },
      writes: { log: { append: true }, book: { append: true } },
      requires: { k: true },
      prohibits: { loud: true },
    },
  },
  tools: {
    "t.a": {
      enabled: true,
      implementation_status: "implemented",
      lanes: { L0: true },
      scope_keys: { n: true },
      prohibited_flags: { bulk: true },
      write_targets: { log: true },
      approval: "required",
    },
  },
  manifests: {
    lead: { can_spawn: { work: true }, max_spawn_depth: 1, tools: { "t.a": true, "t.b": true } },
    work: { can_spawn: {}, max_spawn_depth: 1, tools: { "t.a": true } },
  },
};

export const policies: Arb<PolicyData> = fc.tuple(anyPolicies, fc.boolean()).map(([policy, hasCore]) =>
  hasCore
    ? {
        ...policy,
        roles: { ...policy.roles, ...core.roles },
        lanes: { ...policy.lanes, ...core.lanes },
        tools: { ...policy.tools, ...core.tools },
        manifests: { ...policy.manifests, ...core.manifests },
      }
    : policy,
);
