/** The lane decision, stated from `harness.md`. */
import type { PolicyData } from "./policy.ts";
import { type Decision, entry, field } from "./values.ts";

export function lane(policy: PolicyData, input: unknown): Decision {
  const role = field(input, "role");
  if (entry(policy.roles, role) === undefined) return { allowed: false, gate: "ROLE", reason: "role_not_defined" };
  const admitted = entry(policy.lanes, field(input, "lane"));
  if (admitted === undefined) return { allowed: false, gate: "LANE", reason: "lane_not_defined" };
  if (entry(admitted.roles, role) === undefined) {
    return { allowed: false, gate: "LANE_ROLE", reason: "role_not_allowed_for_lane" };
  }
  return { allowed: true, gate: "ALLOW", reason: "lane_authorized" };
}
