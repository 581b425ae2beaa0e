/**
 * Code as trees: a constructor for every instruction that the compiler emits, named as in the text format. A tree is plain
 * data; encode.ts writes it. Blocks are left by name, and a block without a name is only a list.
 */

export const i32 = 0x7f;
export const i64 = 0x7e;
/** The type of what leaves no value, as blocks have it. */
export const none = 0x40;
/** The type of what control never gets behind; it goes with any other. */
const never = -1;

export type ValueType = typeof i32 | typeof i64;
export type Type = ValueType | typeof none | typeof never;

/** One shape for all, so that engines read each field at one place. */
export interface Expr {
  readonly op: number;
  readonly type: Type;
  readonly operands: readonly Expr[];
  /** The immediate: a number, an index, or the alignment of an access, whose offset is `offset`. */
  readonly value: number;
  readonly offset: number;
  /** The label of a block or branch, or the name of what is called or read. */
  readonly name: string | undefined;
  /** What few instructions have. */
  readonly rest: Rest | undefined;
}

export interface Rest {
  readonly labels?: readonly string[];
  readonly wide?: bigint;
  readonly params?: readonly ValueType[];
}

/** Opcodes that are encoded in ways of their own. Those of a byte above 0xff are two: 0xfc and the low byte. */
export const Op = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
  call: 0x10,
  callIndirect: 0x11,
  drop: 0x1a,
  select: 0x1b,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  firstAccess: 0x28,
  lastAccess: 0x3e,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  i64Const: 0x42,
  memoryInit: 0xfc08,
  dataDrop: 0xfc09,
  memoryFill: 0xfc0b,
} as const;

const nothing: readonly Expr[] = [];

function expr(
  op: number,
  type: Type,
  operands: readonly Expr[],
  value = 0,
  name: string | undefined = undefined,
  offset = 0,
  rest: Rest | undefined = undefined,
): Expr {
  return { op, type, operands, value, offset, name, rest };
}

type Binary = (a: Expr, b: Expr) => Expr;
const binary =
  (op: number, type: ValueType): Binary =>
  (a, b) =>
    expr(op, type, [a, b]);
const unary =
  (op: number, type: ValueType) =>
  (a: Expr): Expr =>
    expr(op, type, [a]);
/** `align`: in bytes. */
const load =
  (op: number, type: ValueType) =>
  (offset: number, align: number, at: Expr): Expr =>
    expr(op, type, [at], Math.log2(align), undefined, offset);

export const code = {
  i32: {
    const: (value: number): Expr => expr(Op.i32Const, i32, nothing, value),
    load: load(0x28, i32),
    load8_u: load(0x2d, i32),
    load16_u: load(0x2f, i32),
    store: (offset: number, align: number, at: Expr, value: Expr): Expr =>
      expr(0x36, none, [at, value], Math.log2(align), undefined, offset),
    eqz: unary(0x45, i32),
    eq: binary(0x46, i32),
    ne: binary(0x47, i32),
    lt_u: binary(0x49, i32),
    gt_s: binary(0x4a, i32),
    le_s: binary(0x4c, i32),
    ge_u: binary(0x4f, i32),
    add: binary(0x6a, i32),
    sub: binary(0x6b, i32),
    mul: binary(0x6c, i32),
    and: binary(0x71, i32),
    shl: binary(0x74, i32),
    shr_u: binary(0x76, i32),
    wrap: unary(0xa7, i32),
  },
  i64: {
    const: (value: bigint): Expr => expr(Op.i64Const, i64, nothing, 0, undefined, 0, { wide: value }),
    load: load(0x29, i64),
    eq: binary(0x51, i32),
    lt_s: binary(0x53, i32),
    lt_u: binary(0x54, i32),
    gt_s: binary(0x55, i32),
    le_s: binary(0x57, i32),
    ge_s: binary(0x59, i32),
    add: binary(0x7c, i64),
    sub: binary(0x7d, i64),
    or: binary(0x84, i64),
    extend_u: unary(0xad, i64),
  },
  local: {
    get: (index: number, type: ValueType): Expr => expr(Op.localGet, type, nothing, index),
    set: (index: number, value: Expr): Expr => expr(Op.localSet, none, [value], index),
    tee: (index: number, value: Expr, type: ValueType): Expr => expr(Op.localTee, type, [value], index),
  },
  global: {
    get: (name: string, type: ValueType): Expr => expr(Op.globalGet, type, nothing, 0, name),
    set: (name: string, value: Expr): Expr => expr(Op.globalSet, none, [value], 0, name),
  },
  memory: {
    size: (): Expr => expr(Op.memorySize, i32, nothing),
    grow: (pages: Expr): Expr => expr(Op.memoryGrow, i32, [pages]),
    /** `segment`: its number. */
    init: (segment: number, to: Expr, from: Expr, length: Expr): Expr =>
      expr(Op.memoryInit, none, [to, from, length], segment),
    fill: (at: Expr, value: Expr, length: Expr): Expr => expr(Op.memoryFill, none, [at, value, length]),
  },
  data: { drop: (segment: number): Expr => expr(Op.dataDrop, none, nothing, segment) },

  /** Without a type it has that of its last part. */
  block: (label: string | null, parts: readonly Expr[], type: Type = parts.at(-1)?.type ?? none): Expr =>
    expr(Op.block, type, parts, 0, label ?? undefined),
  loop: (label: string, body: Expr): Expr => expr(Op.loop, none, [body], 0, label),
  /** With `otherwise` it has the value of the part that runs. */
  if: (condition: Expr, then: Expr, otherwise?: Expr): Expr =>
    otherwise === undefined
      ? expr(Op.if, none, [condition, then])
      : expr(Op.if, then.type === never ? otherwise.type : then.type, [condition, then, otherwise]),
  br: (label: string, condition?: Expr): Expr =>
    condition === undefined ? expr(Op.br, never, nothing, 0, label) : expr(Op.brIf, none, [condition], 0, label),
  /** To the label at `index`, to `otherwise` beyond them. */
  switch: (labels: readonly string[], otherwise: string, index: Expr): Expr =>
    expr(Op.brTable, never, [index], 0, otherwise, 0, { labels }),
  return: (value: Expr): Expr => expr(Op.return, never, [value]),
  unreachable: (): Expr => expr(Op.unreachable, never, nothing),
  drop: (value: Expr): Expr => expr(Op.drop, none, [value]),
  select: (condition: Expr, then: Expr, otherwise: Expr): Expr =>
    expr(Op.select, then.type, [then, otherwise, condition]),
  call: (name: string, args: readonly Expr[], type: Type): Expr => expr(Op.call, type, args, 0, name),
  /** Through the table. */
  call_indirect: (index: Expr, args: readonly Expr[], params: readonly ValueType[], type: Type): Expr =>
    expr(Op.callIndirect, type, [...args, index], 0, undefined, 0, { params }),
} as const;
