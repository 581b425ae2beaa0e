// Integers of any size with a sign, in scratch space: for remainders, bit operations, formatting and ranges.
//
//   +0  i32   sign: 1 for negative numbers, else 0
//   +4  u32   Nat of the magnitude

import { heapRelease } from "../memory";
import { intOf, isInt, newInt, newNumber, numberTextLength } from "../number";
import { endAsTooLong, MAX_DIGITS, MAX_EXPONENT } from "./float";
import {
  Nat,
  natAdd,
  natBits,
  natCompare,
  natDigitCount,
  natDigits,
  natDivide,
  natFrom,
  natFromDigits,
  natLength,
  natLow,
  natMul,
  natPow5,
  natRemainder,
  natShiftLeft,
  natSub,
} from "./nat";
import { scratch } from "./scratch";
import { viewEnd, viewExponent, viewOf, viewSign, viewStart } from "./view";

export type Big = usize;

export const NO_BIG: Big = 0;

export function newBig(negative: bool, magnitude: Nat): Big {
  const b = scratch(8);
  store<i32>(b, negative && natLength(magnitude) != 0 ? 1 : 0);
  store<u32>(b, <u32>magnitude, 4);
  return b;
}

export function bigNegative(b: Big): bool {
  return load<i32>(b) != 0;
}

export function bigMagnitude(b: Big): Nat {
  return load<u32>(b, 4);
}

/** -1, 0 or 1. */
export function bigSign(b: Big): i32 {
  return natLength(bigMagnitude(b)) == 0 ? 0 : bigNegative(b) ? -1 : 1;
}

export function bigFromInt(value: i64): Big {
  return newBig(value < 0, natFrom(value < 0 ? 0 - <u64>value : <u64>value));
}

/** The integer that a number value is, exactly, however it is written (1.0, 1e30); NO_BIG for fractions. */
export function bigOf(v: usize): Big {
  if (isInt(v)) return bigFromInt(intOf(v));
  if (numberTextLength(v) > <u32>MAX_DIGITS) endAsTooLong();
  const view = viewOf(v, 0);
  if (viewSign(view) == 0) return newBig(false, natFrom(0));
  const start = viewStart(view);
  const end = viewEnd(view);
  let digits: i64 = 0;
  for (let at = start; at < end; at++) if (load<u8>(at) != 46) digits++;
  // The view has no trailing zeros: digits behind the point are a fraction.
  const zeros = viewExponent(view) - digits;
  if (zeros < 0) return NO_BIG;
  if (zeros > MAX_EXPONENT) endAsTooLong();
  const significant = natFromDigits(start, end);
  const power = <i32>zeros;
  const magnitude = power == 0 ? significant : natShiftLeft(natMul(significant, natPow5(power)), power);
  return newBig(viewSign(view) < 0, magnitude);
}

/** A number value; scratch space is released back to `mark`. */
export function bigValue(b: Big, mark: usize): usize {
  const magnitude = bigMagnitude(b);
  if (natBits(magnitude) < 64) {
    const low = <i64>natLow(magnitude);
    const negative = bigNegative(b);
    heapRelease(mark);
    return newInt(negative ? -low : low);
  }
  const text = bigText(b, 10);
  heapRelease(mark);
  return newNumber(text, bigTextLength);
}

export let bigTextLength: u32 = 0;

/** Digits in base 2 to 16 with a minus sign; leaves bigTextLength. */
export function bigText(b: Big, base: u32): usize {
  let at = natDigits(bigMagnitude(b), base);
  bigTextLength = <u32>natDigitCount;
  if (bigNegative(b)) {
    // natDigits fills a block from its end, with room for a sign before the digits.
    at--;
    store<u8>(at, 45);
    bigTextLength++;
  }
  return at;
}

export function compareBigs(a: Big, b: Big): i32 {
  const sign = bigSign(a);
  if (sign != bigSign(b)) return sign < bigSign(b) ? -1 : 1;
  const order = natCompare(bigMagnitude(a), bigMagnitude(b));
  return sign < 0 ? -order : order;
}

export function addBigs(a: Big, b: Big): Big {
  const x = bigMagnitude(a);
  const y = bigMagnitude(b);
  if (bigNegative(a) == bigNegative(b)) return newBig(bigNegative(a), natAdd(x, y));
  return natCompare(x, y) >= 0 ? newBig(bigNegative(a), natSub(x, y)) : newBig(bigNegative(b), natSub(y, x));
}

export function subBigs(a: Big, b: Big): Big {
  return addBigs(a, newBig(!bigNegative(b), bigMagnitude(b)));
}

export function mulBigs(a: Big, b: Big): Big {
  return newBig(bigNegative(a) != bigNegative(b), natMul(bigMagnitude(a), bigMagnitude(b)));
}

/** Remainder of a division that rounds towards zero, so that it has the sign of `a`. */
export function remBig(a: Big, b: Big): Big {
  natDivide(bigMagnitude(a), bigMagnitude(b));
  return newBig(bigNegative(a), natRemainder);
}
