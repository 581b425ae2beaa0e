/** Allowlisted subagents: each needs an instruction file that declares TYPE 2 (subagent specification, "What is compiled"). */

import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import { resolveAllowlist, typeName } from "../delegates.ts";
import type { Model } from "../model.ts";

export function* subagents(model: Model): Iterable<Diagnostic> {
  const drop = model.settings.subagents.unresolved === "drop";
  for (const persona of model.agents.values()) {
    for (const candidate of resolveAllowlist(model, persona)) {
      const names = { persona: persona.name.name, subagent: candidate.name.name };
      if (candidate.kind === "Undefined") {
        const known = [...model.agents.values()].map((a) => a.name.name);
        const near = didYouMean(candidate.name.name, known);
        const extra =
          near.meant === undefined ? { help: `its file would be \`AGENT_${candidate.name.name}.md\`` } : near;
        if (drop) yield modelDiagnostic("model/subagent-undefined-dropped", names, candidate.name.span, extra);
        else yield modelDiagnostic("model/subagent-undefined", names, candidate.name.span, extra);
      } else if (candidate.kind === "NotType2") {
        const params = { ...names, type: typeName(candidate.agent) };
        const extra = { related: [{ message: "its instruction file", span: candidate.agent.name.span }] };
        if (drop) yield modelDiagnostic("model/subagent-not-type-2-dropped", params, candidate.name.span, extra);
        else yield modelDiagnostic("model/subagent-not-type-2", params, candidate.name.span, extra);
      }
    }
  }
}
