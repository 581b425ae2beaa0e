/** Lists: an array whose elements are appended right where it is made is made with them, in one block of memory. */

import { ARRAY_SIZE } from "@portcullis/runtime/abi";
import type { Stmt, StmtOf } from "../plan/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import type { Expr } from "./module/code.ts";

type Append = StmtOf<"ArrayAppendStmt">;

/** More than this many are appended one by one. */
const LONGEST = 16;
/** Where its elements begin, as rtlib's `newList` has it. */
const ITEMS = (ARRAY_SIZE + 7) & ~7;

/** The appends that directly follow the making of an array; `undefined` without any. */
export function listOf({ target }: StmtOf<"MakeArrayStmt">, rest: readonly Stmt[]): Append[] | undefined {
  const appends: Append[] = [];
  for (const stmt of rest) {
    if (stmt.kind !== "ArrayAppendStmt" || stmt.array !== target) break;
    if (stmt.value.kind === "Local" && stmt.value.local === target) return undefined;
    appends.push(stmt);
  }
  return appends.length > 0 && appends.length <= LONGEST ? appends : undefined;
}

export function emitList(e: FunctionEmitter, { target }: StmtOf<"MakeArrayStmt">, appends: readonly Append[]): Expr[] {
  const { m } = e;
  for (const append of appends) e.done(append);
  return [
    ...e.failIfUndefined(...appends.map(({ value }) => value)),
    e.write(target, e.call("newList", m.i32.const(appends.length))),
    ...appends.map(({ value }, i) => m.i32.store(ITEMS + i * 4, 4, e.read(target), e.operand(value))),
  ];
}
