/** A lane with neither tools nor writes authorizes nothing. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* laneWithoutActions(model: Model): Iterable<Diagnostic> {
  for (const { id, tools, writes } of model.lanes.values()) {
    if (tools.length === 0 && writes.length === 0)
      yield modelDiagnostic("model/lane-without-actions", { lane: id.name }, id.span);
  }
}
