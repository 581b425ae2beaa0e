/** `handoff.yaml`: the policy's additions to the contract's floor. */

import type { SourceDocument } from "../sources/index.ts";
import { report } from "./codes.ts";
import type { HandoffAdditions, Named } from "./model.ts";
import type { Reader } from "./read.ts";

export function buildHandoff(documents: readonly SourceDocument[], reader: Reader): HandoffAdditions {
  const all = (key: string): Named[] => documents.flatMap((d) => [...(reader.names(d.root, key) ?? [])]);
  // Names stay as they are written. The decision normalises them as it does those of a record: two ways of changing case
  // (JavaScript lowers `Σ` by its position in the word, Rego does not) would let a record pass that names the very same thing.
  const forbiddenMutations = all("forbidden_mutations");
  for (const { name, span } of forbiddenMutations) {
    if (namesNothing(name)) reader.diagnostics.push(report("model/invalid-mutation", { name }, span));
  }
  const placeholders = all("placeholders");
  for (const { name, span } of placeholders) {
    if (!FIRST_WORD.test(name)) reader.diagnostics.push(report("model/invalid-placeholder", { word: name }, span));
  }
  return {
    requiredFields: unique(all("required_fields")),
    forbiddenMutations: unique(forbiddenMutations),
    placeholders: unique(placeholders),
  };
}

/** Matches a word that the decision reads as the first word of a next action, and nothing longer. */
const FIRST_WORD = /^[\p{L}\p{Nd}/]+$/u;

/** Nothing is left when a leading `/` and everything from the first `.`, `/` or `[` on is taken away. */
function namesNothing(name: string): boolean {
  return /^(?:[./[]|$)/.test(name.replace(/^\//, ""));
}

function unique(names: readonly Named[]): readonly Named[] {
  return names.filter((n, i) => names.findIndex((m) => m.name === n.name) === i);
}
