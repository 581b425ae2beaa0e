// Arithmetic on numbers. Sums, differences and products of integers are exact at any size (big.ts); all else has 64 bits of
// precision, as OPA's has (float.ts).

import { heapMark, heapRelease } from "../memory";
import { fromFloat, intOf, isInt, newInt, toFloat } from "../number";
import { addBigs, bigOf, bigValue, mulBigs, NO_BIG, subBigs } from "./big";
import { floatAbs, floatAdd, floatMul, floatQuo, floatSub } from "./float";

const ADD = 0;
const SUB = 1;
const MUL = 2;
const QUO = 3;

function calculate(operation: i32, a: usize, b: usize): usize {
  const mark = heapMark();
  if (operation != QUO) {
    const p = bigOf(a);
    const q = p == NO_BIG ? NO_BIG : bigOf(b);
    if (q != NO_BIG)
      return bigValue(operation == ADD ? addBigs(p, q) : operation == SUB ? subBigs(p, q) : mulBigs(p, q), mark);
  }
  const x = toFloat(a);
  const y = toFloat(b);
  if (operation == QUO && y.zero) {
    heapRelease(mark);
    return 0;
  }
  const result =
    operation == ADD ? floatAdd(x, y) : operation == SUB ? floatSub(x, y) : operation == MUL ? floatMul(x, y) : floatQuo(x, y);
  return fromFloat(result, mark);
}

/** Sum of two numbers; like the others below 0 (undefined) where there is no result. */
export function addNumbers(a: usize, b: usize): usize {
  if (isInt(a) && isInt(b)) {
    const x = intOf(a);
    const y = intOf(b);
    const sum = x + y;
    // Overflow: both have the sign that the sum has not.
    if (((x ^ sum) & (y ^ sum)) >= 0) return newInt(sum);
  }
  return calculate(ADD, a, b);
}

export function subNumbers(a: usize, b: usize): usize {
  if (isInt(a) && isInt(b)) {
    const x = intOf(a);
    const y = intOf(b);
    const difference = x - y;
    if (((x ^ y) & (x ^ difference)) >= 0) return newInt(difference);
  }
  return calculate(SUB, a, b);
}

function fits31(x: i64): bool {
  return x > -0x80000000 && x < 0x80000000;
}

export function mulNumbers(a: usize, b: usize): usize {
  if (isInt(a) && isInt(b)) {
    const x = intOf(a);
    const y = intOf(b);
    const product = x * y;
    if ((fits31(x) && fits31(y)) || (x != 0 && x != -1 && product / x == y)) return newInt(product);
  }
  return calculate(MUL, a, b);
}

export function divNumbers(a: usize, b: usize): usize {
  if (isInt(a) && isInt(b)) {
    const y = intOf(b);
    if (y == 0) return 0;
    // The smallest integer by -1 would overflow, and zero by a negative number is -0.
    if (y != -1 && (y > 0 || intOf(a) != 0) && intOf(a) % y == 0) return newInt(intOf(a) / y);
  }
  return calculate(QUO, a, b);
}

export function absNumber(a: usize): usize {
  if (isInt(a) && intOf(a) != i64.MIN_VALUE) return intOf(a) < 0 ? newInt(-intOf(a)) : a;
  const mark = heapMark();
  return fromFloat(floatAbs(toFloat(a)), mark);
}
