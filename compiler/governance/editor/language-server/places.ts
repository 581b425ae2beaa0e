/** Where the files of a policy set define and name ids: by format and path, `*` for an element of a list. */

import type { FormatName } from "../schemas.ts";
import type { IdKind } from "./ids.ts";

export interface Place {
  readonly kind: IdKind;
  readonly defines?: true;
}

const PLACES: { readonly [N in FormatName]?: { readonly [path: string]: Place } } = {
  settings: { "lineage.roots.*": { kind: "agent type" }, "call.host_scope.*": { kind: "scope key" } },
  roles: {
    "roles.*.role_id": { kind: "role", defines: true },
    "roles.*.privileges.lanes.*": { kind: "lane" },
  },
  lanes: {
    "lanes.*.lane_id": { kind: "lane", defines: true },
    "lanes.*.allowed_callers.roles.*": { kind: "role" },
    "lanes.*.allowed_actions.tools.*": { kind: "tool" },
    "lanes.*.allowed_actions.writes.*.table": { kind: "table" },
    "lanes.*.allowed_actions.writes.*.mode": { kind: "write mode" },
    "lanes.*.scope.requires.*": { kind: "scope key" },
    "lanes.*.scope.prohibits.*": { kind: "flag" },
  },
  tool_registry: {
    "tools.*.tool_name": { kind: "tool", defines: true },
    "tools.*.allowed_lanes.*": { kind: "lane" },
    "tools.*.required_scope_keys.*": { kind: "scope key" },
    "tools.*.prohibited_flags.*": { kind: "flag" },
    "tools.*.write_targets.*": { kind: "table" },
  },
  agent: { "subagents.*": { kind: "agent" }, subagents: { kind: "agent" } },
  manifest: {
    agent_type: { kind: "agent type", defines: true },
    "can_spawn.*": { kind: "agent type" },
    "allowed_tools.*": { kind: "tool" },
  },
  limits: {
    "limits.*.calls.tools.*": { kind: "tool" },
    "limits.*.calls.roles.*": { kind: "role" },
    "limits.*.calls.lanes.*": { kind: "lane" },
    "limits.*.only_after.tools.*": { kind: "tool" },
    "limits.*.never_after.tools.*": { kind: "tool" },
  },
  exec: {
    "modes.*": { kind: "mode", defines: true },
    "inline_modes.*": { kind: "mode" },
  },
};

/** What stands at a path of a format, if it is an id. */
export function placeOf(format: FormatName, path: readonly string[]): Place | undefined {
  return PLACES[format]?.[path.join(".")];
}
