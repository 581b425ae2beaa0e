/** `handoff.yaml`: what the policy adds to the contract's floor, in the form in which it is compared. */

import type { SourceDocument } from "../sources/index.ts";
import { report } from "./codes.ts";
import type { HandoffAdditions, Named } from "./model.ts";
import type { Reader } from "./read.ts";

export function buildHandoff(documents: readonly SourceDocument[], reader: Reader): HandoffAdditions {
  const all = (key: string): Named[] => documents.flatMap((d) => [...(reader.names(d.root, key) ?? [])]);
  const forbiddenMutations = all("forbidden_mutations").map((m) => ({ ...m, name: topLevelName(m.name) }));
  for (const { name, span } of forbiddenMutations) {
    if (name === "")
      reader.diagnostics.push(
        report("model/invalid-mutation", { name: span.file.text.slice(span.start, span.end) }, span),
      );
  }
  const placeholders = all("placeholders").map((p) => ({ ...p, name: p.name.toLowerCase() }));
  for (const { name, span } of placeholders) {
    if (!/^[\p{L}\p{N}/]+$/u.test(name))
      reader.diagnostics.push(report("model/invalid-placeholder", { word: name }, span));
  }
  return {
    requiredFields: unique(all("required_fields")),
    forbiddenMutations: unique(forbiddenMutations),
    placeholders: unique(placeholders),
  };
}

/** As the decision normalises what a record names: trimmed, lower case, no leading `/`, nothing from the first `.`, `/` or `[`. */
function topLevelName(name: string): string {
  return (name.trim().toLowerCase().replace(/^\//, "").split(/[./[]/, 1)[0] as string).trim();
}

function unique(names: readonly Named[]): readonly Named[] {
  return names.filter((n, i) => names.findIndex((m) => m.name === n.name) === i);
}
