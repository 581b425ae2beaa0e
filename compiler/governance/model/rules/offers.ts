/** What servers offer beside tools: do the lanes exist, and is everything open? */

import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* offers(model: Model): Iterable<Diagnostic> {
  const { resources, prompts } = model.settings.mcp ?? {};
  for (const offered of [resources, prompts]) {
    if (offered?.kind === "All")
      yield modelDiagnostic("model/offers-open", { key: offered.word.name }, offered.word.span);
    if (offered?.kind !== "Listed" || !model.complete.has("lanes")) continue;
    for (const { lane } of offered.rows)
      if (!model.lanes.has(lane.name))
        yield modelDiagnostic(
          "model/undefined-offer-lane",
          { lane: lane.name },
          lane.span,
          didYouMean(lane.name, model.lanes.keys()),
        );
  }
}
