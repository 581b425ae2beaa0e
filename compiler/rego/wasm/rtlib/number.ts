// Numbers. An integer that fits 64 bits and is written as one is kept in binary; any other number is kept as its decimal
// text, exactly as it was written or computed. Comparison and hashing are exact for both. Arithmetic: number/calculate.ts.

import {
  FLAG_TEXT,
  NUMBER_INT,
  NUMBER_TEXT,
  NUMBER_TEXT_LENGTH,
  SCALAR_SIZE,
  SMALL_INTS,
  SMALL_INT_COUNT,
  TAG_NUMBER,
  VALUE_FLAGS,
  VALUE_HASH,
} from "../../../../runtime/abi/layout";
import { Buffer, bufferCommit, bufferReserve, putBytes } from "./buffer";
import { finish, hashInt, mix } from "./hash";
import { alloc, heapMark, heapRelease } from "./memory";
import { Float, floatFromInt, floatFromText } from "./number/float";
import { floatText, textLength } from "./number/print";
import { compareViews, viewEnd, viewExponent, viewOf, viewSign, viewStart } from "./number/view";
import { initValue } from "./value";

/** Whether it is kept in binary: every integer of 64 bits that is not written with a point or an exponent. */
export function isInt(v: usize): bool {
  return (load<u8>(v, VALUE_FLAGS) & FLAG_TEXT) == 0;
}

/** The integer of a number that isInt. */
export function intOf(v: usize): i64 {
  return load<i64>(v, NUMBER_INT);
}

/** The index that any value is for an array, or -1. */
export function toIndex(v: usize): i32 {
  if (load<u8>(v) != TAG_NUMBER) return -1;
  const i = isInt(v) ? intOf(v) : readInt(v) ? readInteger : -1;
  return i >= 0 && i <= <i64>i32.MAX_VALUE ? <i32>i : -1;
}

/** What `readInt` or `readIntText` read. */
export let readInteger: i64 = 0;

/** Whether OPA takes it where an operand must be an integer, left in readInteger: `1.0` and `-0` too, no exponent. */
export function readInt(v: usize): bool {
  if (!isInt(v)) return readIntText(numberTextOf(v), numberTextLength(v));
  readInteger = intOf(v);
  return true;
}

/** The same of any text: a sign, and at most 19 characters that are digits or, behind a point, zeros. `.` is 0. */
export function readIntText(at: usize, length: u32): bool {
  const end = at + length;
  const negative = length > 0 && load<u8>(at) == 0x2d;
  if (negative || (length > 0 && load<u8>(at) == 0x2b)) at++;
  if (at == end || end - at > 19) return false;
  let value: u64 = 0;
  let fraction = false;
  for (; at < end; at++) {
    const digit = <u32>load<u8>(at) - 48;
    if (digit == <u32>-2 && !fraction) fraction = true;
    else if (digit > 9 || (fraction && digit != 0)) return false;
    else if (!fraction) value = value * 10 + digit;
  }
  if (value > (negative ? <u64>1 << 63 : <u64>i64.MAX_VALUE)) return false;
  readInteger = <i64>(negative ? 0 - value : value);
  return true;
}

/** The text of a number that is not isInt. */
export function numberTextOf(v: usize): usize {
  return load<u32>(v, NUMBER_TEXT);
}

export function numberTextLength(v: usize): u32 {
  return load<u32>(v, NUMBER_TEXT_LENGTH);
}

export function newInt(value: i64): usize {
  if (<u64>value < <u64>SMALL_INT_COUNT) return <usize>SMALL_INTS + (<usize>value) * <usize>SCALAR_SIZE;
  const v = alloc(SCALAR_SIZE);
  initInt(v, value);
  return v;
}

function initInt(v: usize, value: i64): void {
  initValue(v, TAG_NUMBER);
  store<i64>(v, value, NUMBER_INT);
}

/** Makes the small integers that are always there. */
export function initSmallInts(): void {
  for (let i: i64 = 0; i < <i64>SMALL_INT_COUNT; i++) {
    const v = <usize>SMALL_INTS + (<usize>i) * <usize>SCALAR_SIZE;
    initInt(v, i);
    store<u32>(v, hashInt(i), VALUE_HASH);
  }
}

/** The number of a JSON number text, which must be valid. Copied where it has to be kept. */
export function newNumber(text: usize, length: u32): usize {
  if (isIntText(text, length)) return newInt(parsedInt);
  // The copy comes first: text may lie in scratch space that this block reuses.
  const v = alloc(SCALAR_SIZE + length);
  memory.copy(v + SCALAR_SIZE, text, length);
  initValue(v, TAG_NUMBER | (FLAG_TEXT << 8));
  store<u32>(v, v + SCALAR_SIZE, NUMBER_TEXT);
  store<u32>(v, length, NUMBER_TEXT_LENGTH);
  return v;
}

