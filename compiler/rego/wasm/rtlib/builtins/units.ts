// Amounts with units: 10K, 1.5Gi, 200m; and the same for bytes.

import { Buffer, bufferBytes, bufferLength, newBuffer, putByte, putBytes } from "../buffer";
import { heapMark } from "../memory";
import { newNumber } from "../number";
import { bigValue, newBig } from "../number/big";
import { Float, floatFromText, floatMul, floatFromNat, floatToNat, endAsTooLong, MAX_DIGITS } from "../number/float";
import {
  Nat,
  natCompare,
  natDigitCount,
  natDigits,
  natDivide,
  natFrom,
  natFromDigits,
  natLength,
  natMul,
  natMulAdd,
  natPow5,
  natRemainder,
  natShiftLeft,
} from "../number/nat";
import { exponentOf } from "../number/view";
import { bytesOf, lengthOf } from "../string";
import { isString } from "../value";

/** Larger decimal exponents end the evaluation. */
const MAX_EXPONENT: i64 = 5000;
/** Larger ones are no number, as in Go. */
const LARGEST_EXPONENT: i64 = 1000000;

let amountEnd: usize = 0;

/** Where the number ends and the unit begins; an `e` belongs to the number if a digit or a sign follows. */
function splitAmount(at: usize, end: usize): void {
  const start = at;
  for (; at < end; at++) {
    const c: u32 = load<u8>(at);
    if (c - 48 < 10 || c == 46 || c == 43 || c == 45) continue;
    if ((c | 32) != 101 || at + 1 == end) break;
    const next: u32 = load<u8>(at, 1);
    if (next - 48 >= 10 && next != 43 && next != 45) break;
    if (next == 43 || next == 45) at++;
  }
  amountEnd = at > end ? end : at;
  if (amountEnd < start) amountEnd = start;
}

/** The text without quotes, in lower case if asked; 0 if it holds a space. */
function cleaned(text: usize, lower: bool): Buffer {
  const b = newBuffer(lengthOf(text));
  const end = bytesOf(text) + lengthOf(text);
  for (let at = bytesOf(text); at < end; at++) {
    const c: u32 = load<u8>(at);
    if (c == 32) return 0;
    if (c != 34) putByte(b, lower && c - 65 < 26 ? c + 32 : c);
  }
  return b;
}

const KILO: u64 = 1000;
const KIBI_BITS = 10;

/** Power of the unit of a letter: 1 for k up to 6 for e; 0 for other letters. */
function powerOf(letter: u32): i32 {
  switch (letter) {
    case 107:
      return 1;
    case 109:
      return 2;
    case 103:
      return 3;
    case 116:
      return 4;
    case 112:
      return 5;
    case 101:
      return 6;
    default:
      return 0;
  }
}

function factor(power: i32, binary: bool): u64 {
  if (binary) return (<u64>1) << (KIBI_BITS * power);
  let value: u64 = 1;
  for (; power > 0; power--) value *= KILO;
  return value;
}

/** Whether the text is a number: [+-]digits[.digits][e[+-]digits], digits on one side of the point at least. */
function isAmount(at: usize, end: usize): bool {
  if (at < end && (load<u8>(at) == 43 || load<u8>(at) == 45)) at++;
  let digits = 0;
  let points = 0;
  for (; at < end; at++) {
    const c: u32 = load<u8>(at);
    if (c == 46) points++;
    else if (c - 48 < 10) digits++;
    else break;
  }
  if (digits == 0 || points > 1) return false;
  if (at == end) return true;
  if ((load<u8>(at) | 32) != 101) return false;
  at++;
  if (at < end && (load<u8>(at) == 43 || load<u8>(at) == 45)) at++;
  if (at == end) return false;
  for (; at < end; at++) if (<u32>load<u8>(at) - 48 >= 10) return false;
  return true;
}

export function builtin_units_parse_bytes(text: usize): usize {
  if (!isString(text)) return 0;
  const b = cleaned(text, true);
  if (b == 0) return 0;
  const start = bufferBytes(b);
  const end = start + bufferLength(b);
  splitAmount(start, end);
  const stop = amountEnd;
  if (stop == start || !isAmount(start, stop)) return 0;
  const scale = byteUnit(stop, end);
  if (scale == 0) return 0;
  const mark = heapMark();
  // floatFromText knows no plus sign.
  const f = floatFromText(load<u8>(start) == 43 ? start + 1 : start, stop);
  const product: Float = floatMul(f, floatFromNat(false, natFrom(scale), 0, false));
  return bigValue(newBig(product.negative, floatToNat(product)), mark);
}

