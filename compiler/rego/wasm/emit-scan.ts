/** ScanStmt: a loop over the elements of a collection, in order, that takes one step from the budget each turn. */

import {
  COLLECTION_COUNT,
  COLLECTION_ITEMS,
  SMALL_INT_COUNT,
  TAG_ARRAY,
  TAG_OBJECT,
  VALUE_TAG,
} from "@portcullis/runtime/abi";
import { type Block, isRead, type StmtOf } from "../plan/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import { smallInt } from "./inline-builtins.ts";
import { RECLAIM_FROM } from "./link.ts";
import { type Expr, i32, none } from "./module/code.ts";

/**
 * Items are read one after the other: elements of arrays and sets are 4 bytes, entries of objects 8. A value that is not
 * a collection has no turns. The key of an array's element is made only where something reads it.
 */
export function emitScan(e: FunctionEmitter, stmt: StmtOf<"ScanStmt">, emitBlock: (block: Block) => Expr[]): Expr[] {
  const { m } = e;
  const [readsKey, readsValue] = [isRead(stmt.key, stmt.block), isRead(stmt.value, stmt.block)];
  const [count, item, index, tag, size] = [e.temporary(), e.temporary(), e.temporary(), e.temporary(), e.temporary()];
  const get = (l: number): Expr => m.local.get(l, i32);
  const is = (wanted: number): Expr => m.i32.eq(get(tag), m.i32.const(wanted));
  const add = (l: number, n: Expr): Expr => m.local.set(l, m.i32.add(get(l), n));

  const place = m.if(
    m.i32.lt_u(get(index), m.i32.const(SMALL_INT_COUNT)),
    smallInt(e, () => get(index)),
    e.call("newInt", m.i64.extend_u(get(index))),
  );
  const key = m.if(is(TAG_ARRAY), place, m.i32.load(0, 4, get(item)));
  // Behind the key, if it is an object's.
  const value = m.i32.load(0, 4, m.i32.sub(m.local.tee(item, m.i32.add(get(item), get(size)), i32), m.i32.const(4)));

  const mark = e.markOf(stmt);
  const begin = mark === undefined ? [] : [m.local.set(mark, e.heap())];
  const end =
    mark === undefined
      ? []
      : [m.if(m.i32.lt_u(m.global.get(RECLAIM_FROM, i32), e.heap()), e.run("releaseTurn", get(mark)))];
  const again = e.label("scan");
  const turn = [
    ...e.step(),
    ...begin,
    ...(readsKey ? [e.write(stmt.key, key)] : []),
    readsValue ? e.write(stmt.value, value) : add(item, get(size)),
    ...e.keepAfter(stmt),
    e.inBlock(e.label("turn"), undefined, () => emitBlock(stmt.block)),
    ...end,
    add(index, m.i32.const(1)),
    m.br(again, m.i32.lt_u(get(index), get(count))),
  ];
  // Most loops are over arrays, which need no more than this; sets and objects may have to be sorted first.
  const field = (offset: number): Expr => m.i32.load(offset, 4, e.read(stmt.source));
  const counted = m.if(is(TAG_ARRAY), field(COLLECTION_COUNT), e.call("scanCount", e.read(stmt.source)));
  const loop = [
    m.local.set(item, m.if(is(TAG_ARRAY), field(COLLECTION_ITEMS), e.call("scanItems", e.read(stmt.source)))),
    m.local.set(index, m.i32.const(0)),
    m.local.set(size, m.select(is(TAG_OBJECT), m.i32.const(8), m.i32.const(4))),
    m.loop(again, m.block(null, turn, none)),
  ];
  return [
    m.local.set(tag, m.i32.load8_u(VALUE_TAG, 1, e.read(stmt.source))),
    m.if(m.local.tee(count, counted, i32), m.block(null, loop, none)),
  ];
}
