/** A role that no lane admits can do nothing. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* roleWithoutLane(model: Model): Iterable<Diagnostic> {
  if (!model.complete.has("lanes")) return;
  const admitted = new Set([...model.lanes.values()].flatMap((lane) => lane.roles.map((r) => r.name)));
  for (const { id } of model.roles.values()) {
    if (!admitted.has(id.name)) yield modelDiagnostic("model/role-without-lane", { role: id.name }, id.span);
  }
}