/** k, kb, ki, kib and so on; 0 if it is no unit. */
function byteUnit(at: usize, end: usize): u64 {
  const n = <i32>(end - at);
  if (n == 0) return 1;
  const power = powerOf(load<u8>(at));
  if (power == 0 || n > 3) return 0;
  if (n == 1) return factor(power, false);
  const second = load<u8>(at, 1);
  if (n == 2) return second == 98 ? factor(power, false) : second == 105 ? factor(power, true) : 0;
  return second == 105 && load<u8>(at, 2) == 98 ? factor(power, true) : 0;
}

/** Exact, since amounts may be fractions: whole numbers as they are, others with ten digits behind the point. */
export function builtin_units_parse(text: usize): usize {
  if (!isString(text)) return 0;
  const b = cleaned(text, false);
  if (b == 0) return 0;
  const start = bufferBytes(b);
  const end = start + bufferLength(b);
  splitAmount(start, end);
  const stop = amountEnd;
  if (stop == start || !isAmount(start, stop)) return 0;
  const n = <i32>(end - stop);
  if (n > 2) return 0;
  let letter: u32 = n > 0 ? load<u8>(stop) : 0;
  if (n == 2) {
    // Ki and ki, Mi and mi; the second letter in either case.
    if ((load<u8>(stop, 1) | 32) != 105 || powerOf(letter | 32) == 0) return 0;
    return ratio(start, stop, factor(powerOf(letter | 32), true), false);
  }
  if (letter == 109) return ratio(start, stop, 1, true);
  if (letter == 77) letter = 109;
  if (n == 1 && powerOf(letter | 32) == 0) return 0;
  return ratio(start, stop, n == 0 ? 1 : factor(powerOf(letter | 32), false), false);
}

/** The double nearest to 0.001, which is what OPA multiplies by: this many 2**-62ths. */
const MILLI_MANTISSA: u64 = 0x10624dd2f1a9fc;
const MILLI_SHIFT = 62;

/** amount * scale (or * 0.001) as a number. */
function ratio(at: usize, stop: usize, scale: u64, milli: bool): usize {
  const mark = heapMark();
  const negative = load<u8>(at) == 45;
  if (negative || load<u8>(at) == 43) at++;
  let mantissaEnd = at;
  let point: usize = 0;
  while (mantissaEnd < stop && (load<u8>(mantissaEnd) | 32) != 101) {
    if (load<u8>(mantissaEnd) == 46) point = mantissaEnd;
    mantissaEnd++;
  }
  let power: i64 = point == 0 ? 0 : -<i64>(mantissaEnd - point - 1);
  if (mantissaEnd < stop) power += exponentOf(mantissaEnd + 1, stop);
  if (power > LARGEST_EXPONENT || power < -LARGEST_EXPONENT) return 0;
  const isLong = mantissaEnd - at > <usize>MAX_DIGITS;
  if (isLong || power > MAX_EXPONENT || power < -MAX_EXPONENT - <i64>MAX_DIGITS) endAsTooLong();
  let top = natMul(natFromDigits(at, mantissaEnd), natFrom(scale));
  let bottom = natFrom(1);
  if (milli) {
    top = natMul(top, natFrom(MILLI_MANTISSA));
    bottom = natShiftLeft(bottom, MILLI_SHIFT);
  }
  if (power >= 0) top = natShiftLeft(natMul(top, natPow5(<i32>power)), <i32>power);
  else bottom = natShiftLeft(natMul(bottom, natPow5(<i32>-power)), <i32>-power);
  const whole = natDivide(top, bottom);
  if (natLength(natRemainder) == 0) return bigValue(newBig(negative, whole), mark);
  return withTenDigits(negative, top, bottom);
}

/** Rounded half up at the tenth digit. */
function withTenDigits(negative: bool, top: Nat, bottom: Nat): usize {
  let scaled = natDivide(natMul(top, natFrom(10000000000)), bottom);
  if (natCompare(natShiftLeft(natRemainder, 1), bottom) >= 0) scaled = natMulAdd(scaled, 1, 1);
  const digits = natDigits(scaled, 10);
  const count = natDigitCount;
  const b = newBuffer(<u32>count + 16);
  if (negative) putByte(b, 45);
  for (let i = 0; i < 11 - count; i++) putByte(b, 48);
  putBytes(b, digits, count);
  // The point goes in front of the last ten.
  const end = bufferBytes(b) + bufferLength(b);
  putByte(b, 48);
  memory.copy(end - 9, end - 10, 10);
  store<u8>(end - 10, 46);
  return newNumber(bufferBytes(b), bufferLength(b));
}
