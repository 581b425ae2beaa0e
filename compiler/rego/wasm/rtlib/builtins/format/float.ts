// Floating point numbers in Go's fmt. The number is the double that number/double.ts read last.

import { Buffer, bufferBytes, bufferLength, newBuffer, putByte, putBytes } from "../../buffer";
import { putInt } from "../../number";
import { Decimal, decimalFrom, decimalOfDouble, decimalRound } from "../../number/decimal";
import { doubleExponent, doubleMantissa, doubleNegative } from "../../number/double";
import { natFrom } from "../../number/nat";
import { layoutExponent, layoutFixed, SHORTEST_LIMIT, textLength } from "../../number/print";
import { hexDigit } from "../bytes";
import { hasPrecision, hasWidth, minus, plus, precision, putPadded, putRepeated, sharp, space, width, zero } from "./state";

/** False if the verb is not for floats. `wanted` is the verb of the text: v is g. */
export function putFloat(b: Buffer, verb: u32): bool {
  let layout = verb;
  let digits = -1;
  switch (verb) {
    case 118:
      layout = 103;
      break;
    case 98:
    case 103:
    case 71:
    case 120:
    case 88:
      break;
    case 102:
    case 101:
    case 69:
      digits = 6;
      break;
    case 70:
      layout = 102;
      digits = 6;
      break;
    default:
      return false;
  }
  if (hasPrecision) digits = precision;
  const text = newBuffer();
  putUnsigned(text, layout, digits);
  if (sharp && layout != 98) restorePoint(text, layout, digits);
  putSigned(b, text);
  return true;
}

/** The magnitude as strconv writes it. */
function putUnsigned(b: Buffer, layout: u32, digits: i32): void {
  if (layout == 98) {
    putInt(b, <i64>doubleMantissa);
    putByte(b, 112);
    if (doubleExponent >= 0) putByte(b, 43);
    putInt(b, doubleExponent);
    return;
  }
  if ((layout | 32) == 120) {
    putHexFloat(b, digits, layout == 88);
    return;
  }
  const shortest = digits < 0;
  const d = shortest
    ? decimalOfDouble(doubleMantissa, doubleExponent)
    : decimalFrom(natFrom(doubleMantissa), doubleExponent);
  let at: usize;
  if ((layout | 32) == 101) {
    if (shortest) digits = max(d.count - 1, 0);
    else decimalRound(d, digits + 1);
    at = layoutExponent(false, d, digits, <u8>layout);
  } else if (layout == 102) {
    if (shortest) digits = max(d.count - d.exponent, 0);
    else decimalRound(d, d.exponent + digits);
    at = layoutFixed(false, d, digits);
  } else {
    at = general(d, digits, shortest, <u8>(layout - 2));
  }
  putBytes(b, at, textLength);
}

/** %g: an exponent where the number is very small, or has more digits before the point than are asked for. */
function general(d: Decimal, digits: i32, shortest: bool, letter: u8): usize {
  if (shortest) {
    digits = SHORTEST_LIMIT;
  } else {
    if (digits == 0) digits = 1;
    decimalRound(d, digits);
  }
  let limit = digits;
  if (limit > d.count && d.count >= d.exponent) limit = d.count;
  if (shortest) limit = SHORTEST_LIMIT;
  const exponent = d.exponent - 1;
  if (exponent < -4 || exponent >= limit) {
    const shown = shortest || digits > d.count ? d.count : digits;
    return layoutExponent(false, d, max(shown - 1, 0), letter);
  }
  return layoutFixed(false, d, max(d.count - d.exponent, 0));
}

/** 0x1.8p+01 */
function putHexFloat(b: Buffer, digits: i32, upper: bool): void {
  let mantissa = doubleMantissa;
  let exponent = 0;
  if (mantissa != 0) {
    // The leading one at bit 60: 15 hexadecimal digits behind it.
    const shift = <i32>clz<u64>(mantissa) - 3;
    mantissa <<= shift;
    exponent = doubleExponent + 60 - shift;
    if (digits >= 0 && digits < 15) {
      const extra = <u64>mantissa << (4 + digits * 4);
      const half: u64 = 1 << 63;
      mantissa >>= 60 - digits * 4;
      if (extra > half || (extra == half && (mantissa & 1) != 0)) mantissa++;
      mantissa <<= 60 - digits * 4;
      if ((mantissa & (1 << 61)) != 0) {
        mantissa >>= 1;
        exponent++;
      }
    }
  }
  putByte(b, 48);
  putByte(b, upper ? 88 : 120);
  putByte(b, 48 + <u32>((mantissa >> 60) & 1));
  mantissa <<= 4;
  if (digits < 0 ? mantissa != 0 : digits > 0) {
    putByte(b, 46);
    for (let i = 0; digits < 0 ? mantissa != 0 : i < digits; i++) {
      putByte(b, hexDigit(<u32>(mantissa >> 60), upper));
      mantissa <<= 4;
    }
  }
  putByte(b, upper ? 80 : 112);
  putByte(b, exponent < 0 ? 45 : 43);
  if (exponent < 0) exponent = -exponent;
  if (exponent < 10) putByte(b, 48);
  putInt(b, exponent);
}

/** With #: always a point, and %g keeps its zeros. */
function restorePoint(b: Buffer, layout: u32, digits: i32): void {
  const lower = layout | 32;
  let missing = 0;
  if (lower == 103 || layout == 120) missing = digits < 0 ? 6 : digits;
  const from = bufferBytes(b);
  const length = bufferLength(b);
  const hexadecimal = lower == 120;
  let stop: u32 = 0;
  let point = false;
  let seen = false;
  for (; stop < length; stop++) {
    const c: u32 = load<u8>(from + stop);
    if ((c | 32) == 112 || (!hexadecimal && (c | 32) == 101)) break;
    if (c == 46) {
      point = true;
      continue;
    }
    if (c != 48) seen = true;
    if (seen) missing--;
  }
  const tailLength = length - stop;
  const tail = newBuffer();
  putBytes(tail, from + stop, tailLength);
  store<u32>(b, stop, 4);
  if (!point) {
    if (stop == 1 && load<u8>(from) == 48) missing--;
    putByte(b, 46);
  }
  putRepeated(b, 48, missing);
  putBytes(b, bufferBytes(tail), tailLength);
}

function putSigned(b: Buffer, text: Buffer): void {
  const sign: u32 = doubleNegative ? 45 : plus ? 43 : space ? 32 : 0;
  const length = bufferLength(text);
  if (sign == 0) {
    putPadded(b, bufferBytes(text), length);
    return;
  }
  if (zero && !minus && hasWidth && width > <i32>length + 1) {
    putByte(b, sign);
    putRepeated(b, 48, width - <i32>length - 1);
    putBytes(b, bufferBytes(text), length);
    return;
  }
  const signed = newBuffer();
  putByte(signed, sign);
  putBytes(signed, bufferBytes(text), length);
  putPadded(b, bufferBytes(signed), bufferLength(signed));
}
