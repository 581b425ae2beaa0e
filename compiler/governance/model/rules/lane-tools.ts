/** Tools that lanes list: are they registered, do they allow the lane (gates LANE_TOOL and TOOL_LANE). */

import { type Diagnostic, didYouMeanOf } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* laneTools(model: Model): Iterable<Diagnostic> {
  if (!model.complete.has("tool_registry")) return;
  for (const lane of model.lanes.values()) {
    for (const listed of lane.tools) {
      const tool = model.tools.get(listed.name);
      if (tool === undefined) {
        const params = { lane: lane.id.name, tool: listed.name };
        yield modelDiagnostic("model/undefined-tool", params, listed.span, didYouMeanOf(listed.name, model.tools));
        continue;
      }
      if (tool.lanes !== undefined && !tool.lanes.some((l) => l.name === lane.id.name)) {
        const params = { lane: lane.id.name, tool: listed.name };
        const related = [{ message: "the tool", span: tool.id.span }];
        yield modelDiagnostic("model/lane-excluded-by-tool", params, listed.span, { related });
      }
    }
  }
}
