/** Spawn manifests promise that chains are checked; the lineage decision lets go who shows none, unless it is told not to. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* lineageRequired({ manifests, settings }: Model): Iterable<Diagnostic> {
  if (manifests.size > 0 && settings.lineage.require === undefined)
    yield modelDiagnostic("model/lineage-not-required", {}, undefined, {
      help: "add `lineage: { require: true }` to portcullis.yaml",
    });
}
