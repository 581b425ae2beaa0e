/**
 * Builtins in place of a call, where a few instructions do: type tests, comparisons and sums of integers, the length of an
 * array, and what inline-text.ts has. Whatever else the arguments may be is left to the builtin itself.
 */

import {
  COLLECTION_COUNT,
  NUMBER_INT,
  SCALAR_SIZE,
  SMALL_INT_COUNT,
  SMALL_INTS,
  TAG_ARRAY,
  TAG_BOOLEAN,
  TAG_NULL,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_SET,
  TAG_STRING,
  TRUE_VALUE,
  VALUE_TAG,
} from "@portcullis/runtime/abi";
import type { Operand, StmtOf } from "../plan/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import { inlineText, inlineTextTest } from "./inline-text.ts";
import { type Expr, i32 } from "./module/code.ts";
import { boolean, isTag } from "./type-tests.ts";

const TYPE_TESTS: Readonly<Record<string, number | undefined>> = {
  is_array: TAG_ARRAY,
  is_boolean: TAG_BOOLEAN,
  is_null: TAG_NULL,
  is_number: TAG_NUMBER,
  is_object: TAG_OBJECT,
  is_set: TAG_SET,
  is_string: TAG_STRING,
};

/** Comparisons, and the instructions that make them for two integers. */
const ORDERS: Readonly<Record<string, "ge_s" | "gt_s" | "le_s" | "lt_s" | undefined>> = {
  gt: "gt_s",
  gte: "ge_s",
  lt: "lt_s",
  lte: "le_s",
};

const SUMS: Readonly<Record<string, "add" | "sub" | undefined>> = { plus: "add", minus: "sub" };

/** Builtins that leave an integer as it is. */
const ROUNDINGS: ReadonlySet<string> = new Set(["ceil", "floor", "round"]);

/** The value, and whether it may be undefined. */
export interface Inline {
  readonly value: Expr;
  readonly mayBeUndefined: boolean;
}

/** Whether the value of a builtin is `true`; `undefined` for one that no few instructions tell of. */
export function inlineCondition(e: FunctionEmitter, stmt: StmtOf<"CallStmt">): Expr | undefined {
  const { m } = e;
  const { func, args } = stmt;
  const [a, b] = args;
  if (a === undefined || args.length > 2) return undefined;
  const tag = TYPE_TESTS[func];
  if (tag !== undefined) return isTag(e, a, tag);
  if (b === undefined) return undefined;
  if (func === "internal.member_2" && e.layout.constantOf(b)?.kind === "set")
    return e.call("constantMember", e.operand(b), e.operand(a));
  const builtin = e.layout.builtins.get(func);
  if (builtin?.kind !== "Native") return undefined;
  const internal = builtin.internal;
  const call = (): Expr => m.i32.eq(m.call(internal, [e.operand(a), e.operand(b)], i32), m.i32.const(TRUE_VALUE));
  const order = ORDERS[func];
  if (order === undefined) return inlineTextTest(e, stmt, call, (holds) => holds);
  return m.if(m.i32.and(isInt(e, a), isInt(e, b)), m.i64[order](int(e, a), int(e, b)), call());
}

/** `undefined` for a builtin that has to be called. */
export function inlineBuiltin(e: FunctionEmitter, stmt: StmtOf<"CallStmt">): Inline | undefined {
  const { m } = e;
  const { func, args } = stmt;
  const [a, b] = args;
  if (a === undefined || args.length > 2) return undefined;
  const isDefined = TYPE_TESTS[func] !== undefined || ORDERS[func] !== undefined || func === "internal.member_2";
  const condition = isDefined ? inlineCondition(e, stmt) : undefined;
  if (condition !== undefined) return { value: boolean(e, condition), mayBeUndefined: false };
  const builtin = e.layout.builtins.get(func);
  if (builtin?.kind !== "Native") return undefined;
  const call = (): Expr =>
    m.call(
      builtin.internal,
      args.map((arg) => e.operand(arg)),
      i32,
    );
  if (func === "count") {
    const length = e.temporary();
    const small = smallInt(e, () => m.local.get(length, i32));
    const value = m.if(
      m.i32.and(
        isTag(e, a, TAG_ARRAY),
        m.i32.lt_u(
          m.local.tee(length, m.i32.load(COLLECTION_COUNT, 4, e.operand(a)), i32),
          m.i32.const(SMALL_INT_COUNT),
        ),
      ),
      small,
      call(),
    );
    return { value, mayBeUndefined: true };
  }
  const text = inlineText(e, stmt, call);
  if (text !== undefined) return { value: text, mayBeUndefined: true };
  if (ROUNDINGS.has(func)) return { value: m.if(isInt(e, a), e.operand(a), call()), mayBeUndefined: true };
  if (b === undefined) return undefined;
  const sum = SUMS[func];
  if (sum === undefined) return undefined;
  const bothInts = m.i32.and(isInt(e, a), isInt(e, b));
  // Neither is negative or larger than 31 bits: then nothing wraps around, and a difference below 0 is a large number.
  const areShort = m.i64.lt_u(m.i64.or(int(e, a), int(e, b)), m.i64.const(0x7fffffffn));
  const result = (): Expr => m.i64[sum](int(e, a), int(e, b));
  const isSmall = m.i64.lt_u(result(), m.i64.const(BigInt(SMALL_INT_COUNT)));
  const fits = m.i32.and(m.i32.and(bothInts, areShort), isSmall);
  return {
    value: m.if(
      fits,
      smallInt(e, () => m.i32.wrap(result())),
      call(),
    ),
    mayBeUndefined: true,
  };
}

/** The value of an integer that is known to be less than SMALL_INT_COUNT. */
export function smallInt(e: FunctionEmitter, int: () => Expr): Expr {
  return e.m.i32.add(e.m.i32.const(SMALL_INTS), e.m.i32.mul(int(), e.m.i32.const(SCALAR_SIZE)));
}

/** The integer that a constant is, in few enough digits that it is held as 64 bits. */
export function knownInt(e: FunctionEmitter, o: Operand): bigint | undefined {
  const constant = e.layout.constantOf(o);
  return constant?.kind === "number" && /^(0|-?[1-9]\d{0,15})$/.test(constant.text) ? BigInt(constant.text) : undefined;
}

/** Whether it is a number that is held as 64 bits: one without flags. */
export function isInt(e: FunctionEmitter, o: Operand): Expr {
  if (knownInt(e, o) !== undefined) return e.m.i32.const(1);
  return e.m.i32.eq(e.m.i32.load16_u(VALUE_TAG, 2, e.operand(o)), e.m.i32.const(TAG_NUMBER));
}

/** Its 64 bits. */
export function int(e: FunctionEmitter, o: Operand): Expr {
  const known = knownInt(e, o);
  return known === undefined ? e.m.i64.load(NUMBER_INT, 8, e.operand(o)) : e.m.i64.const(known);
}
