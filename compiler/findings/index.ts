/** Findings of all stages together: their codes, which of them only follow from others, what is waived, and what mends them. */

export { causesOf } from "./causes.ts";
export { allCodes } from "./codes.ts";
export { expectedAnswers } from "./expected-answers.ts";
export { editedText, renamesOf } from "./fixes.ts";
export { testIds, unknownIds } from "./test-ids.ts";
export { misspelt, testInputs } from "./test-inputs.ts";
export { applyWaivers } from "./waivers.ts";
