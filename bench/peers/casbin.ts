/** casbin: one rule a grant. Its matcher walks all rules, so a large policy costs in proportion. It answers true or false. */

import type { LaneRequest, ToolRequest } from "@portcullis/runtime";
import { newEnforcer, newModelFromString, StringAdapter } from "casbin";
import { lanesAndToolsAlone, type PeerMaker } from "./peer.ts";

const model = (columns: string): string => `
[request_definition]
r = ${columns}
[policy_definition]
p = ${columns}
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = ${columns
  .split(", ")
  .map((c) => `r.${c} == p.${c}`)
  .join(" && ")}
`;

/** With more rules than this one decision takes milliseconds: there is nothing left to compare. */
const MOST_RULES = 20_000;

export const casbin: PeerMaker = async (bundle) => {
  const { lanes, tools } = bundle.data.portcullis.policy;
  const laneRules = Object.entries(lanes).flatMap(([lane, { roles }]) =>
    Object.keys(roles).map((r) => `p, ${r}, ${lane}`),
  );
  const toolRules = Object.entries(lanes).flatMap(([lane, entry]) =>
    Object.keys(entry.tools)
      .filter((tool) => tools[tool]?.enabled === true && tools[tool]?.implementation_status === "implemented")
      .map((tool) => `p, ${lane}, ${tool}`),
  );
  if (toolRules.length > MOST_RULES)
    return { name: "casbin", absent: `${toolRules.length} rules, all walked for each decision` };
  const enterers = await newEnforcer(newModelFromString(model("role, lane")), new StringAdapter(laneRules.join("\n")));
  const users = await newEnforcer(newModelFromString(model("lane, tool")), new StringAdapter(toolRules.join("\n")));
  const enter = ({ role, lane }: LaneRequest): boolean => enterers.enforceSync(role, lane);
  const use = ({ role, lane, tool }: ToolRequest): boolean => enter({ role, lane }) && users.enforceSync(lane, tool);
  return {
    name: "casbin",
    wholeDecisions: false,
    decides: lanesAndToolsAlone(
      { lane: enter, tool: use },
      { subagent: "its answer is true or false; no lists", otherwise: "no iteration over structures" },
    ),
    allowed: (answer) => answer === true,
  };
};
