/** `@portcullis/runtime/testing`: a policy from a table of answers, and matchers, for a service's own tests. */

export { type AnswerRow, type AnswerTable, type AskedQuestion, answerTable } from "./answer-table.ts";
export { type DecisionMatchers, decisionMatchers, type ExpectedDenial, type MatcherResult } from "./matchers.ts";
