/**
 * Gives every plan that answers with one value a function of its own: input and data in, the value out. Our runtime calls
 * it instead of the plan, and is spared a set of one object of one member. The plan stays for OPA's SDKs.
 */

import {
  type Block,
  DATA,
  type Func,
  INPUT,
  type Local,
  type Plan,
  type Policy,
  type Stmt,
  someStmt,
} from "../plan/index.ts";

/** Name of the function of a plan; no rule has a name like it. */
export function decideName(plan: string): string {
  return `decide ${plan}`;
}

export function addDecideFunctions(policy: Policy): Policy {
  const added = policy.plans.flatMap((plan) => decideFunction(plan, policy.strings) ?? []);
  return added.length === 0 ? policy : { ...policy, funcs: [...policy.funcs, ...added] };
}

/** `undefined` for a plan of another shape: one that answers with bindings, or in several places. */
function decideFunction(plan: Plan, strings: readonly string[]): Func | undefined {
  const [block, ...others] = plan.blocks;
  const stmts = block?.stmts ?? [];
  const [make, insert, add] = stmts.slice(-3);
  if (others.length > 0 || make?.kind !== "MakeObjectStmt" || insert?.kind !== "ObjectInsertStmt") return undefined;
  if (add?.kind !== "ResultSetAddStmt" || add.value !== make.target || insert.object !== make.target) return undefined;
  if (insert.key.kind !== "String" || strings[insert.key.index] !== "result") return undefined;
  const before = stmts.slice(0, -3);
  if (someStmt(before, (stmt) => stmt.kind === "ResultSetAddStmt")) return undefined;
  const result: Local = make.target;
  const tail: Stmt[] = [
    { kind: "AssignVarStmt", source: insert.value, target: result },
    { kind: "ReturnLocalStmt", source: result },
  ];
  const body: Block = { stmts: [...before, ...tail] };
  return { name: decideName(plan.name), params: [INPUT, DATA], result, blocks: [body], path: [] };
}
