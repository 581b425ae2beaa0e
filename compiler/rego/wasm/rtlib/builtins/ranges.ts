// Ranges of integers.

import { FAULT_MEMORY } from "../../../../../runtime/abi/layout";
import { arrayPush, newArray } from "../array";
import { charge } from "../budget";
import { abortWith } from "../host";
import { heapMark } from "../memory";
import { intOf, isInt, newInt } from "../number";
import { addBigs, bigMagnitude, bigNegative, bigOf, bigSign, bigValue, compareBigs, newBig, NO_BIG } from "../number/big";
import { natBits, natDivide, natLow } from "../number/nat";
import { isNumber } from "../value";

/** Longer ranges end the evaluation, as in OPA: were they undefined, `not` would make an answer of them. */
const MAX_LENGTH_BITS = 24;
const MAX_LENGTH: u64 = 1 << MAX_LENGTH_BITS;

function range(a: usize, b: usize, by: usize): usize {
  if (!isNumber(a) || !isNumber(b) || !isNumber(by)) return 0;
  if (!isInt(a) || !isInt(b) || !isInt(by)) return longRange(a, b, by);
  const x = intOf(a);
  const y = intOf(b);
  if (intOf(by) <= 0) return 0;
  const z = <u64>intOf(by);
  const last = (x <= y ? <u64>y - <u64>x : <u64>x - <u64>y) / z;
  if (last >= MAX_LENGTH) abortWith("memory limit exceeded", FAULT_MEMORY);
  charge(<i32>last);
  const result = newArray(<u32>last + 1);
  for (let i: u64 = 0; i <= last; i++) arrayPush(result, newInt(x <= y ? x + <i64>(i * z) : x - <i64>(i * z)));
  return result;
}

/** The same beyond 64 bits, and for integers that are written otherwise (1.0). */
function longRange(a: usize, b: usize, by: usize): usize {
  const from = bigOf(a);
  const to = bigOf(b);
  const step = bigOf(by);
  if (from == NO_BIG || to == NO_BIG || step == NO_BIG || bigSign(step) <= 0) return 0;
  const up = compareBigs(from, to) <= 0;
  const distance = addBigs(to, newBig(!bigNegative(from), bigMagnitude(from)));
  const last = natDivide(bigMagnitude(distance), bigMagnitude(step));
  if (natBits(last) > MAX_LENGTH_BITS) abortWith("memory limit exceeded", FAULT_MEMORY);
  const count = <u32>natLow(last) + 1;
  // Long integers cost more than short ones.
  charge(<i32>(count * <u32>(1 + (natBits(bigMagnitude(to)) >> 5))));
  const signed = newBig(!up, bigMagnitude(step));
  const result = newArray(count);
  let value = from;
  for (let i: u32 = 0; i < count; i++) {
    // The digits are made behind the next value, so that only they are released.
    const next = addBigs(value, signed);
    arrayPush(result, bigValue(value, heapMark()));
    value = next;
  }
  return result;
}

export function builtin_numbers_range(a: usize, b: usize): usize {
  return range(a, b, newInt(1));
}

export function builtin_numbers_range_step(a: usize, b: usize, step: usize): usize {
  return range(a, b, step);
}
