/**
 * The limit: what a careful person writes by hand for one policy, with Maps and Sets, no compiler and no audit. Denials and
 * allows without parts of the request are made once and frozen. Only a yardstick: nothing in the product decides this way.
 */

import type {
  Decision,
  LaneDecision,
  LaneRequest,
  LineageAgent,
  LineageDecision,
  LineageRequest,
  SubagentDecision,
  SubagentRequest,
  ToolDecision,
  ToolRequest,
} from "@portcullis/runtime";
import type { PolicyTables } from "../bundles.ts";
import { allowedOf, type Decide, type PeerMaker } from "./peer.ts";

const answer = (allowed: boolean, gate: string, reason: string): Decision => Object.freeze({ allowed, gate, reason });

const LANE_ALLOW = answer(true, "ALLOW", "lane_authorized");
const LANE_ROLE_UNKNOWN = answer(false, "ROLE", "role_not_defined");
const LANE_UNKNOWN = answer(false, "LANE", "lane_not_defined");
const LANE_REFUSED = answer(false, "LANE_ROLE", "role_not_allowed_for_lane");

const TOOL_ALLOW = answer(true, "ALLOW", "tool_allowed");
const TOOL_UNKNOWN = answer(false, "TOOL", "tool_not_registered");
const TOOL_NOT_IN_LANE = answer(false, "LANE_TOOL", "tool_not_allowed_in_lane");
const TOOL_DISABLED = answer(false, "TOOL_ENABLED", "tool_disabled");
const TOOL_UNBUILT = answer(false, "TOOL_IMPLEMENTED", "tool_not_implemented");
const TOOL_NOT_ENABLED = answer(false, "TOOL_ENABLED", "tool_not_enabled");

const NO_LINEAGE = answer(true, "ALLOW", "no_lineage");
const EMPTY_LINEAGE = answer(true, "ALLOW", "empty_lineage");
const SINGLE_AGENT = answer(true, "ALLOW", "single_agent");
const LINEAGE_OK = answer(true, "ALLOW", "lineage_ok");
const MALFORMED = answer(false, "MALFORMED_LINEAGE", "malformed_lineage");

const NOT_NAMED: SubagentDecision = Object.freeze({
  allowed: false,
  gate: "INTERNAL_ERROR",
  reason: "invalid input",
  allowlistedSubagents: [],
  delegatedSubagents: [],
});

export const handWritten: PeerMaker = async (bundle) => {
  const policy = bundle.data.portcullis.policy;
  const lane = laneOf(policy);
  const tool = toolOf(policy, lane);
  return {
    name: "hand-written",
    wholeDecisions: true,
    decides: (kind): Decide | { cannot: string } => {
      switch (kind) {
        case "lane":
          return lane;
        case "tool":
          return tool;
        case "subagent":
          return subagentOf(policy);
        case "lineage":
          return lineageOf(policy);
        default:
          return { cannot: "not written by hand" };
      }
    },
    allowed: allowedOf,
  };
};

function laneOf(policy: PolicyTables): (request: LaneRequest) => LaneDecision {
  const roles = new Set(Object.keys(policy.roles));
  const lanes = new Map(Object.entries(policy.lanes).map(([id, lane]) => [id, new Set(Object.keys(lane.roles))]));
  return ({ role, lane }) => {
    if (!roles.has(role)) return LANE_ROLE_UNKNOWN;
    const admitted = lanes.get(lane);
    if (admitted === undefined) return LANE_UNKNOWN;
    return admitted.has(role) ? LANE_ALLOW : LANE_REFUSED;
  };
}

function toolOf(
  policy: PolicyTables,
  decideLane: (request: LaneRequest) => LaneDecision,
): (request: ToolRequest) => ToolDecision {
  const tools = new Map(Object.entries(policy.tools));
  const lanes = new Map(Object.entries(policy.lanes).map(([id, lane]) => [id, new Set(Object.keys(lane.tools))]));
  return (request) => {
    const lane = decideLane(request);
    if (!lane.allowed)
      return { allowed: false, gate: "LANE_AUTHORIZATION", reason: "lane_not_authorized", lane_reason: lane.reason };
    const tool = tools.get(request.tool);
    if (tool === undefined) return TOOL_UNKNOWN;
    if (lanes.get(request.lane)?.has(request.tool) !== true) return TOOL_NOT_IN_LANE;
    if (tool.enabled === false) return TOOL_DISABLED;
    if (tool.implementation_status !== "implemented") return TOOL_UNBUILT;
    return tool.enabled === true ? TOOL_ALLOW : TOOL_NOT_ENABLED;
  };
}

