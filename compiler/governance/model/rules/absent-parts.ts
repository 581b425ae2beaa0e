/** A part without any file: its decisions deny, which is safe and often a wrong folder. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model, Part } from "../model.ts";

const PARTS: { readonly [P in Exclude<Part, "approvers">]: readonly [file: string, consequence: string] } = {
  roles: ["roles.yaml", "every role is denied"],
  lanes: ["lanes.yaml", "every lane is denied"],
  tool_registry: ["tool_registry.yaml", "every tool is denied"],
  agent: ["AGENT_<NAME>.md", "every persona is denied"],
  manifest: ["spawn manifest", "every spawned agent is denied"],
  exec: ["exec.yaml", "every execution is denied"],
};

export function* absentParts(model: Model): Iterable<Diagnostic> {
  if (!model.governed) return;
  for (const part of Object.keys(PARTS) as (keyof typeof PARTS)[]) {
    const [file, consequence] = PARTS[part];
    if (!model.present.has(part)) yield modelDiagnostic("model/absent-part", { file, consequence }, undefined);
  }
}
