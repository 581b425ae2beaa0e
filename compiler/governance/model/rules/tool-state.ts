/**
 * Tools whose silence denies them: no `enabled`, no `implementation_status`; and a status that was to be `implemented`
 * (harness specification, TOOL_ENABLED, TOOL_IMPLEMENTED).
 */

import { type Diagnostic, meaning, slipOf } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* toolState(model: Model): Iterable<Diagnostic> {
  for (const { id, enabled, implementationStatus } of model.tools.values()) {
    if (enabled === undefined) yield modelDiagnostic("model/tool-without-enabled", { tool: id.name }, id.span);
    if (implementationStatus === undefined)
      yield modelDiagnostic("model/tool-without-status", { tool: id.name }, id.span);
    else if (slipOf(implementationStatus, ["implemented"]) !== undefined) {
      const params = { tool: id.name, status: implementationStatus };
      yield modelDiagnostic("model/misspelt-status", params, id.span, meaning("implemented"));
    }
  }
}
