/**
 * The rules behind each decision, as places in the module's table: a host that warms a policy up runs each of them, as engines
 * compile a function when it is called first, and most rules stand behind gates that no made-up input passes.
 */

import { decideName } from "../optimize/index.ts";
import { type Block, blocksOf } from "../plan/index.ts";
import type { PolicyLayout } from "./layout.ts";

/** By plan; each rule once, with the first plan that has it. */
export function rulePlaces(layout: PolicyLayout): number[][] {
  const seen = new Set<string>();
  return layout.policy.plans.map(({ name }) => {
    const places: number[] = [];
    const visit = (func: string): void => {
      const target = layout.funcs.get(func);
      if (target === undefined || seen.has(func)) return;
      seen.add(func);
      for (const block of target.func.blocks) visitCalls(block, visit);
      if (target.memoSlot !== undefined) places.push(layout.tableIndex(target.internal));
    };
    visit(decideName(name));
    return places;
  });
}

function visitCalls({ stmts }: Block, visit: (func: string) => void): void {
  for (const stmt of stmts) {
    if (stmt.kind === "CallStmt") visit(stmt.func);
    for (const block of blocksOf(stmt)) visitCalls(block, visit);
  }
}
