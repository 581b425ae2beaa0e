/** Locals of loops. */

import { type Block, eachLocalIn, type Func, type Stmt, type StmtOf } from "@portcullis/rego/plan";

const ownLocals = new WeakMap<Stmt, readonly number[]>();

/** The locals that only this loop names, and assigns before it reads them. */
export function localsOf(stmt: StmtOf<"ScanStmt">, func: Func): readonly number[] {
  const known = ownLocals.get(stmt);
  if (known !== undefined) return known;
  const counts = (blocks: readonly Block[]): Map<number, { count: number; readonly isAssigned: boolean }> => {
    const found = new Map<number, { count: number; readonly isAssigned: boolean }>();
    eachLocalIn(blocks, (local, kind) => {
      const one = found.get(local) ?? { count: 0, isAssigned: kind === "def" };
      one.count++;
      found.set(local, one);
    });
    return found;
  };
  const everywhere = counts(func.blocks);
  const own = [...counts([{ stmts: [stmt] }])]
    .filter(([local, { count, isAssigned }]) => isAssigned && everywhere.get(local)?.count === count)
    .map(([local]) => local);
  ownLocals.set(stmt, own);
  return own;
}
