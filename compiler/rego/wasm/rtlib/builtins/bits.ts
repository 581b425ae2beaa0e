// Bit operations on integers of any size, in two's complement of unlimited width, as Go's big integers have them.

import { FAULT_MEMORY } from "../../../../../runtime/abi/layout";
import { abortWith } from "../host";
import { heapMark, heapRelease } from "../memory";
import { intOf, isInt, newInt } from "../number";
import { addBigs, Big, bigFromInt, bigMagnitude, bigNegative, bigOf, bigSign, bigValue, newBig, NO_BIG } from "../number/big";
import { natAnyLowBit, natBits, natCombine, natLength, natLow, natMulAdd, natShiftLeft, natShiftRight } from "../number/nat";
import { isNumber } from "../value";

/** Results with more bits end the evaluation: were they undefined, `not` would make an answer of them. */
const MAX_BITS: i32 = 1 << 18;

const AND = 0;
const OR = 1;
const XOR = 2;

function combine(a: usize, b: usize, operation: i32): usize {
  if (!isNumber(a) || !isNumber(b)) return 0;
  if (isInt(a) && isInt(b)) {
    const x = intOf(a);
    const y = intOf(b);
    return newInt(operation == AND ? x & y : operation == OR ? x | y : x ^ y);
  }
  const mark = heapMark();
  const x = bigOf(a);
  const y = bigOf(b);
  if (x == NO_BIG || y == NO_BIG) {
    heapRelease(mark);
    return 0;
  }
  const p = bigNegative(x);
  const q = bigNegative(y);
  const negative = operation == AND ? p && q : operation == OR ? p || q : p != q;
  const magnitude = natCombine(bigMagnitude(x), p, bigMagnitude(y), q, operation, negative);
  return bigValue(newBig(negative, magnitude), mark);
}

export function builtin_bits_and(a: usize, b: usize): usize {
  return combine(a, b, AND);
}

export function builtin_bits_or(a: usize, b: usize): usize {
  return combine(a, b, OR);
}

export function builtin_bits_xor(a: usize, b: usize): usize {
  return combine(a, b, XOR);
}

export function builtin_bits_negate(a: usize): usize {
  if (!isNumber(a)) return 0;
  if (isInt(a)) return newInt(~intOf(a));
  const mark = heapMark();
  const x = bigOf(a);
  if (x == NO_BIG) {
    heapRelease(mark);
    return 0;
  }
  // ~x is -x - 1.
  return bigValue(addBigs(newBig(!bigNegative(x), bigMagnitude(x)), bigFromInt(-1)), mark);
}

/** The bits to shift by, -1 for none: of integers beyond 64 bits the low ones, as in OPA. Large numbers saturate. */
function shiftOf(b: Big): i64 {
  if (b == NO_BIG || bigSign(b) < 0) return -1;
  return <i64>min<u64>(natLow(bigMagnitude(b)), 1 << 32);
}

export function builtin_bits_lsh(a: usize, b: usize): usize {
  if (!isNumber(a) || !isNumber(b)) return 0;
  const mark = heapMark();
  const x = bigOf(a);
  const shift = shiftOf(bigOf(b));
  if (x == NO_BIG || shift < 0) {
    heapRelease(mark);
    return 0;
  }
  if (bigSign(x) == 0) {
    heapRelease(mark);
    return newInt(0);
  }
  if (shift + <i64>natBits(bigMagnitude(x)) > <i64>MAX_BITS) abortWith("memory limit exceeded", FAULT_MEMORY);
  return bigValue(newBig(bigNegative(x), natShiftLeft(bigMagnitude(x), <i32>shift)), mark);
}

/** Rounds towards negative infinity. */
export function builtin_bits_rsh(a: usize, b: usize): usize {
  if (!isNumber(a) || !isNumber(b)) return 0;
  const mark = heapMark();
  const x = bigOf(a);
  const wanted = shiftOf(bigOf(b));
  if (x == NO_BIG || wanted < 0) {
    heapRelease(mark);
    return 0;
  }
  const magnitude = bigMagnitude(x);
  const shift = <i32>min<i64>(wanted, <i64>(natLength(magnitude) << 5));
  let shifted = natShiftRight(magnitude, shift);
  if (bigNegative(x) && natAnyLowBit(magnitude, shift)) shifted = natMulAdd(shifted, 1, 1);
  return bigValue(newBig(bigNegative(x), shifted), mark);
}
