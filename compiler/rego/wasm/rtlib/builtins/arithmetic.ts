// Arithmetic on numbers, and difference of sets, which shares the minus sign.

import { heapMark, heapRelease } from "../memory";
import { fromFloat, intOf, isInt, newInt, toFloat } from "../number";
import { bigOf, bigSign, bigValue, NO_BIG, remBig } from "../number/big";
import { absNumber, addNumbers, divNumbers, mulNumbers, subNumbers } from "../number/calculate";
import {
  Float,
  floatAdd,
  floatFromInt,
  floatFromNat,
  floatHalf,
  floatIsInt,
  floatMagnitudeBits,
  floatSub,
  floatToNat,
} from "../number/float";
import { natLength } from "../number/nat";
import { isNumber, isSet } from "../value";
import { difference } from "./sets";

export function builtin_plus(a: usize, b: usize): usize {
  return isNumber(a) && isNumber(b) ? addNumbers(a, b) : 0;
}

export function builtin_minus(a: usize, b: usize): usize {
  if (isNumber(a) && isNumber(b)) return subNumbers(a, b);
  return isSet(a) && isSet(b) ? difference(a, b) : 0;
}

export function builtin_mul(a: usize, b: usize): usize {
  return isNumber(a) && isNumber(b) ? mulNumbers(a, b) : 0;
}

export function builtin_div(a: usize, b: usize): usize {
  return isNumber(a) && isNumber(b) ? divNumbers(a, b) : 0;
}

export function builtin_rem(a: usize, b: usize): usize {
  if (!isNumber(a) || !isNumber(b)) return 0;
  if (isInt(a) && isInt(b)) {
    const y = intOf(b);
    return y == 0 ? 0 : newInt(y == -1 ? 0 : intOf(a) % y);
  }
  const mark = heapMark();
  const x = bigOf(a);
  const y = bigOf(b);
  if (x == NO_BIG || y == NO_BIG || bigSign(y) == 0) {
    heapRelease(mark);
    return 0;
  }
  return bigValue(remBig(x, y), mark);
}

export function builtin_abs(a: usize): usize {
  return isNumber(a) ? absNumber(a) : 0;
}

const ROUND = 0;
const CEIL = 1;
const FLOOR = 2;

/**
 * OPA rounds half away from zero. Its ceil and floor begin with truncation and then look at the sign of what is left,
 * which has none when it is zero: ceil(-0.5) is 1, and floor(-0.5) is 0.
 */
function whole(a: usize, mode: i32): usize {
  if (!isNumber(a)) return 0;
  if (isInt(a)) return a;
  const mark = heapMark();
  let x = toFloat(a);
  if (mode == ROUND) x = x.negative ? floatSub(x, floatHalf()) : floatAdd(x, floatHalf());
  const exact = floatIsInt(x);
  let result = truncated(x);
  if (!exact) {
    if (mode == CEIL && !result.negative) result = floatAdd(result, floatFromInt(1));
    if (mode == FLOOR && result.negative) result = floatSub(result, floatFromInt(1));
  }
  return fromFloat(result, mark, max(64, floatMagnitudeBits(result)));
}

function truncated(x: Float): Float {
  const magnitude = floatToNat(x);
  return floatFromNat(x.negative && natLength(magnitude) != 0, magnitude, 0, false);
}

export function builtin_round(a: usize): usize {
  return whole(a, ROUND);
}

export function builtin_ceil(a: usize): usize {
  return whole(a, CEIL);
}

export function builtin_floor(a: usize): usize {
  return whole(a, FLOOR);
}
