import type { LaneRequest } from "@portcullis/runtime";
import type { PolicyTables } from "../../bundles.ts";
import { type Answer, constant } from "./constant.ts";

const ALLOW: Answer = constant({ allowed: true, gate: "ALLOW", reason: "lane_authorized" });
const ROLE_UNKNOWN: Answer = constant({ allowed: false, gate: "ROLE", reason: "role_not_defined" });
const LANE_UNKNOWN: Answer = constant({ allowed: false, gate: "LANE", reason: "lane_not_defined" });
const REFUSED: Answer = constant({ allowed: false, gate: "LANE_ROLE", reason: "role_not_allowed_for_lane" });

export function laneOf(policy: PolicyTables): (request: LaneRequest) => Answer {
  const roles = new Set(Object.keys(policy.roles));
  const lanes = new Map(Object.entries(policy.lanes).map(([id, lane]) => [id, new Set(Object.keys(lane.roles))]));
  return ({ role, lane }) => {
    if (!roles.has(role)) return ROLE_UNKNOWN;
    const admitted = lanes.get(lane);
    if (admitted === undefined) return LANE_UNKNOWN;
    return admitted.has(role) ? ALLOW : REFUSED;
  };
}
