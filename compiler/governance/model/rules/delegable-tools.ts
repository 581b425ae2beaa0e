/** Tools of spawn manifests that the registry does not define. */

import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* delegableTools(model: Model): Iterable<Diagnostic> {
  if (!model.complete.has("tool_registry")) return;
  for (const { type, tools } of model.manifests.values()) {
    for (const tool of tools ?? []) {
      if (model.tools.has(tool.name)) continue;
      const params = { type: type.name, tool: tool.name };
      yield modelDiagnostic(
        "model/undefined-delegable-tool",
        params,
        tool.span,
        didYouMean(tool.name, model.tools.keys()),
      );
    }
  }
}
