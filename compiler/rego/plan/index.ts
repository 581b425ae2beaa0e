/** Syntax trees to plans, in the words of OPA's IR, and walks over plans. */

export { codes } from "./codes.ts";
export { COVERED, coverRules } from "./cover-rules.ts";
export { isRead, undefinedLocals } from "./definedness.ts";
export { hasEffect } from "./effects.ts";
export {
  assignedBy,
  blocksOf,
  changedIn,
  eachLocal,
  eachLocalIn,
  eachStmt,
  type FieldKind,
  fieldsOf,
  mentionsIn,
  operandFieldsOf,
  ownedBy,
  someStmt,
  withBlocks,
} from "./fields.ts";
export {
  type Block,
  DATA,
  type Func,
  INPUT,
  isEvaluatedOnce,
  type Keyed,
  type Local,
  local,
  type Operand,
  type Plan,
  type Policy,
  type Stmt,
  type StmtKind,
  type StmtOf,
} from "./ir.ts";
export { writePlanJson } from "./json.ts";
export { type MarkedExpressions, markExpressions, REACHED } from "./mark-expressions.ts";
export { firstSpan, measure } from "./measure.ts";
export { TRACE } from "./plan-call.ts";
export { INDEX_FROM, planPolicy } from "./planner.ts";
export { type ReportedSteps, reportSteps, STEP, type TestStep } from "./report-steps.ts";
export { mapSame, mapStmts, withBodies, withBody, withStmts } from "./rewrite.ts";
export { isSilent } from "./silent-builtins.ts";
export { reportTestCases, TEST_CASE } from "./test-cases.ts";
export { policyToText } from "./text.ts";
