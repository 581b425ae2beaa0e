// The flags of a directive (% and what follows) of Go's fmt, and padding.

import { countBetween } from "../../string";
import { Buffer, bufferCommit, bufferReserve, putByte, putBytes } from "../../buffer";
import { charge } from "../../budget";

export let sharp = false;
export let zero = false;
export let plus = false;
export let minus = false;
export let space = false;
/** The directive is %#v or %+v, where the flags mean something else. */
export let sharpV = false;
export let plusV = false;
export let width: i32 = 0;
export let hasWidth = false;
export let precision: i32 = 0;
export let hasPrecision = false;

export function clearFlags(): void {
  sharp = false;
  zero = false;
  plus = false;
  minus = false;
  space = false;
  sharpV = false;
  plusV = false;
  width = 0;
  hasWidth = false;
  precision = 0;
  hasPrecision = false;
}

/** Takes a flag character; false for any other. */
export function takeFlag(c: u32): bool {
  switch (c) {
    case 35:
      sharp = true;
      return true;
    case 48:
      zero = true;
      return true;
    case 43:
      plus = true;
      return true;
    case 45:
      minus = true;
      return true;
    case 32:
      space = true;
      return true;
    default:
      return false;
  }
}

/** For the verb v: # and + are kept apart. */
export function moveFlagsForV(): void {
  sharpV = sharp;
  sharp = false;
  plusV = plus;
  plus = false;
}

export function setWidth(value: i32, present: bool): void {
  width = value;
  hasWidth = present;
}

/** A width from an argument: a negative one pads on the right, and never with zeros. */
export function setWidthArgument(value: i32, present: bool): void {
  width = value;
  hasWidth = present;
  if (value < 0) {
    width = -value;
    minus = true;
    zero = false;
  }
}

export function setPrecision(value: i32, present: bool): void {
  precision = value;
  hasPrecision = present;
}

export function putRepeated(b: Buffer, byte: u32, count: i32): void {
  if (count <= 0) return;
  charge(count >> 4);
  memory.fill(bufferReserve(b, count), <u8>byte, count);
  bufferCommit(b, count);
}

export function codePointsIn(at: usize, length: u32): i32 {
  return countBetween(at, at + length);
}

/** Padding as the flags say: zeros only on the left. */
export function putPadding(b: Buffer, count: i32): void {
  putRepeated(b, zero && !minus ? 48 : 32, count);
}

/** Text padded to the width, counted in code points. */
export function putPadded(b: Buffer, at: usize, length: u32): void {
  const missing = hasWidth ? width - codePointsIn(at, length) : 0;
  if (!minus) putPadding(b, missing);
  putBytes(b, at, length);
  if (minus) putPadding(b, missing);
}

/** The same, with spaces always. */
export function putPaddedWithSpaces(b: Buffer, at: usize, length: u32): void {
  const missing = hasWidth ? width - codePointsIn(at, length) : 0;
  if (!minus) putRepeated(b, 32, missing);
  putBytes(b, at, length);
  if (minus) putRepeated(b, 32, missing);
}

/** The sign that a number has: a minus sign, or what the flags ask for, or 0. */
export function signOf(negative: bool): u32 {
  return negative ? 45 : plus ? 43 : space ? 32 : 0;
}

export function putSign(b: Buffer, sign: u32): void {
  if (sign != 0) putByte(b, sign);
}
