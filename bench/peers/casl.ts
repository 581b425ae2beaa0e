/** CASL: an ability for each role and for each lane. It answers true or false. */

import { createMongoAbility, type MongoAbility } from "@casl/ability";
import type { LaneRequest, ToolRequest } from "@portcullis/runtime";
import { lanesAndToolsAlone, type PeerMaker } from "./peer.ts";

export const CASL = "CASL";

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
  const use = ({ role, lane, tool }: ToolRequest): boolean =>
    enter({ role, lane }) && byLane.get(lane)?.can("use", tool) === true;
  return {
    name: CASL,
    wholeDecisions: false,
    decides: lanesAndToolsAlone(
      { lane: enter, tool: use },
      { subagent: "its answer is true or false; no lists", otherwise: "no iteration over structures" },
    ),
    allowed: (answer) => answer === true,
  };
};
