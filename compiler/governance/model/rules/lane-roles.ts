/** Roles that lanes admit: each must be defined (harness specification, LANE_ROLE). */

import { type Diagnostic, didYouMeanOf } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* laneRoles(model: Model): Iterable<Diagnostic> {
  for (const lane of model.lanes.values()) {
    if (lane.roles.length === 0)
      yield modelDiagnostic("model/lane-without-roles", { lane: lane.id.name }, lane.id.span);
    // Without any roles file every role is denied anyway, and the absence itself is reported.
    if (!model.complete.has("roles")) continue;
    for (const role of lane.roles) {
      if (model.roles.has(role.name)) continue;
      const params = { lane: lane.id.name, role: role.name };
      yield modelDiagnostic("model/undefined-role", params, role.span, didYouMeanOf(role.name, model.roles));
    }
  }
}
