/**
 * Constant evaluation: a rule that depends on nothing but constants becomes its value.
 *
 * The evaluation itself finds such rules. One that reads the input, the host's data or the clock stays as it is; so does one
 * that takes long, has a large value or none, or ends in a conflict.
 */

import type { Block, Func, Policy, Stmt } from "../plan/ir.ts";
import { ConstantTable } from "./constants.ts";
import { type BuiltinCall, Evaluator, isRule } from "./evaluator.ts";
import { sizeOf } from "./known-values.ts";

/** Budgets, in statements: of one rule, and of all. */
const RULE_STEPS = 20_000;
const ALL_STEPS = 1_000_000;
/** Size of a constant, in values: a short evaluation may make a large value, by which no module should grow. */
const LARGEST = 1000;

export function evaluateConstantRules(policy: Policy, callBuiltin: BuiltinCall | undefined): Policy {
  if (callBuiltin === undefined) return policy;
  const evaluator = new Evaluator(policy, { callBuiltin, steps: ALL_STEPS, largest: LARGEST });
  const constants = new ConstantTable(policy.constants);
  const funcs = policy.funcs.map((func): Func => {
    const value = isRule(func) && !isConstant(func) ? evaluator.rule(func, RULE_STEPS) : undefined;
    if (value === undefined || sizeOf(value, LARGEST) > LARGEST) return func;
    const assign: Stmt = { kind: "AssignVarStmt", source: constants.operand(value), target: func.result };
    const body: Block[] = [{ stmts: [assign] }, { stmts: [{ kind: "ReturnLocalStmt", source: func.result }] }];
    return { ...func, blocks: body };
  });
  return { ...policy, constants: constants.values, funcs };
}

/** Whether the rule is a single assignment already. */
function isConstant({ blocks }: Func): boolean {
  return blocks.length === 2 && blocks.every((b) => b.stmts.length === 1);
}
