/** Runs every rule over a model. The order of this list does not matter: reports are sorted by location. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { Model } from "./model.ts";
import { absentParts } from "./rules/absent-parts.ts";
import { adapterMappings } from "./rules/adapter-mappings.ts";
import { agentTypes } from "./rules/agent-types.ts";
import { allowlists } from "./rules/allowlists.ts";
import { approvalPaths } from "./rules/approval-paths.ts";
import { approvers } from "./rules/approvers.ts";
import { callGates } from "./rules/call-gates.ts";
import { childPowers } from "./rules/child-powers.ts";
import { commonWords } from "./rules/common-words.ts";
import { delegableTools } from "./rules/delegable-tools.ts";
import { emptyParts } from "./rules/empty-parts.ts";
import { exceptOutside } from "./rules/except-outside.ts";
import { execModes } from "./rules/exec-modes.ts";
import { handoffAgents } from "./rules/handoff-agents.ts";
import { hostScope } from "./rules/host-scope.ts";
import { laneRoles } from "./rules/lane-roles.ts";
import { laneTools } from "./rules/lane-tools.ts";
import { laneWithoutActions } from "./rules/lane-without-actions.ts";
import { limitCalls } from "./rules/limit-calls.ts";
import { limitRoles } from "./rules/limit-roles.ts";
import { lineageRequired } from "./rules/lineage-required.ts";
import { offers } from "./rules/offers.ts";
import { roleClaims } from "./rules/role-claims.ts";
import { roleWithoutLane } from "./rules/role-without-lane.ts";
import { spawnCycles } from "./rules/spawn-cycles.ts";
import { spawnDepth } from "./rules/spawn-depth.ts";
import { spawnTargets } from "./rules/spawn-targets.ts";
import { subagents } from "./rules/subagents.ts";
import { toolLanes } from "./rules/tool-lanes.ts";
import { toolState } from "./rules/tool-state.ts";
import { unknownAgents } from "./rules/unknown-agents.ts";

/** A rule reads the whole model and yields its findings. */
type Rule = (model: Model) => Iterable<Diagnostic>;

const RULES: readonly Rule[] = [
  absentParts,
  emptyParts,
  laneRoles,
  roleClaims,
  roleWithoutLane,
  laneWithoutActions,
  laneTools,
  toolLanes,
  toolState,
  callGates,
  limitRoles,
  limitCalls,
  hostScope,
  approvers,
  approvalPaths,
  exceptOutside,
  subagents,
  allowlists,
  agentTypes,
  spawnTargets,
  spawnCycles,
  spawnDepth,
  childPowers,
  delegableTools,
  handoffAgents,
  lineageRequired,
  unknownAgents,
  commonWords,
  execModes,
  adapterMappings,
  offers,
];

/** Every cross-reference finding of the policy set. */
export function checkModel(model: Model): Diagnostic[] {
  return RULES.flatMap((rule) => [...rule(model)]);
}
