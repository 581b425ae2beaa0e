/** An order of definitions by their content alone: modules and rules may come in any order. */

import type { RuleDefinition } from "../analyze/index.ts";

export function sortedDefinitions(definitions: readonly RuleDefinition[]): readonly RuleDefinition[] {
  if (definitions.length < 2) return definitions;
  const keyed = definitions.map((d) => [fingerprint(d), d] as const);
  keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return keyed.map(([, d]) => d);
}

/** The definition as text, without locations. Names are unique within a rule, not beyond. */
function fingerprint(definition: RuleDefinition): string {
  return JSON.stringify(definition, (key, value: unknown) => (key === "span" ? undefined : value));
}
