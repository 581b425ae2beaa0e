import type { LaneRequest, ToolRequest } from "@portcullis/runtime";
import type { PolicyTables } from "../../bundles.ts";
import { type Answer, constant } from "./constant.ts";

const ALLOW: Answer = constant({ allowed: true, gate: "ALLOW", reason: "tool_allowed" });
const UNKNOWN: Answer = constant({ allowed: false, gate: "TOOL", reason: "tool_not_registered" });
const NOT_IN_LANE: Answer = constant({ allowed: false, gate: "LANE_TOOL", reason: "tool_not_allowed_in_lane" });
const DISABLED: Answer = constant({ allowed: false, gate: "TOOL_ENABLED", reason: "tool_disabled" });
const UNBUILT: Answer = constant({ allowed: false, gate: "TOOL_IMPLEMENTED", reason: "tool_not_implemented" });
const NOT_ENABLED: Answer = constant({ allowed: false, gate: "TOOL_ENABLED", reason: "tool_not_enabled" });

export function toolOf(
  policy: PolicyTables,
  decideLane: (request: LaneRequest) => Answer,
): (request: ToolRequest) => Answer {
  const tools = new Map(Object.entries(policy.tools));
  const lanes = new Map(Object.entries(policy.lanes).map(([id, lane]) => [id, new Set(Object.keys(lane.tools))]));
  return (request) => {
    const lane = decideLane(request);
    if (!lane.allowed)
      return { allowed: false, gate: "LANE_AUTHORIZATION", reason: "lane_not_authorized", lane_reason: lane.reason };
    const tool = tools.get(request.tool);
    if (tool === undefined) return UNKNOWN;
    if (lanes.get(request.lane)?.has(request.tool) !== true) return NOT_IN_LANE;
    if (tool.enabled === false) return DISABLED;
    if (tool.implementation_status !== "implemented") return UNBUILT;
    return tool.enabled === true ? ALLOW : NOT_ENABLED;
  };
}
