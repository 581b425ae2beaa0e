/**
 * The meaning of the fields of every statement, as one table: readers, writers, the verifier and optimiser passes walk
 * statements through it, so that none of them has to know thirty-five shapes by heart.
 * INVARIANT: a forgotten statement or field, or a meaning that its type cannot have, does not type-check.
 */

import type { Block, Local, Operand, Stmt, StmtKind, StmtOf } from "./ir.ts";
import { mapSame } from "./rewrite.ts";

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
  PrefixStmt: { target: "def", source: "operand", text: "operand" },
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

/** The field names and kinds of a statement kind; `undefined` for a word that is not a statement kind. */
export function fieldKindsOf(kind: string): readonly (readonly [string, FieldKind])[] | undefined {
  return ENTRIES.get(kind);
}

export function fieldsOf(stmt: Stmt): Field[] {
  const values = stmt as unknown as Record<string, unknown>;
  return (ENTRIES.get(stmt.kind) ?? []).map(([name, kind]) => ({ name, kind, value: values[name] }) as Field);
}

const NAMES_LOCALS: { readonly [K in FieldKind]: boolean } = {
  def: true,
  use: true,
  probe: true,
  own: true,
  operand: true,
  operands: true,
  uses: true,
  int: false,
  text: false,
  path: false,
  func: false,
  block: false,
  blocks: false,
};

/** Those of the fields that hold operands. */
const OPERAND_FIELDS = new Map(
  [...ENTRIES].map(
    ([kind, fields]) => [kind, fields.filter(([, field]) => field === "operand" || field === "operands")] as const,
  ),
);

/** The names of the fields that hold operands, and whether each holds one or several. */
export function operandFieldsOf(stmt: Stmt): readonly (readonly [string, FieldKind])[] {
  return OPERAND_FIELDS.get(stmt.kind) ?? [];
}

/** Those of the fields that name locals. */
const LOCAL_FIELDS = new Map(
  [...ENTRIES].map(([kind, fields]) => [kind, fields.filter(([, field]) => NAMES_LOCALS[field])] as const),
);

/**
 * Calls `see` for every local that the statement itself names, not those of the blocks in it. Makes nothing on the way, no
 * iterators either.
 */
export function eachLocal(stmt: Stmt, see: (local: Local, kind: FieldKind) => void): void {
  const values = stmt as unknown as Record<string, unknown>;
  const fields = LOCAL_FIELDS.get(stmt.kind);
  if (fields === undefined) return;
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as readonly [string, FieldKind];
    const kind = field[1];
    const value = values[field[0]];
    if (kind === "def") see(value as Local, kind);
    else if (kind === "operand") seeOperand(value as Operand, kind, see);
    else if (kind === "operands") {
      const operands = value as readonly Operand[];
      for (let j = 0; j < operands.length; j++) seeOperand(operands[j] as Operand, kind, see);
    } else if (kind === "uses") for (const local of value as readonly Local[]) see(local, kind);
    else see(value as Local, kind);
  }
}

function seeOperand(operand: Operand, kind: FieldKind, see: (local: Local, kind: FieldKind) => void): void {
  if (operand.kind === "Local") see(operand.local, kind);
}

/** Calls `see` for every statement of the blocks, at any depth, in the order of the text. */
export function eachStmt(blocks: readonly Block[], see: (stmt: Stmt) => void): void {
  for (let i = 0; i < blocks.length; i++) {
    const { stmts } = blocks[i] as Block;
    for (let j = 0; j < stmts.length; j++) {
      const stmt = stmts[j] as Stmt;
      see(stmt);
      eachStmt(blocksOf(stmt), see);
    }
  }
}

/** Whether it holds for one of the statements, or for one in their blocks, at any depth. */
export function someStmt(stmts: readonly Stmt[], holds: (stmt: Stmt) => boolean): boolean {
  return stmts.some((stmt) => holds(stmt) || blocksOf(stmt).some((block) => someStmt(block.stmts, holds)));
}

/** `eachLocal` for all statements of the blocks, at any depth. */
export function eachLocalIn(blocks: readonly Block[], see: (local: Local, kind: FieldKind) => void): void {
  eachStmt(blocks, (stmt) => eachLocal(stmt, see));
}

/** How often the statements name each local. */
export function mentionsIn(blocks: readonly Block[]): ReadonlyMap<Local, number> {
  const counts = new Map<Local, number>();
  eachLocalIn(blocks, (l) => void counts.set(l, (counts.get(l) ?? 0) + 1));
  return counts;
}

/** Every local that the blocks assign, change or override, at any depth; one that they do so twice stands here twice. */
export function changedIn(blocks: readonly Block[]): Local[] {
  const found: Local[] = [];
  eachLocalIn(blocks, (local, kind) => {
    if (kind === "def" || kind === "own") found.push(local);
  });
  return found;
}

/** The fields of each kind that are a local of some meaning. */
function localFields(meaning: "def" | "own"): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...ENTRIES].map(([kind, fields]) => [kind, fields.flatMap(([name, of]) => (of === meaning ? [name] : []))]),
  );
}

const DEFS = localFields("def");
const OWNED = localFields("own");

/** The locals that the statement itself assigns, not those of the blocks in it. */
export function assignedBy(stmt: Stmt): readonly Local[] {
  const names = DEFS.get(stmt.kind) as readonly string[];
  if (names.length === 0) return NO_LOCALS;
  const values = stmt as unknown as Record<string, Local>;
  return names.map((name) => values[name] as Local);
}

const NO_LOCALS: readonly Local[] = [];

/** The collection that the statement changes in place, or the local that it overrides for a block. No statement has two. */
export function ownedBy(stmt: Stmt): Local | undefined {
  const [name] = OWNED.get(stmt.kind) as readonly string[];
  return name === undefined ? undefined : (stmt as unknown as Record<string, Local>)[name];
}

type Around = Extract<Stmt, { readonly block: Block } | { readonly blocks: readonly Block[] }>;

const NO_BLOCKS: readonly Block[] = [];

/** The blocks directly inside a statement; each walk asks this of every statement, and nearly all have none. */
export function blocksOf(stmt: Stmt): readonly Block[] {
  switch (stmt.kind) {
    case "BlockStmt":
    case "SwitchStmt":
      return stmt.blocks;
    case "NotStmt":
    case "ScanStmt":
    case "WithStmt":
      return [stmt.block];
  }
  stmt satisfies Exclude<Stmt, Around>;
  return NO_BLOCKS;
}

/** The statement with each of the blocks directly inside it mapped; the same one where each is mapped to itself. */
export function withBlocks<S extends Stmt>(stmt: S, map: (block: Block, index: number) => Block): S {
  switch (stmt.kind) {
    case "BlockStmt":
    case "SwitchStmt": {
      const blocks = mapSame(stmt.blocks, map);
      return blocks === stmt.blocks ? stmt : { ...stmt, blocks };
    }
    case "NotStmt":
    case "ScanStmt":
    case "WithStmt": {
      const block = map(stmt.block, 0);
      return block === stmt.block ? stmt : { ...stmt, block };
    }
  }
  return stmt;
}
