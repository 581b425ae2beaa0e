/** Words that a policy may choose freely, one slip away from those that nearly every policy chooses. */

import { type Diagnostic, meaning, slipOf } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

const WRITE_MODES = ["append", "upsert", "insert", "update", "delete", "replace", "overwrite"];
const CLASSES = ["agent", "human", "system"];

export function* commonWords(model: Model): Iterable<Diagnostic> {
  for (const { id, writes } of model.lanes.values()) {
    for (const { table, mode } of writes) {
      const known = slipOf(mode.name, WRITE_MODES);
      if (known === undefined) continue;
      const params = { lane: id.name, table: table.name, mode: mode.name, known };
      yield modelDiagnostic("model/misspelt-write-mode", params, mode.span, meaning(known));
    }
  }
  for (const { id, class: written } of model.roles.values()) {
    const known = written === undefined ? undefined : slipOf(written, CLASSES);
    if (written === undefined || known === undefined) continue;
    const params = { role: id.name, class: written, known };
    yield modelDiagnostic("model/misspelt-class", params, id.span, meaning(known));
  }
}
