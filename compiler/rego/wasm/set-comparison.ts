/**
 * `{x | some x in list} == other` without the set: it is made, filled in one loop and compared. Its local holds the list until then.
 *
 * INVARIANT: nothing else reads the set, and the list stays as it is.
 */

import { changedIn, type Local, type Operand, type Stmt, type StmtOf } from "../plan/index.ts";

/** A set that is only compared: the loop that would fill it, the comparison, and what it is compared with. */
export interface ComparedSet {
  readonly scan: StmtOf<"ScanStmt">;
  readonly comparison: Stmt;
  readonly other: Operand;
}

/** `stmts[at]` makes the set; `mentions` says how often the function's statements name each local. */
export function comparedSet(
  { target }: StmtOf<"MakeSetStmt">,
  stmts: readonly Stmt[],
  at: number,
  mentions: ReadonlyMap<Local, number>,
): ComparedSet | undefined {
  // It is made, added to and compared.
  const filled = stmts[at + 1];
  if (mentions.get(target) !== 3 || filled?.kind !== "BlockStmt" || filled.blocks.length !== 1) return undefined;
  const scan = filled.blocks[0]?.stmts.at(-1);
  if (scan?.kind !== "ScanStmt" || !onlyAdds(scan, target, mentions)) return undefined;
  const end = stmts.findIndex((s) => otherOf(s, target) !== undefined);
  const comparison = stmts[end];
  const between = stmts.slice(at + 2, end);
  if (comparison === undefined || changedIn([{ stmts: between }]).includes(scan.source)) return undefined;
  return { scan, comparison, other: otherOf(comparison, target) as Operand };
}

/** Whether the loop does nothing but add each element, and nothing else reads what it assigns. */
function onlyAdds(
  { key, value, block }: StmtOf<"ScanStmt">,
  set: Local,
  mentions: ReadonlyMap<Local, number>,
): boolean {
  const [add, ...others] = block.stmts;
  if (add?.kind !== "SetAddStmt" || others.length > 0 || add.set !== set) return false;
  return (
    add.value.kind === "Local" && add.value.local === value && mentions.get(value) === 2 && mentions.get(key) === 1
  );
}

function otherOf(stmt: Stmt, set: Local): Operand | undefined {
  if (stmt.kind !== "EqualStmt" && stmt.kind !== "NotEqualStmt") return undefined;
  if (stmt.a.kind === "Local" && stmt.a.local === set) return stmt.b;
  return stmt.b.kind === "Local" && stmt.b.local === set ? stmt.a : undefined;
}
