/** Comparison, arithmetic, bits, aggregates, ranges. */

import { add, ceil, div, floor, mul, Num, neg, round, sub } from "../number.ts";
import { Arr, compare, equal, Obj, SetVal, type Val } from "../value.ts";
import { BuiltinError } from "./error.ts";
import { type Builtin, int, items, num } from "./operands.ts";

/** Sets subtract too. */
function minus(a: Val, b: Val): Val {
  if (a instanceof SetVal && b instanceof SetVal) return SetVal.of(a.items().filter((v) => !b.has(v)));
  return sub(num(a), num(b));
}

function rem(a: Val, b: Val): Val {
  const [x, y] = [int(a), int(b)];
  if (y === 0n) throw new BuiltinError("modulo by zero");
  return Num.of(x % y);
}

function range(from: bigint, to: bigint, step: bigint): Arr {
  const out: Val[] = [];
  if (from <= to) for (let i = from; i <= to; i += step) out.push(Num.of(i));
  else for (let i = from; i >= to; i -= step) out.push(Num.of(i));
  return new Arr(out);
}

/** The smallest or largest. */
function best(v: Val, sign: number): Val | undefined {
  const all = items(v);
  return all.length === 0 ? undefined : all.reduce((a, b) => (compare(b, a) * sign > 0 ? b : a));
}

const fold = (op: (a: Num, b: Num) => Num, start: number): Builtin => {
  return (v) => items(v as Val).reduce<Num>((a, b) => op(a, num(b)), Num.of(start));
};

function size(v: Val): Val {
  if (typeof v === "string") return Num.of([...v].length);
  if (v instanceof Obj) return Num.of(v.size);
  return Num.of(items(v).length);
}

export const numbers: Record<string, Builtin> = {
  eq: (a, b) => equal(a as Val, b as Val),
  equal: (a, b) => equal(a as Val, b as Val),
  neq: (a, b) => !equal(a as Val, b as Val),
  lt: (a, b) => compare(a as Val, b as Val) < 0,
  lte: (a, b) => compare(a as Val, b as Val) <= 0,
  gt: (a, b) => compare(a as Val, b as Val) > 0,
  gte: (a, b) => compare(a as Val, b as Val) >= 0,
  plus: (a, b) => add(num(a), num(b)),
  minus: (a, b) => minus(a as Val, b as Val),
  mul: (a, b) => mul(num(a), num(b)),
  div: (a, b) => {
    if (num(b).c === 0n) throw new BuiltinError("divide by zero");
    return div(num(a), num(b));
  },
  rem: (a, b) => rem(a as Val, b as Val),
  abs: (a) => (num(a).c < 0n ? neg(num(a)) : num(a)),
  round: (a) => round(num(a)),
  ceil: (a) => ceil(num(a)),
  floor: (a) => floor(num(a)),
  "bits.and": (a, b) => Num.of(int(a) & int(b)),
  "bits.or": (a, b) => Num.of(int(a) | int(b)),
  "bits.xor": (a, b) => Num.of(int(a) ^ int(b)),
  "bits.negate": (a) => Num.of(~int(a)),
  "bits.lsh": (a, b) => shift(int(a), int(b), 1n),
  "bits.rsh": (a, b) => shift(int(a), int(b), -1n),
  count: (a) => size(a as Val),
  sum: fold(add, 0),
  product: fold(mul, 1),
  max: (a) => best(a as Val, 1),
  min: (a) => best(a as Val, -1),
  sort: (a) => new Arr([...items(a)].sort(compare)),
  all: (a) => items(a).every((v) => v === true),
  any: (a) => items(a).some((v) => v === true),
  "numbers.range": (a, b) => range(int(a), int(b), 1n),
  "numbers.range_step": (a, b, s) => {
    if (int(s) <= 0n) throw new BuiltinError("step must be a positive number above zero");
    return range(int(a), int(b), int(s));
  },
  format_int: (a, b) => {
    const base = Number(int(b));
    if (![2, 8, 10, 16].includes(base)) throw new BuiltinError("operand 2 must be one of {2, 8, 10, 16}");
    return floor(num(a)).int.toString(base);
  },
  to_number: (a) => {
    if (a === null) return Num.of(0);
    if (typeof a === "boolean") return Num.of(a ? 1 : 0);
    if (typeof a === "string") {
      const n = Num.tryParse(a);
      if (n === undefined) throw new BuiltinError("invalid syntax");
      return n;
    }
    return num(a);
  },
};

function shift(a: bigint, by: bigint, sign: bigint): Num {
  if (by < 0n) throw new BuiltinError("shift amount must not be negative");
  return Num.of(sign > 0n ? a << by : a >> by);
}
