/** Registered tools: does a lane list each, and do the lanes exist that they name? */

import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* toolLanes(model: Model): Iterable<Diagnostic> {
  if (!model.complete.has("lanes")) return;
  const listed = new Set<string>();
  for (const lane of model.lanes.values()) for (const tool of lane.tools) listed.add(tool.name);
  for (const { id, lanes } of model.tools.values()) {
    if (!listed.has(id.name)) yield modelDiagnostic("model/tool-without-lane", { tool: id.name }, id.span);
    for (const lane of lanes ?? []) {
      if (model.lanes.has(lane.name)) continue;
      const params = { tool: id.name, lane: lane.name };
      yield modelDiagnostic(
        "model/undefined-allowed-lane",
        params,
        lane.span,
        didYouMean(lane.name, model.lanes.keys()),
      );
    }
  }
}
