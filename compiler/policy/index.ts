/** Rules by their names: entrypoints, tests, the limits of authored rules, and denials. */

export { answersOf, type DecisionAnswer, defaultAnswer } from "./answers.ts";
export { type AuthoredFacts, authoredFacts } from "./authored-facts.ts";
export { checkAuthoredRules, type KnownFacts } from "./authored-rules.ts";
export { report } from "./codes.ts";
export { constantJson, denialsOf } from "./denials.ts";
export { denialsOfTests } from "./denials-of-tests.ts";
export { chooseEntrypoints } from "./entrypoints.ts";
export { findInput, type InputPath } from "./inputs/input-schema.ts";
export type { Vocabularies } from "./inputs/vocabulary.ts";
export { namingOtherDenials } from "./other-denials.ts";
export { type NamedTests, nameTests, type TestRule } from "./test-rules.ts";
