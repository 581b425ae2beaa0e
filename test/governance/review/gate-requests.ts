/** What the example does not show: a set of its own whose gaps reach the gates that a careful one does not. */

import type { Files } from "../sources/virtual-host.ts";

/** A tool whose lane does not list it, one that never says whether it is enabled, and calls that need a chain. */
export const GAPS: Files = {
  "portcullis.yaml": "lineage: { roots: [desk], require: true }\n",
  "roles.yaml": "roles: [{ role_id: R, privileges: { lanes: [L] } }]\n",
  "lanes.yaml": `lanes:
  - { lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [t, u] } }
  - { lane_id: M, allowed_callers: { roles: [R] }, allowed_actions: { tools: [t] } }
`,
  "tool_registry.yaml": `tools:
  - { tool_name: t, enabled: true, implementation_status: implemented, allowed_lanes: [M] }
  - { tool_name: u, implementation_status: implemented }
`,
  "manifests/desk.yaml": "agent_type: desk\ncan_spawn: [clerk]\nmax_spawn_depth: 1\nallowed_tools: [t, u]\n",
  "manifests/clerk.yaml": "agent_type: clerk\ncan_spawn: []\nmax_spawn_depth: 1\nallowed_tools: [t, u]\n",
};

/** Requests to that set, by decision, gate and reason. */
export const GAP_REQUESTS: { readonly [gate: string]: unknown } = {
  "tool TOOL_ENABLED tool_not_enabled": { role: "R", lane: "L", tool: "u" },
  "call TOOL_LANE lane_not_allowed_for_tool": {
    role: "R",
    lane: "L",
    tool: "t",
    lineage: [{ agent_type: "desk", spawn_depth: 0 }],
  },
  "lineage LINEAGE lineage_missing": { lineage: null },
};

/**
 * The gate that no request to any set reaches, so that there is nothing to turn. An agent that was spawned is one that its
 * parent may spawn, and a set in which a manifest names a type without a manifest does not compile. The gate stays for data
 * that was not compiled.
 */
export const UNREACHABLE = "lineage AGENT_MANIFEST manifest_missing";

/**
 * Denials of bound approvals: which call and which policy a signature is for, no request says for another one, so that none of these
 * can be turned by a change of the request. `test/enforcement/bound-approvals.test.ts` and
 * `test/enforcement/changed-approvals.test.ts` ask each of them.
 */
export const SIGNED = /^call APPROVAL (?:approver_|approval_(?:signature|not_for|for_other|expired|refused|used))/;

/** The words that authors write for what gates read, by table and field. */
export const AUTHORS_WORDS: { readonly [field: string]: string } = {
  "lanes.roles": "roles",
  "lanes.tools": "tools",
  "lanes.writes": "writes",
  "lanes.requires": "requires",
  "lanes.prohibits": "prohibits",
  "tools.implementation_status": "implementation_status",
  "tools.lanes": "allowed_lanes",
  "tools.scope_keys": "required_scope_keys",
  "tools.prohibited_flags": "prohibited_flags",
  "tools.write_targets": "write_targets",
  "tools.approval": "approval",
  "manifests.can_spawn": "can_spawn",
  "manifests.max_spawn_depth": "max_spawn_depth",
  "manifests.tools": "allowed_tools",
  "handoff.required_fields": "required_fields",
  "handoff.forbidden_mutations": "forbidden_mutations",
  "handoff.placeholders": "placeholders",
  "handoff.agents": "agents",
  "handoff.forbidden_paths": "forbidden_paths",
  "exec.modes": "modes",
  "exec.inline_modes": "inline_modes",
  "exec.staging_root": "staging_root",
  "exec.script_extensions": "script_extensions",
  "exec.hat_lifetime_seconds": "hat_lifetime_seconds",
  "settings.lineage.depth": "depth",
  "settings.lineage.max_chain": "max_chain",
  "settings.lineage.require": "require",
  "settings.subagents.approvers": "approvers",
};
