// Numbers from text and to text.

import { abortWith } from "../host";
import { alloc, heapMark, heapRelease } from "../memory";
import { intOf, isInt, newInt, newNumber, numberTextLength, numberTextOf, toFloat } from "../number";
import { Big, bigOf, bigText, bigTextLength, newBig, NO_BIG } from "../number/big";
import { readDouble } from "../number/double";
import { floatToNat } from "../number/float";
import { bytesOf, copyString, lengthOf } from "../string";
import { isBoolean, isNull, isNumber, isString, isTrue } from "../value";

/** Towards zero, in base 2, 8, 10 or 16. Exact for integers written as such. */
export function builtin_format_int(number: usize, base: usize): usize {
  if (!isNumber(number) || !isNumber(base) || !isInt(base)) return 0;
  const radix = intOf(base);
  if (radix != 2 && radix != 8 && radix != 10 && radix != 16) return 0;
  const mark = heapMark();
  if (isInt(number) || isPlain(number)) {
    const whole = bigOf(number);
    if (whole != NO_BIG) return digitsOf(whole, <u32>radix, mark);
  }
  const f = toFloat(number);
  return digitsOf(newBig(f.negative, floatToNat(f)), <u32>radix, mark);
}

/** Whether it is written without a point and without an exponent. */
function isPlain(number: usize): bool {
  const end = numberTextOf(number) + numberTextLength(number);
  for (let at = numberTextOf(number); at < end; at++) if (load<u8>(at) != 45 && !isDigit(load<u8>(at))) return false;
  return true;
}

function digitsOf(whole: Big, radix: u32, mark: usize): usize {
  const text = bigText(whole, radix);
  // The text is far enough behind the mark for the new string's head not to run over it.
  heapRelease(mark);
  return copyString(text, bigTextLength);
}

/** Strings must be what Go reads as a float64 in range; the result is that number, exactly, as JSON writes it. */
export function builtin_to_number(v: usize): usize {
  if (isNumber(v)) return v;
  if (isNull(v)) return newInt(0);
  if (isBoolean(v)) return newInt(isTrue(v) ? 1 : 0);
  return isString(v) ? parse(bytesOf(v), lengthOf(v)) : 0;
}

function isDigit(byte: u32): bool {
  return byte - 48 < 10;
}

/** [+-] digits [. digits] [e [+-] digits], either digits may be missing; underscores only between digits. */
function parse(from: usize, length: u32): usize {
  const end = from + length;
  // JSON wants digits on both sides of a point, and no leading zeros or plus sign: write it that way.
  const out = alloc(length + 4);
  let to = out;
  let at = from;
  if (at < end && (load<u8>(at) == 43 || load<u8>(at) == 45)) {
    if (load<u8>(at) == 45) store<u8>(to++, 45);
    at++;
  }
  if (end - at > 2 && load<u8>(at) == 48 && (load<u8>(at, 1) | 32) == 120) return hexadecimal(at + 2, end);
  const wholeStart = at;
  while (at < end && (load<u8>(at) == 48 || load<u8>(at) == 95)) at++;
  const whole = to;
  while (at < end && (isDigit(load<u8>(at)) || load<u8>(at) == 95)) {
    if (load<u8>(at) != 95) store<u8>(to++, load<u8>(at));
    at++;
  }
  let digits = digitsIn(wholeStart, at);
  if (to == whole) store<u8>(to++, 48);
  if (at < end && load<u8>(at) == 46) {
    at++;
    const fraction = at;
    store<u8>(to++, 46);
    while (at < end && (isDigit(load<u8>(at)) || load<u8>(at) == 95)) {
      if (load<u8>(at) != 95) store<u8>(to++, load<u8>(at));
      at++;
    }
    if (digitsIn(fraction, at) == 0) to--;
    digits += digitsIn(fraction, at);
  }
  if (digits == 0) return 0;
  if (at < end && (load<u8>(at) | 32) == 101) {
    store<u8>(to++, load<u8>(at++));
    if (at < end && (load<u8>(at) == 43 || load<u8>(at) == 45)) store<u8>(to++, load<u8>(at++));
    const exponent = at;
    while (at < end && (isDigit(load<u8>(at)) || load<u8>(at) == 95)) {
      if (load<u8>(at) != 95) store<u8>(to++, load<u8>(at));
      at++;
    }
    if (digitsIn(exponent, at) == 0) return 0;
  }
  if (at != end || !underscoresBetweenDigits(from, end) || !readDouble(out, to)) return 0;
  return newNumber(out, <u32>(to - out));
}

/** Go reads a hexadecimal number where its exponent (`p`) is written. We do not: were it undefined, `not` would answer. */
function hexadecimal(at: usize, end: usize): usize {
  for (; at < end; at++) if ((load<u8>(at) | 32) == 112) abortWith("to_number of a hexadecimal number");
  return 0;
}

function digitsIn(from: usize, to: usize): u32 {
  let count: u32 = 0;
  for (; from < to; from++) if (isDigit(load<u8>(from))) count++;
  return count;
}

function underscoresBetweenDigits(from: usize, end: usize): bool {
  for (let at = from; at < end; at++) {
    if (load<u8>(at) != 95) continue;
    if (at == from || at + 1 == end || !isDigit(load<u8>(at - 1)) || !isDigit(load<u8>(at, 1))) return false;
  }
  return true;
}
