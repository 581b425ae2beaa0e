/**
 * The meaning of the fields of every statement, as one table: readers, writers, the verifier and optimiser passes walk
 * statements through it, so that none of them has to know thirty-five shapes by heart.
 * INVARIANT: a forgotten statement or field, or a meaning that its type cannot have, does not type-check.
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

/** The meanings that a field of this type may have. */
type FieldKindOf<V> = V extends Block
  ? "block"
  : V extends readonly Block[]
    ? "blocks"
    : V extends Operand
      ? "operand"
      : V extends readonly Operand[]
        ? "operands"
        : V extends readonly number[]
          ? "uses" | "path"
          : V extends number
            ? "def" | "use" | "probe" | "own" | "int" | "text"
            : "func";

type FieldsOf<K extends StmtKind> = {
  readonly [F in Exclude<keyof StmtOf<K>, "kind" | "span"> & string]: FieldKindOf<StmtOf<K>[F]>;
};

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
  SwitchStmt: { index: "operand", blocks: "blocks" },
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

/** Calls `see` for every local that the statement itself names, not those of the blocks in it. Makes nothing on the way. */
export function eachLocal(stmt: Stmt, see: (local: Local, kind: FieldKind) => void): void {
  const values = stmt as unknown as Record<string, unknown>;
  const seeOperand = (operand: Operand, kind: FieldKind): void => {
    if (operand.kind === "Local") see(operand.local, kind);
  };
  for (const [name, kind] of ENTRIES.get(stmt.kind) ?? []) {
    const value = values[name];
    if (kind === "def" || kind === "use" || kind === "probe" || kind === "own") see(value as Local, kind);
    else if (kind === "operand") seeOperand(value as Operand, kind);
    else if (kind === "operands") for (const operand of value as readonly Operand[]) seeOperand(operand, kind);
    else if (kind === "uses") for (const local of value as readonly Local[]) see(local, kind);
  }
}

/** The fields of each kind that hold blocks; kinds without any are not there. */
const BLOCK_FIELDS = new Map(
  [...ENTRIES].flatMap(([kind, fields]) => {
    const found = fields.filter(([, field]) => field === "block" || field === "blocks").map(([name]) => name);
    return found.length > 0 ? [[kind, found] as const] : [];
  }),
);

const NO_BLOCKS: readonly Block[] = [];

/** The blocks directly inside a statement. */
export function blocksOf(stmt: Stmt): readonly Block[] {
  const fields = BLOCK_FIELDS.get(stmt.kind);
  if (fields === undefined) return NO_BLOCKS;
  const values = stmt as unknown as Record<string, Block | readonly Block[]>;
  return fields.flatMap((name) => values[name] as Block | readonly Block[]);
}

/** The statement with each of the blocks directly inside it mapped. */
export function withBlocks<S extends Stmt>(stmt: S, map: (block: Block, index: number) => Block): S {
  const fields = BLOCK_FIELDS.get(stmt.kind);
  if (fields === undefined) return stmt;
  const changed = { ...stmt } as Record<string, unknown>;
  let index = 0;
  for (const name of fields) {
    const value = changed[name] as Block | readonly Block[];
    changed[name] = "stmts" in value ? map(value, index++) : value.map((block) => map(block, index++));
  }
  return changed as S;
}
