/** Manifests bound what agents may call; a setting lets agents call that have none. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* unknownAgents({ manifests, settings }: Model): Iterable<Diagnostic> {
  const said = settings.call.unknownAgents;
  if (manifests.size > 0 && said?.name === "allow")
    yield modelDiagnostic("model/unknown-agents-allowed", {}, said.span);
}
