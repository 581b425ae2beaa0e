/**
 * What the fields of every statement mean, as one table: readers, writers, the verifier and optimiser passes walk
 * statements through it, so that none of them has to know thirty-five shapes by heart. A forgotten field does not type-check.
 */

import type { Block, Local, Operand, Stmt, StmtKind, StmtOf } from "./ir.ts";

/**
 * - `def`: a local that the statement assigns; `use`: one that it reads; `probe`: one that it tests and that may be undefined;
 *   `own`: a collection that it changes in place, or the local that it overrides for a block
 * - `text`: an index into `strings`; `path`: several of them
 */
export type FieldKind =
  | "def"
  | "use"
  | "probe"
  | "own"
  | "operand"
  | "operands"
  | "uses"
  | "int"
  | "text"
  | "path"
  | "func"
  | "block"
  | "blocks";

type FieldsOf<K extends StmtKind> = { readonly [F in Exclude<keyof StmtOf<K>, "kind" | "span"> & string]: FieldKind };

/** Fields in the order in which the text form shows them. */
export const FIELDS: { readonly [K in StmtKind]: FieldsOf<K> } = {
  ArrayAppendStmt: { array: "own", value: "operand" },
  AssignIntStmt: { target: "def", value: "int" },
  AssignVarOnceStmt: { target: "def", source: "operand" },
  AssignVarStmt: { target: "def", source: "operand" },
  BlockStmt: { blocks: "blocks" },
  BreakStmt: { index: "int" },
  CallDynamicStmt: { result: "def", path: "operands", args: "uses" },
  CallStmt: { result: "def", func: "func", args: "operands" },
  DotStmt: { target: "def", source: "operand", key: "operand" },
  EqualStmt: { a: "operand", b: "operand" },
  IsArrayStmt: { source: "operand" },
  IsDefinedStmt: { source: "probe" },
  IsObjectStmt: { source: "operand" },
  IsSetStmt: { source: "operand" },
  IsUndefinedStmt: { source: "probe" },
  LenStmt: { target: "def", source: "operand" },
  MakeArrayStmt: { target: "def", capacity: "int" },
  MakeNullStmt: { target: "def" },
  MakeNumberIntStmt: { target: "def", value: "int" },
  MakeNumberRefStmt: { target: "def", index: "text" },
  MakeObjectStmt: { target: "def" },
  MakeSetStmt: { target: "def" },
  NopStmt: {},
  NotEqualStmt: { a: "operand", b: "operand" },
  NotStmt: { block: "block" },
  ObjectInsertOnceStmt: { object: "own", key: "operand", value: "operand" },
  ObjectInsertStmt: { object: "own", key: "operand", value: "operand" },
  ObjectMergeStmt: { target: "def", a: "use", b: "use" },
  ResetLocalStmt: { target: "def" },
  ResultSetAddStmt: { value: "use" },
  ReturnLocalStmt: { source: "probe" },
  ScanStmt: { source: "use", key: "def", value: "def", block: "block" },
  SetAddStmt: { set: "own", value: "operand" },
  WithStmt: { local: "own", path: "path", value: "operand", block: "block" },
};

/** One field of a statement, its value typed by its kind. */
export type Field =
  | { readonly name: string; readonly kind: "def" | "use" | "probe" | "own"; readonly value: Local }
  | { readonly name: string; readonly kind: "operand"; readonly value: Operand }
  | { readonly name: string; readonly kind: "operands"; readonly value: readonly Operand[] }
  | { readonly name: string; readonly kind: "uses"; readonly value: readonly Local[] }
  | { readonly name: string; readonly kind: "int" | "text"; readonly value: number }
  | { readonly name: string; readonly kind: "path"; readonly value: readonly number[] }
  | { readonly name: string; readonly kind: "func"; readonly value: string }
  | { readonly name: string; readonly kind: "block"; readonly value: Block }
  | { readonly name: string; readonly kind: "blocks"; readonly value: readonly Block[] };

const ENTRIES = new Map<string, readonly (readonly [string, FieldKind])[]>(
  Object.entries(FIELDS).map(([kind, fields]) => [kind, Object.entries(fields as Record<string, FieldKind>)]),
);

/** The field names and kinds of a statement kind; `undefined` for a word that is no statement kind. */
export function fieldKindsOf(kind: string): readonly (readonly [string, FieldKind])[] | undefined {
  return ENTRIES.get(kind);
}

export function fieldsOf(stmt: Stmt): Field[] {
  const values = stmt as unknown as Record<string, unknown>;
  return (ENTRIES.get(stmt.kind) ?? []).map(([name, kind]) => ({ name, kind, value: values[name] }) as Field);
}

/** The blocks directly inside a statement. */
export function blocksOf(stmt: Stmt): readonly Block[] {
  switch (stmt.kind) {
    case "BlockStmt":
      return stmt.blocks;
    case "NotStmt":
    case "ScanStmt":
    case "WithStmt":
      return [stmt.block];
    default:
      return [];
  }
}
