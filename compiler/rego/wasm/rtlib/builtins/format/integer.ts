// Integers in Go's fmt: 64-bit ones (its int) and larger ones (its *big.Int), whose rules differ a little.

import { Buffer, bufferBytes, bufferLength, newBuffer, putByte, putBytes, putCode, putLiteral } from "../../buffer";
import { natDigitCount, natDigits, natFrom } from "../../number/nat";
import { isPrintable } from "../../unicode/printable";
import { hexDigit } from "../bytes";
import { putGoRune } from "../quote";
import {
  hasPrecision,
  hasWidth,
  minus,
  plus,
  plusV,
  precision,
  putPadded,
  putPaddedWithSpaces,
  putRepeated,
  putSign,
  sharp,
  sharpV,
  signOf,
  space,
  width,
  zero,
} from "./state";

/** The base that a verb writes integers in, or 0. */
function baseOf(verb: u32): u32 {
  switch (verb) {
    case 118:
    case 100:
      return 10;
    case 98:
      return 2;
    case 111:
    case 79:
      return 8;
    case 120:
    case 88:
      return 16;
    default:
      return 0;
  }
}

/** Puts `length` digits, in upper case if asked. */
function putDigits(b: Buffer, at: usize, length: u32, upper: bool): void {
  for (let i: u32 = 0; i < length; i++) {
    const c: u32 = load<u8>(at + i);
    putByte(b, upper && c >= 97 ? c - 32 : c);
  }
}

/** An int of 64 bits; false if the verb is not for integers. */
export function putInteger(b: Buffer, value: i64, verb: u32): bool {
  if (verb == 99) {
    const text = newBuffer();
    putCode(text, <u64>value > 0x10ffff ? 0xfffd : <u32>value);
    putPadded(b, bufferBytes(text), bufferLength(text));
    return true;
  }
  if (verb == 113) {
    const text = newBuffer();
    putByte(text, 39);
    const code = <u64>value > 0x10ffff || (<u64>value & 0xfffff800) == 0xd800 ? 0xfffd : <u32>value;
    putGoRune(text, code, 39, plus);
    putByte(text, 39);
    putPadded(b, bufferBytes(text), bufferLength(text));
    return true;
  }
  if (verb == 85) {
    putUnicode(b, <u64>value);
    return true;
  }
  const base = baseOf(verb);
  if (base == 0) return false;
  const negative = value < 0;
  const magnitude = negative ? 0 - <u64>value : <u64>value;
  if (hasPrecision && precision == 0 && magnitude == 0) {
    putRepeated(b, 32, hasWidth ? width : 0);
    return true;
  }
  const sign = signOf(negative);
  const digits = natDigits(natFrom(magnitude), base);
  const count = natDigitCount;
  let least = 0;
  if (hasPrecision) least = precision;
  else if (zero && !minus && hasWidth) least = sign == 0 ? width : width - 1;
  const zeros = max(0, least - count);
  const text = newBuffer();
  putSign(text, sign);
  if (verb == 79) putLiteral(text, "0o");
  if (sharp) {
    if (base == 2) putLiteral(text, "0b");
    else if (base == 16) putPrefix(text, verb == 88);
    else if (base == 8 && zeros == 0 && load<u8>(digits) != 48) putByte(text, 48);
  }
  putRepeated(text, 48, zeros);
  putDigits(text, digits, count, verb == 88);
  putPaddedWithSpaces(b, bufferBytes(text), bufferLength(text));
  return true;
}

export function putPrefix(b: Buffer, upper: bool): void {
  putByte(b, 48);
  putByte(b, upper ? 88 : 120);
}

/** U+0041, with # followed by the character itself. */
function putUnicode(b: Buffer, value: u64): void {
  const text = newBuffer();
  putLiteral(text, "U+");
  const digits = natDigits(natFrom(value), 16);
  const count = natDigitCount;
  putRepeated(text, 48, (hasPrecision && precision > 4 ? precision : 4) - count);
  putDigits(text, digits, count, true);
  if (sharp && value <= 0x10ffff && isPrintable(<u32>value)) {
    putLiteral(text, " '");
    putCode(text, <u32>value);
    putByte(text, 39);
  }
  putPaddedWithSpaces(b, bufferBytes(text), bufferLength(text));
}

/** An integer of more than 64 bits, given as its decimal digits (with a minus sign) and as a Nat. */
export function putBigInteger(b: Buffer, negative: bool, magnitude: usize, verb: u32): void {
  const base = verb == 115 ? 10 : baseOf(verb);
  if (base == 0) {
    putLiteral(b, "%!");
    putCode(b, verb);
    putLiteral(b, "(big.Int=");
    if (negative) putByte(b, 45);
    putDigits(b, natDigits(magnitude, 10), natDigitCount, false);
    putByte(b, 41);
    return;
  }
  const sign: u32 = negative ? 45 : plus || plusV ? 43 : space ? 32 : 0;
  const text = newBuffer();
  if (verb == 79) putLiteral(text, "0o");
  else if ((sharp || sharpV) && base == 2) putLiteral(text, "0b");
  else if ((sharp || sharpV) && base == 16) putPrefix(text, verb == 88);
  else if ((sharp || sharpV) && base == 8) putByte(text, 48);
  const prefix = bufferLength(text);
  const digits = natDigits(magnitude, base);
  const count = natDigitCount;
  let zeros = hasPrecision ? max(0, precision - count) : 0;
  const length = (sign == 0 ? 0 : 1) + <i32>prefix + zeros + count;
  const missing = hasWidth ? max(0, width - length) : 0;
  if (!minus && zero && !hasPrecision) zeros = missing;
  else if (!minus) putRepeated(b, 32, missing);
  putSign(b, sign);
  putBytes(b, bufferBytes(text), prefix);
  putRepeated(b, 48, zeros);
  putDigits(b, digits, count, verb == 88);
  if (minus) putRepeated(b, 32, missing);
}

/** Bytes in hexadecimal, two digits each, up to the precision. */
export function putHexBytes(b: Buffer, bytes: usize, length: u32, upper: bool): void {
  const n = hasPrecision ? min(<i32>length, precision) : <i32>length;
  if (n == 0) {
    putRepeated(b, zero && !minus ? 48 : 32, hasWidth ? width : 0);
    return;
  }
  let size = 2 * n;
  if (space) size += n - 1 + (sharp ? 2 * n : 0);
  else if (sharp) size += 2;
  const missing = hasWidth ? width - size : 0;
  if (!minus) putRepeated(b, zero ? 48 : 32, missing);
  if (sharp) putPrefix(b, upper);
  for (let i = 0; i < n; i++) {
    if (space && i > 0) {
      putByte(b, 32);
      if (sharp) putPrefix(b, upper);
    }
    const byte: u32 = load<u8>(bytes + i);
    putByte(b, hexDigit(byte >> 4, upper));
    putByte(b, hexDigit(byte & 15, upper));
  }
  if (minus) putRepeated(b, 32, missing);
}
