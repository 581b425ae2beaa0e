/** Rules by their names: entrypoints, tests, the limits of authored rules, and denials. */

export { checkAuthoredRules, type KnownFacts } from "./authored-rules.ts";
export { denialsOf } from "./denials.ts";
export { chooseEntrypoints } from "./entrypoints.ts";
export type { Vocabularies } from "./inputs/vocabulary.ts";
export { type NamedTests, nameTests, type TestRule } from "./test-rules.ts";
