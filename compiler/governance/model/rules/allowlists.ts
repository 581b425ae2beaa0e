/** Allowlists that cannot have the effect that they seem to have. */

import { type Diagnostic, joinSpans } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import { resolveAllowlist, typeName } from "../delegates.ts";
import type { Model, Named } from "../model.ts";

export function* allowlists(model: Model): Iterable<Diagnostic> {
  for (const agent of model.agents.values()) {
    const first = agent.allowlist[0];
    if (first === undefined) continue;
    const location = joinSpans(first.span, (agent.allowlist.at(-1) as Named).span);
    if (agent.type !== 1) {
      yield modelDiagnostic(
        "model/allowlist-of-non-persona",
        { agent: agent.name.name, type: typeName(agent) },
        location,
      );
    }
    if (!resolveAllowlist(model, agent).some((c) => c.kind === "Delegate")) {
      yield modelDiagnostic("model/allowlist-resolves-to-nothing", { persona: agent.name.name }, location);
    }
  }
}
