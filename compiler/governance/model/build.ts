/** Source set → model. Reports sources that cannot become a model: ids defined twice, malformed names, contradictions. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { SourceNode, SourceSet } from "../sources/index.ts";
import { buildAgents } from "./build-agents.ts";
import { buildApprovers } from "./build-approvers.ts";
import { buildExec } from "./build-exec.ts";
import { buildHandoff } from "./build-handoff.ts";
import { buildLanes, buildRoles, buildTools, buildVersion } from "./build-harness.ts";
import { buildLimits } from "./build-limits.ts";
import { buildManifests } from "./build-manifests.ts";
import { buildSettings } from "./build-settings.ts";
import { GOVERNANCE_KINDS, type Model, type Part } from "./model.ts";
import { TreeReader } from "./read.ts";
import { requiredGates } from "./required-gates.ts";

export interface BuildResult {
  readonly model: Model;
  readonly diagnostics: readonly Diagnostic[];
}

/** Always gives a model, whatever was wrong, so that the rules can run and all findings appear at once. */
export function buildModel(set: SourceSet): BuildResult {
  const reader = new TreeReader();
  const found: { readonly [P in Part]: number } = {
    roles: set.roles.length,
    lanes: set.lanes.length,
    tool_registry: set.tools.length,
    approvers: set.approvers.length,
    agent: set.agents.length,
    manifest: set.manifests.length,
    exec: set.exec.length,
  };
  const parts = Object.keys(found) as Part[];
  const present = new Set(parts.filter((p) => found[p] > 0 || set.broken.has(p)));
  const model: Model = {
    settings: buildSettings(set.settings, reader, set.broken.has("settings")),
    roles: buildRoles(set.roles, reader),
    lanes: buildLanes(set.lanes, reader),
    tools: buildTools(set.tools, reader),
    approvers: buildApprovers(set.approvers, reader),
    agents: buildAgents(set.agents, reader),
    manifests: buildManifests(set.manifests, reader),
    handoff: buildHandoff(set.handoff, reader),
    exec: buildExec(set.exec, reader),
    limits: buildLimits(set.limits, reader),
    requiredGates: requiredGates(set.rego.flatMap(({ test, file }) => (test ? [] : file))),
    versions: {
      lanes: buildVersion(set.lanes, "lanes.yaml", reader),
      roles: buildVersion(set.roles, "roles.yaml", reader),
    },
    complete: new Set([...present].filter((p) => !set.broken.has(p))),
    present,
    governed:
      present.size > 0 ||
      set.settings.some(({ root }) => governs(root)) ||
      set.handoff.length > 0 ||
      set.limits.length > 0 ||
      GOVERNANCE_KINDS.some((k) => set.broken.has(k)),
  };
  return { model, diagnostics: reader.diagnostics };
}

/** Settings of Rego and of the bundle alone do not make a policy set one of agents. */
function governs(settings: SourceNode): boolean {
  return settings.kind !== "Mapping" || settings.entries.some(({ key }) => !["rego", "bundle"].includes(key));
}
