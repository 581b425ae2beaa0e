/** Locals of loops. */

import { type Block, eachLocalIn, eachStmt, type Func, type Stmt, type StmtOf } from "@portcullis/rego/plan";
import { NotEncodable } from "./not-encodable.ts";

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

/** Throws NotEncodable where another order of the turns may leave another value: then a local has that of the last. */
export function holdAnyOrder(stmt: StmtOf<"ScanStmt">, func: Func): void {
  const own = new Set(localsOf(stmt, func));
  eachStmt([stmt.block], (one) => {
    if (one.kind === "AssignVarStmt" && one.source.kind === "Local" && !own.has(one.target))
      throw new NotEncodable("a loop whose order is not known, and matters");
  });
}
