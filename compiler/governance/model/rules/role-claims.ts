/** `privileges.lanes` of roles against `allowed_callers.roles` of lanes, both ways. The lane decides; a difference misleads readers. */

import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* roleClaims(model: Model): Iterable<Diagnostic> {
  if (!model.complete.has("lanes") || !model.complete.has("roles")) return;
  for (const role of model.roles.values()) {
    for (const claim of role.claims ?? []) {
      const params = { role: role.id.name, lane: claim.name };
      const lane = model.lanes.get(claim.name);
      if (lane === undefined) {
        yield modelDiagnostic(
          "model/undefined-claimed-lane",
          params,
          claim.span,
          didYouMean(claim.name, model.lanes.keys()),
        );
      } else if (!lane.roles.some((r) => r.name === role.id.name)) {
        yield modelDiagnostic("model/claim-not-admitted", params, claim.span, {
          related: [{ message: "the lane", span: lane.id.span }],
        });
      }
    }
  }
  for (const lane of model.lanes.values()) {
    for (const admitted of lane.roles) {
      // A role that says nothing of privileges contradicts nothing.
      const role = model.roles.get(admitted.name);
      if (role?.claims === undefined || role.claims.some((c) => c.name === lane.id.name)) continue;
      const params = { lane: lane.id.name, role: admitted.name };
      yield modelDiagnostic("model/admitted-without-claim", params, admitted.span, {
        related: [{ message: "the role", span: role.id.span }],
      });
    }
  }
}
