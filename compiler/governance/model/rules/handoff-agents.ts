/** Masters and subs of `handoff.yaml`: are they agents of this policy, and do the spawn manifests lead from one to the other? */

import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import { agentKey, type HandoffAgents, type Model, type Named } from "../model.ts";

export function* handoffAgents(model: Model): Iterable<Diagnostic> {
  const { agents } = model.handoff;
  if (agents === undefined) return;
  for (const role of ["master", "sub"] as const) {
    if (agents[role].length === 0) yield modelDiagnostic("model/handoff-role-without-agents", { role }, agents.span);
    for (const agent of agents[role]) yield* undefinedAgent(model, agent);
  }
  if (model.complete.has("manifest")) yield* againstManifests(model, agents);
}

function* undefinedAgent(model: Model, { name, span }: Named): Iterable<Diagnostic> {
  const parts = (["agent", "manifest"] as const).filter((part) => model.present.has(part));
  if (parts.length === 0 || parts.some((part) => !model.complete.has(part))) return;
  if (model.manifests.has(name) || model.agents.has(agentKey(name))) return;
  const known = [...model.manifests.keys(), ...[...model.agents.values()].map((agent) => agent.name.name)];
  yield modelDiagnostic("model/handoff-agent-undefined", { agent: name }, span, didYouMean(name, known));
}

/** Only of agents that have a manifest: instruction files have names of their own. */
function* againstManifests({ manifests }: Model, { master, sub }: HandoffAgents): Iterable<Diagnostic> {
  const masters = master.filter(({ name }) => manifests.has(name));
  const reached = new Set(masters.map(({ name }) => name));
  // A set can grow while it is walked.
  for (const type of reached) for (const { name } of manifests.get(type)?.canSpawn ?? []) reached.add(name);
  for (const { name, span } of sub) {
    const manifest = manifests.get(name);
    if (manifest === undefined) continue;
    if (masters.length > 0 && !reached.has(name))
      yield modelDiagnostic("model/handoff-agent-not-spawned", { agent: name }, span);
    for (const target of manifest.canSpawn) {
      if (!masters.some((m) => m.name === target.name)) continue;
      const related = [{ message: "its manifest", span: target.span }];
      yield modelDiagnostic("model/handoff-agent-spawns-master", { agent: name, master: target.name }, span, {
        related,
      });
    }
  }
}
