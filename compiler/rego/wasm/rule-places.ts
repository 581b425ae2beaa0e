/**
 * The rules behind each decision, as places in the module's table: a host that warms a policy up runs each of them, as engines
 * compile a function when it is called first, and most rules stand behind gates that no made-up input passes.
 */

import { decideName } from "../optimize/index.ts";
import { eachStmt, isEvaluatedOnce } from "../plan/index.ts";
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
      eachStmt(target.func.blocks, (stmt) => {
        if (stmt.kind === "CallStmt") visit(stmt.func);
      });
      // A function that remembers its results has a slot, too, and takes arguments that a host does not have.
      if (isEvaluatedOnce(target.func)) places.push(layout.tableIndex(target.internal));
    };
    visit(decideName(name));
    return places;
  });
}
