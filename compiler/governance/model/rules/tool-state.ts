/**
 * Tools whose silence denies them: no `enabled`, no `implementation_status`; and a status that was to be `implemented`, or is an
 * unknown word (harness specification, TOOL_ENABLED, TOOL_IMPLEMENTED).
 */

import { type Diagnostic, didYouMean, meaning, slipOf } from "@portcullis/rego/diagnostics";
import { IMPLEMENTATION_STATUSES } from "../../sources/index.ts";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* toolState(model: Model): Iterable<Diagnostic> {
  for (const { id, enabled, implementationStatus: status, statusSpan = id.span } of model.tools.values()) {
    if (enabled === undefined) yield modelDiagnostic("model/tool-without-enabled", { tool: id.name }, id.span);
    if (status === undefined) yield modelDiagnostic("model/tool-without-status", { tool: id.name }, id.span);
    else if (slipOf(status, ["implemented"]) !== undefined)
      yield modelDiagnostic("model/misspelt-status", { tool: id.name, status }, statusSpan, meaning("implemented"));
    else if (!IMPLEMENTATION_STATUSES.some((known) => known === status)) {
      const known = IMPLEMENTATION_STATUSES.map((word) => `\`${word}\``).join(", ");
      const advice = { help: `write one of ${known}`, ...didYouMean(status, IMPLEMENTATION_STATUSES) };
      yield modelDiagnostic("model/unknown-status", { tool: id.name, status }, statusSpan, advice);
    }
  }
}
