/** The calls of a policy: what calls what, and an order in which callees come first. */

import { type Block, eachStmt, type Policy } from "../plan/index.ts";

/** Names of functions, each behind those that it calls. */
export function calleesFirst(policy: Policy): string[] {
  const calls = new Map(policy.funcs.map((f) => [f.name, calledIn(f.blocks)]));
  const order: string[] = [];
  const entered = new Set<string>();
  for (const { name } of policy.funcs) {
    const work = [name];
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      const next = entered.has(top) ? undefined : (calls.get(top) ?? []).filter((c) => !entered.has(c));
      if (next === undefined || next.length === 0) {
        if (calls.delete(top)) order.push(top);
        work.pop();
      }
      entered.add(top);
      work.push(...(next ?? []));
    }
  }
  return order;
}

/** Names of the functions that the blocks call, in the order of the calls. */
export function calledIn(blocks: readonly Block[]): string[] {
  const found: string[] = [];
  eachStmt(blocks, (stmt) => {
    if (stmt.kind === "CallStmt") found.push(stmt.func);
  });
  return found;
}
