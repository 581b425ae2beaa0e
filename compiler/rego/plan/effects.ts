/**
 * The effects of every statement, its blocks apart, as one table: by it, optimiser passes decide which statements may be
 * dropped, moved or run past.
 * INVARIANT: a new kind of statement does not type-check until its effect stands here.
 */

import type { Stmt, StmtKind, StmtOf } from "./ir.ts";

/**
 * - `none`: nothing; `assign`: assigns its target, and never fails; `lookup`: assigns its target, or fails
 * - `test`: fails or not, and nothing else
 * - `extend`: adds to a collection in place; `once`: the same or an assignment, and a conflict when the value is another
 * - `run`: runs its blocks, and never fails; `guard`: fails depending on its block
 * - `leave`: ends blocks around it; `call`: whatever the callee does; `merge`: makes an object of two; `answer`: adds a result
 */
export type Effect =
  | "none"
  | "assign"
  | "lookup"
  | "test"
  | "extend"
  | "once"
  | "run"
  | "guard"
  | "leave"
  | "call"
  | "merge"
  | "answer";

const EFFECTS = {
  ArrayAppendStmt: "extend",
  AssignIntStmt: "assign",
  AssignVarOnceStmt: "once",
  AssignVarStmt: "assign",
  BlockStmt: "run",
  BreakStmt: "leave",
  CallDynamicStmt: "call",
  CallStmt: "call",
  DotStmt: "lookup",
  EqualStmt: "test",
  IsArrayStmt: "test",
  IsDefinedStmt: "test",
  IsObjectStmt: "test",
  IsSetStmt: "test",
  IsUndefinedStmt: "test",
  LenStmt: "lookup",
  MakeArrayStmt: "assign",
  MakeNullStmt: "assign",
  MakeNumberIntStmt: "assign",
  MakeNumberRefStmt: "assign",
  MakeObjectStmt: "assign",
  MakeSetStmt: "assign",
  NopStmt: "none",
  NotEqualStmt: "test",
  NotStmt: "guard",
  ObjectInsertOnceStmt: "once",
  ObjectInsertStmt: "extend",
  ObjectMergeStmt: "merge",
  PrefixStmt: "lookup",
  ResetLocalStmt: "assign",
  ResultSetAddStmt: "answer",
  ReturnLocalStmt: "leave",
  ScanStmt: "run",
  SetAddStmt: "extend",
  SwitchStmt: "run",
  WithStmt: "guard",
} as const satisfies Readonly<Record<StmtKind, Effect>>;

type KindsWith<E extends Effect> = { [K in StmtKind]: (typeof EFFECTS)[K] extends E ? K : never }[StmtKind];

export function hasEffect<E extends Effect>(stmt: Stmt, ...effects: readonly E[]): stmt is StmtOf<KindsWith<E>> {
  return (effects as readonly Effect[]).includes(EFFECTS[stmt.kind]);
}