function subagentOf(policy: PolicyTables): (request: SubagentRequest) => SubagentDecision {
  const agents = new Map(Object.entries(policy.agents));
  return ({ persona, governance, env }) => {
    if (typeof persona !== "string") return NOT_NAMED;
    const agent = agents.get(persona) ?? agents.get(persona.replaceAll("-", "_"));
    const denial = (gate: string, reason: string): SubagentDecision => ({
      allowed: false,
      gate,
      reason,
      allowlistedSubagents: agent?.allowlist ?? [],
      delegatedSubagents: [],
    });
    if (agent === undefined) return denial("INTERNAL_ERROR", `Persona '${persona}' was not found`);
    if (env.CHIRALITY_ENABLE_SUBAGENTS !== "true")
      return denial("ENVIRONMENT", 'CHIRALITY_ENABLE_SUBAGENTS is not set to "true".');
    if (agent.type !== 1 || agent.allowlist.length === 0)
      return denial("PERSONA_ALLOWLIST", "Active persona is not allowlisted for subagents.");
    if (typeof governance !== "object" || governance === null || Array.isArray(governance))
      return denial("METADATA_PRESENCE", "opts.subagentGovernance is missing or invalid.");
    const sent = governance as Record<string, unknown>;
    if (sent["contextSealed"] !== true) return denial("CONTEXT_SEALED", "contextSealed must be strictly true.");
    if (sent["pipelineRunApproved"] !== true)
      return denial("PIPELINE_RUN_APPROVED", "pipelineRunApproved must be strictly true.");
    const approvalRef = typeof sent["approvalRef"] === "string" ? sent["approvalRef"].trim() : "";
    if (approvalRef === "") return denial("APPROVAL_REF", "approvalRef must be a non-empty string.");
    const approvedBy = typeof sent["approvedBy"] === "string" ? sent["approvedBy"].trim() : "";
    return {
      allowed: true,
      gate: "ALLOW",
      reason: "All delegation governance gates passed.",
      allowlistedSubagents: agent.allowlist,
      delegatedSubagents: agent.delegated,
      approvalRef,
      ...(approvedBy === "" ? {} : { approvedBy }),
    };
  };
}

function lineageOf(policy: PolicyTables): (request: LineageRequest) => LineageDecision {
  const maxChain = policy.settings.lineage?.max_chain ?? 64;
  const positional = policy.settings.lineage?.depth !== "reported";
  const manifests = new Map(
    Object.entries(policy.manifests).map(([type, m]) => [
      type,
      { spawns: new Set(Object.keys(m.can_spawn)), depth: m.max_spawn_depth },
    ]),
  );
  const wellFormed = (agent: LineageAgent): boolean =>
    typeof agent.agent_type === "string" &&
    agent.agent_type !== "" &&
    Number.isInteger(agent.spawn_depth) &&
    agent.spawn_depth >= 0 &&
    agent.spawn_depth <= 0xffffffff &&
    (agent.agent_id === undefined || typeof agent.agent_id === "string");
  const denyPair = (gate: string, reason: string, chain: readonly LineageAgent[], i: number): LineageDecision => ({
    allowed: false,
    gate,
    reason,
    pair: [i, i + 1],
    parent: (chain[i] as LineageAgent).agent_type,
    child: (chain[i + 1] as LineageAgent).agent_type,
  });
  return ({ lineage }) => {
    if (lineage === undefined || lineage === null) return NO_LINEAGE;
    if (!Array.isArray(lineage) || lineage.length > maxChain) return MALFORMED;
    for (const agent of lineage) if (!wellFormed(agent)) return MALFORMED;
    if (lineage.length === 0) return EMPTY_LINEAGE;
    for (let i = 0; i + 1 < lineage.length; i++) {
      const parent = manifests.get(lineage[i].agent_type);
      const child = lineage[i + 1];
      if (parent === undefined) return denyPair("PARENT_MANIFEST", "parent_manifest_missing", lineage, i);
      if (child.spawn_depth > parent.depth)
        return {
          ...denyPair("SPAWN_DEPTH", "spawn_depth_exceeded", lineage, i),
          depth: child.spawn_depth,
          max: parent.depth,
        };
      if (!parent.spawns.has(child.agent_type)) return denyPair("SPAWN_PERMISSION", "spawn_not_permitted", lineage, i);
    }
    const seen = new Set<string>();
    for (let i = 0; i < lineage.length; i++) {
      const id: string | undefined = lineage[i].agent_id;
      if (id === undefined) continue;
      if (seen.has(id)) return { allowed: false, gate: "AGENT_ID", reason: "duplicate_agent_id", index: i };
      seen.add(id);
    }
    for (let i = 0; positional && i < lineage.length; i++)
      if (lineage[i].spawn_depth !== i)
        return { allowed: false, gate: "DEPTH_POSITION", reason: "spawn_depth_not_positional", index: i };
    if (lineage.length === 1) return SINGLE_AGENT;
    const last = lineage.length - 1;
    return manifests.has(lineage[last].agent_type)
      ? LINEAGE_OK
      : { allowed: false, gate: "AGENT_MANIFEST", reason: "manifest_missing", index: last };
  };
}
