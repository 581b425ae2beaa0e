/** The tool decision, stated from `harness.md`. */
import { lane } from "./lane.ts";
import type { PolicyData } from "./policy.ts";
import { type Decision, entry, field } from "./values.ts";

export function tool(policy: PolicyData, input: unknown): Decision {
  const deny = (gate: string, reason: string): Decision => ({ allowed: false, gate, reason });
  const first = lane(policy, input);
  if (first["allowed"] !== true) {
    return { ...deny("LANE_AUTHORIZATION", "lane_not_authorized"), lane_reason: first["reason"] ?? null };
  }
  const name = field(input, "tool");
  const registered = entry(policy.tools, name);
  if (registered === undefined) return deny("TOOL", "tool_not_registered");
  const ofLane = entry(policy.lanes, field(input, "lane"))?.tools;
  if (entry(ofLane, name) === undefined) return deny("LANE_TOOL", "tool_not_allowed_in_lane");
  if (registered.enabled === false) return deny("TOOL_ENABLED", "tool_disabled");
  if (registered.implementation_status !== "implemented") return deny("TOOL_IMPLEMENTED", "tool_not_implemented");
  if (registered.enabled === undefined) return deny("TOOL_ENABLED", "tool_not_enabled");
  return { allowed: true, gate: "ALLOW", reason: "tool_allowed" };
}
