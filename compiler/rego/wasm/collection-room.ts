/**
 * The room that a new array or set is given: for what follows in the same block, and for `{x | some x in list}` the length of the
 * list, so that it does not grow on the way.
 */

import { COLLECTION_COUNT, TAG_ARRAY } from "@portcullis/runtime/abi";
import type { Block, Local, Stmt } from "../plan/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import type { Expr } from "./module/code.ts";
import { isTag } from "./type-tests.ts";

/** `rest`: the statements behind the one that makes the collection. */
export function roomFor(e: FunctionEmitter, collection: Local, least: number, rest: readonly Stmt[]): Expr {
  const { m } = e;
  const list = filledFrom(collection, rest);
  if (list === undefined) return m.i32.const(least);
  const length = m.i32.load(COLLECTION_COUNT, 4, e.read(list));
  return m.if(isTag(e, { kind: "Local", local: list }, TAG_ARRAY), length, m.i32.const(least));
}

/** The list that a loop puts into the collection as it is, where it has its value before the collection is made. */
function filledFrom(collection: Local, [next]: readonly Stmt[]): Local | undefined {
  if (next?.kind !== "BlockStmt" || next.blocks.length !== 1) return undefined;
  const scan = next.blocks[0]?.stmts.find((s) => s.kind !== "IsDefinedStmt");
  if (scan?.kind !== "ScanStmt" || scan.source === collection) return undefined;
  return onlyPuts(scan.block, collection) ? scan.source : undefined;
}

function onlyPuts({ stmts: [stmt, ...others] }: Block, collection: Local): boolean {
  if (stmt === undefined || others.length > 0) return false;
  if (stmt.kind === "ArrayAppendStmt") return stmt.array === collection;
  return stmt.kind === "SetAddStmt" && stmt.set === collection;
}
