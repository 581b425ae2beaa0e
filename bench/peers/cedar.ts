/**
 * Cedar, with its policies preparsed. Tables are entities; each call hands over those that it concerns, as Cedar asks for.
 * Its answer is a verdict and ids of policies, no gate and no reason of ours.
 */

import cedar from "@cedar-policy/cedar-wasm/nodejs";
import type { LaneRequest, ToolRequest } from "@portcullis/runtime";
import { lanesAndToolsAlone, type PeerMaker } from "./peer.ts";

export const POLICIES = `
permit(principal, action == Action::"enter", resource) when { resource.roles.contains(principal) };
permit(principal, action == Action::"use", resource) when {
  context.lane.roles.contains(principal) && context.lane.tools.contains(resource) &&
  resource.enabled == true && resource.status == "implemented"
};`;

const uid = (type: string, id: string) => ({ type, id });
const reference = (type: string, id: string) => ({ __entity: uid(type, id) });

export const cedarWasm: PeerMaker = async (bundle) => {
  const { lanes, tools } = bundle.data.portcullis.policy;
  const set = `bench-${bundle.name}`;
  const parsed = cedar.preparsePolicySet(set, { staticPolicies: POLICIES });
  if (parsed.type !== "success") throw new Error(`Cedar refuses the policies: ${JSON.stringify(parsed.errors)}`);
  const laneEntities = new Map(
    Object.entries(lanes).map(([id, lane]) => [
      id,
      {
        uid: uid("Lane", id),
        attrs: {
          roles: Object.keys(lane.roles).map((role) => reference("Role", role)),
          tools: Object.keys(lane.tools).map((tool) => reference("Tool", tool)),
        },
        parents: [],
      },
    ]),
  );
  const toolEntities = new Map(
    Object.entries(tools).map(([id, tool]) => [
      id,
      {
        uid: uid("Tool", id),
        attrs: { enabled: tool.enabled ?? false, status: tool.implementation_status ?? "" },
        parents: [],
      },
    ]),
  );
  const enter = ({ role, lane }: LaneRequest): unknown => {
    const entity = laneEntities.get(lane);
    return cedar.statefulIsAuthorized({
      principal: uid("Role", role),
      action: uid("Action", "enter"),
      resource: uid("Lane", lane),
      context: {},
      preparsedPolicySetId: set,
      entities: entity === undefined ? [] : [entity],
    });
  };
  const use = ({ role, lane, tool }: ToolRequest): unknown => {
    const entities = [laneEntities.get(lane), toolEntities.get(tool)].filter((entity) => entity !== undefined);
    return cedar.statefulIsAuthorized({
      principal: uid("Role", role),
      action: uid("Action", "use"),
      resource: uid("Tool", tool),
      context: { lane: reference("Lane", lane) },
      preparsedPolicySetId: set,
      entities,
    });
  };
  return {
    name: "cedar-wasm, preparsed",
    wholeDecisions: false,
    decides: lanesAndToolsAlone(
      { lane: enter, tool: use },
      {
        subagent: "no trimming of strings, and its answer carries no lists",
        lineage: "no iteration over a chain of any length",
        otherwise: "no string operations for paths and records",
      },
    ),
    allowed: (answer) => {
      const given = answer as { type: string; response?: { decision: string } };
      return given.type === "success" && given.response?.decision === "allow";
    },
  };
};
