/** CASL: an ability for each role and for each lane. It answers true or false. */

import { createMongoAbility, type MongoAbility } from "@casl/ability";
import type { LaneRequest, ToolRequest } from "@portcullis/runtime";
import type { Decide, PeerMaker } from "./peer.ts";

export const casl: PeerMaker = async (bundle) => {
  const { lanes, tools } = bundle.data.portcullis.policy;
  const lanesOfRole = new Map<string, string[]>();
  for (const [lane, { roles }] of Object.entries(lanes)) {
    for (const role of Object.keys(roles)) lanesOfRole.set(role, [...(lanesOfRole.get(role) ?? []), lane]);
  }
  const byRole = new Map<string, MongoAbility>(
    [...lanesOfRole].map(([role, subject]) => [role, createMongoAbility([{ action: "enter", subject }])]),
  );
  const byLane = new Map<string, MongoAbility>(
    Object.entries(lanes).map(([lane, entry]) => {
      const subject = Object.keys(entry.tools).filter(
        (tool) => tools[tool]?.enabled === true && tools[tool]?.implementation_status === "implemented",
      );
      return [lane, createMongoAbility(subject.length === 0 ? [] : [{ action: "use", subject }])];
    }),
  );
  const enter = ({ role, lane }: LaneRequest): boolean => byRole.get(role)?.can("enter", lane) === true;
  return {
    name: "CASL",
    wholeDecisions: false,
    decides: (kind): Decide | { cannot: string } => {
      switch (kind) {
        case "lane":
          return enter;
        case "tool":
          return ({ role, lane, tool }: ToolRequest) =>
            enter({ role, lane }) && byLane.get(lane)?.can("use", tool) === true;
        case "subagent":
          return { cannot: "its answer is true or false; no lists" };
        default:
          return { cannot: "no iteration over structures" };
      }
    },
    allowed: (answer) => answer === true,
  };
};
