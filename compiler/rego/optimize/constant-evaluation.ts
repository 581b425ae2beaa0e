/**
 * Constant evaluation: a rule that depends on nothing but constants becomes its value, and so does a call of a function with
 * constants, such as `denied("HASH", "script_hash_mismatch")`.
 *
 * The evaluation itself finds such rules and calls. One that reads the input, the host's data or the clock stays as it is; so does one
 * that takes long, has a large value or none, or ends in a conflict.
 */

import {
  type Block,
  DATA,
  type Func,
  INPUT,
  isEvaluatedOnce,
  mapSame,
  mapStmts,
  type Policy,
  type Stmt,
  type StmtOf,
  withBlocks,
  withBody,
} from "../plan/index.ts";
import { sizeOf, type Value } from "../value/index.ts";
import { ConstantTable, constantOf } from "./constants.ts";
import { type BuiltinCall, Evaluator } from "./evaluator.ts";

/**
 * Size of a constant, in values: a short evaluation may make a large value, by which no module should grow. A value not larger
 * than the policy's own data may stand beside it: a set of all names, made anew for each decision, takes a millisecond.
 */
const LARGEST = { least: 1000, most: 50_000 };
/** The same for a call: there are more of these than rules. An answer is smaller. */
const LARGEST_OF_CALL = 16;
/** Budgets, in statements: of one rule and of all, for each value that a constant may have, and of one call. */
const RULE_STEPS = 80;
const ALL_STEPS = 160;
const LEAST_OF_ALL = 1_000_000;
const CALL_STEPS = 200;

export function evaluateConstantRules(policy: Policy, callBuiltin: BuiltinCall | undefined): Policy {
  if (callBuiltin === undefined) return policy;
  const largest = Math.max(LARGEST.least, sizeOfAll(policy.constants));
  const steps = Math.max(LEAST_OF_ALL, ALL_STEPS * largest);
  const evaluator = new Evaluator(policy, { callBuiltin, steps, largest });
  const constants = new ConstantTable(policy.constants);
  const byName = new Map(policy.funcs.map((func) => [func.name, func]));
  const call = (stmt: StmtOf<"CallStmt">): Stmt => {
    const func = byName.get(stmt.func);
    const args = func && constantArgs(stmt, policy);
    const value = args && evaluator.evaluate(func, args, CALL_STEPS);
    if (value === undefined || sizeOf(value, LARGEST_OF_CALL) > LARGEST_OF_CALL) return stmt;
    return { kind: "AssignVarStmt", source: constants.operand(value), target: stmt.result, span: stmt.span };
  };
  const within = (block: Block): Block =>
    mapStmts(block, (stmt) => (stmt.kind === "CallStmt" ? call(stmt) : withBlocks(stmt, within)));
  const funcs = policy.funcs.map((func): Func => {
    const value =
      isEvaluatedOnce(func) && !isConstant(func) ? evaluator.evaluate(func, [], RULE_STEPS * largest) : undefined;
    if (value === undefined || sizeOf(value, largest) > largest)
      return withBody(func, (blocks) => mapSame(blocks, within));
    const assign: Stmt = { kind: "AssignVarStmt", source: constants.operand(value), target: func.result };
    const body: Block[] = [{ stmts: [assign] }, { stmts: [{ kind: "ReturnLocalStmt", source: func.result }] }];
    return { ...func, blocks: body };
  });
  return { ...policy, constants: constants.values, funcs };
}

/** Values in the constants of a policy, its data above all; no more than a constant may have. */
function sizeOfAll(constants: readonly Value[]): number {
  let size = 0;
  for (const constant of constants) {
    size += sizeOf(constant, LARGEST.most);
    if (size >= LARGEST.most) return LARGEST.most;
  }
  return size;
}

/** The arguments behind input and data, of which there is at least one; `undefined` where one is no constant. */
function constantArgs({ args }: StmtOf<"CallStmt">, policy: Policy): Value[] | undefined {
  const passes = [INPUT, DATA].every((l) => args[l]?.kind === "Local" && args[l].local === l);
  if (!passes || args.length === 2) return undefined;
  const values = args.slice(2).flatMap((arg) => constantOf(arg, policy) ?? []);
  return values.length === args.length - 2 ? values : undefined;
}

/** Whether the rule is a single assignment already. */
function isConstant({ blocks }: Func): boolean {
  return blocks.length === 2 && blocks.every((b) => b.stmts.length === 1);
}
