/** Files without an entry: their decisions deny, as without the file. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* emptyParts(model: Model): Iterable<Diagnostic> {
  const parts = [
    ["roles", model.roles, "role", "roles.yaml"],
    ["lanes", model.lanes, "lane", "lanes.yaml"],
    ["tool_registry", model.tools, "tool", "tool_registry.yaml"],
  ] as const;
  for (const [part, entries, entry, file] of parts) {
    if (model.complete.has(part) && entries.size === 0)
      yield modelDiagnostic("model/empty-part", { entry, file, consequence: `every ${entry} is denied` }, undefined);
  }
}
