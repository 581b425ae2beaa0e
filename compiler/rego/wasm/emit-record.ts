/**
 * Records: an object that is made and filled at once, under keys that are known, is copied from a static one that has its
 * keys in order and those values that are constant. Only the others are written.
 */

import { INDEX_THRESHOLD, RECORD_ENTRIES } from "@portcullis/runtime/abi";
import type { Operand, Stmt, StmtOf } from "../plan/index.ts";
import { compareText } from "../value/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import type { Expr } from "./module/code.ts";
import { emitNumbered } from "./numbered-records.ts";

type Insert = StmtOf<"ObjectInsertStmt">;

/** The inserts that follow the making of an object at once; `undefined` where it is no record. */
export function recordOf(
  e: FunctionEmitter,
  { target }: StmtOf<"MakeObjectStmt">,
  rest: readonly Stmt[],
): Insert[] | undefined {
  const inserts: Insert[] = [];
  const keys = new Set<string>();
  for (const stmt of rest) {
    if (stmt.kind !== "ObjectInsertStmt" || stmt.object !== target || stmt.key.kind !== "String") break;
    const isItself = stmt.value.kind === "Local" && stmt.value.local === target;
    const key = e.layout.text(stmt.key.index);
    if (isItself || keys.has(key) || /\p{Surrogate}/u.test(key)) return undefined;
    keys.add(key);
    inserts.push(stmt);
  }
  return inserts.length > 0 && inserts.length <= INDEX_THRESHOLD ? inserts : undefined;
}

export function emitRecord(
  e: FunctionEmitter,
  { target }: StmtOf<"MakeObjectStmt">,
  inserts: readonly Insert[],
): Expr[] {
  const { m } = e;
  for (const insert of inserts) e.done(insert);
  const sorted = inserts
    .map((insert) => ({ key: recordKey(e, insert), value: insert.value }))
    .sort((a, b) => compareText(a.key, b.key));
  const constant = (value: Operand): number => (value.kind === "Local" ? 0 : e.layout.addressOf(value));
  const { address, size } = e.layout.data.record(sorted.map(({ key, value }) => [key, constant(value)]));
  const copied = [
    e.write(target, e.call("newRecord", m.i32.const(address), m.i32.const(size))),
    ...sorted.flatMap(({ value }, i) =>
      value.kind === "Local" ? [m.i32.store(RECORD_ENTRIES + i * 8 + 4, 4, e.read(target), e.read(value.local))] : [],
    ),
  ];
  const [index, ...others] = inserts.flatMap(({ value }) => (value.kind === "Local" ? [value.local] : []));
  const isNumbered = index !== undefined && others.length === 0 && e.numberedRecords.has(target, index, inserts);
  return [
    ...e.failIfUndefined(...inserts.map((insert) => insert.value)),
    ...(isNumbered ? [emitNumbered(e, target, index, inserts, copied)] : copied),
  ];
}

function recordKey(e: FunctionEmitter, { key }: Insert): string {
  return key.kind === "String" ? e.layout.text(key.index) : "";
}