let parsedInt: i64 = 0;

/** Whether the text is an integer of 64 bits written as such, left in parsedInt. `-0` is not. */
function isIntText(text: usize, length: u32): bool {
  const negative = load<u8>(text) == 45;
  const digits = negative ? length - 1 : length;
  if (digits > 19) return false;
  const end = text + length;
  let value: u64 = 0;
  for (let at = negative ? text + 1 : text; at < end; at++) {
    const digit = <u32>load<u8>(at) - 48;
    if (digit > 9) return false;
    value = value * 10 + digit;
  }
  if (negative) {
    if (value == 0 || value > 1 << 63) return false;
    parsedInt = <i64>(0 - value);
  } else {
    if (value >= 1 << 63) return false;
    parsedInt = <i64>value;
  }
  return true;
}

// Comparison ---------------------------------------------------------------------------------------------------------

/** Negative, 0 or positive. */
export function compareNumbers(a: usize, b: usize): i32 {
  if (isInt(a) && isInt(b)) return <i32>(intOf(a) > intOf(b)) - <i32>(intOf(a) < intOf(b));
  return compareViews(viewOf(a, 0), viewOf(b, 1));
}

export function equalNumbers(a: usize, b: usize): bool {
  if (isInt(a) && isInt(b)) return intOf(a) == intOf(b);
  return compareViews(viewOf(a, 0), viewOf(b, 1)) == 0;
}

/**
 * Equal numbers have equal hashes, however they are written: an integer of 64 bits the one of its value, any other the
 * one of its sign, decimal exponent and significant digits.
 */
export function hashNumber(v: usize): u32 {
  if (isInt(v)) return hashInt(intOf(v));
  const view = viewOf(v, 0);
  const sign = viewSign(view);
  const exponent = viewExponent(view);
  const end = viewEnd(view);
  let at = viewStart(view);
  let h = mix(mix(mix(TAG_NUMBER, <u32>sign), <u32>exponent), <u32>(exponent >> 32));
  let value: u64 = 0;
  let count: i64 = 0;
  for (; at < end; at++) {
    const digit = <u32>load<u8>(at) - 48;
    if (digit > 9) continue;
    h = mix(h, digit);
    if (count < 19) value = value * 10 + digit;
    count++;
  }
  if (count <= exponent && exponent <= 19) {
    for (; count < exponent; count++) value *= 10;
    if (sign < 0 ? value <= 1 << 63 : value < 1 << 63) return hashInt(sign < 0 ? <i64>(0 - value) : <i64>value);
  }
  return finish(h);
}

// Text ---------------------------------------------------------------------------------------------------------------

/** Appends the number as JSON text. */
export function putNumber(b: Buffer, v: usize): void {
  if (!isInt(v)) {
    putBytes(b, numberTextOf(v), numberTextLength(v));
    return;
  }
  putInt(b, intOf(v));
}

export function putInt(b: Buffer, value: i64): void {
  let magnitude: u64 = value < 0 ? 0 - <u64>value : <u64>value;
  let length: u32 = value < 0 ? 2 : 1;
  for (let rest = magnitude; rest > 9; rest /= 10) length++;
  let at = bufferReserve(b, length) + length;
  bufferCommit(b, length);
  do {
    at--;
    store<u8>(at, 48 + <u8>(magnitude % 10));
    magnitude /= 10;
  } while (magnitude != 0);
  if (value < 0) store<u8>(at - 1, 45);
}

// Floats -------------------------------------------------------------------------------------------------------------

/** In scratch space. A number that is too long for arithmetic ends the evaluation. */
export function toFloat(v: usize): Float {
  if (isInt(v)) return floatFromInt(intOf(v));
  const text = numberTextOf(v);
  return floatFromText(text, text + numberTextLength(v));
}

/**
 * A number of a float in scratch space, which is released: `mark` is the heap mark from before the computation.
 * INVARIANT: the float's own block lies between the mark and the text, so that the new value cannot run over the text.
 */
export function fromFloat(f: Float, mark: usize, precision: i32 = 64): usize {
  if (f.zero && !f.negative) {
    heapRelease(mark);
    return newInt(0);
  }
  const text = floatText(f, precision);
  heapRelease(mark);
  return newNumber(text, textLength);
}

