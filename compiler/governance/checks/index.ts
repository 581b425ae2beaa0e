/** Rules by their names: entrypoints, tests, the limits of authored rules, and denials. */

export { allCodes } from "./all-codes.ts";
export { answersOf, type DecisionAnswer, defaultAnswer } from "./answers.ts";
export { type AuthoredFacts, authoredFacts } from "./authored-facts.ts";
export { checkAuthoredRules, type KnownFacts } from "./authored-rules.ts";
export { checkBundlePaths } from "./bundle-paths.ts";
export { causesOf } from "./causes.ts";
export { pipelineDiagnostic } from "./codes.ts";
export { denialsOfTests } from "./denials-of-tests.ts";
export { expectedAnswers } from "./expected-answers.ts";
export { editedText, renamesOf } from "./fixes.ts";
export { type ComposedGates, describedGates } from "./gates.ts";
export { findInput, type InputPath } from "./inputs/input-schema.ts";
export type { Vocabularies } from "./inputs/vocabulary.ts";
export { namingOtherDenials } from "./other-denials.ts";
export { reservedPackages } from "./reserved-packages.ts";
export { testIds, unknownIds } from "./test-ids.ts";
export { misspelt, testInputs } from "./test-inputs.ts";
export { applyWaivers } from "./waivers.ts";
