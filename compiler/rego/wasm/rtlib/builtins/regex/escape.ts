// Escapes that stand for one character.

import { hexValue } from "../bytes";
import { at, end, skip, takeByte, takeCode } from "./reader";

/** The code point of the escape at the backslash, or -1. */
export function parseEscape(): i32 {
  skip(1);
  if (at >= end) return -1;
  const c = takeCode();
  // Punctuation stands for itself.
  if (c < 128 && ((c | 32) - 97 >= 26 && c - 48 >= 10)) return <i32>c;
  switch (c) {
    case 49:
    case 50:
    case 51:
    case 52:
    case 53:
    case 54:
    case 55:
      // One digit would be a reference to a group.
      return at < end && <u32>load<u8>(at) - 48 < 8 ? octal(c - 48) : -1;
    case 48:
      return octal(0);
    case 120:
      return hexadecimal();
    case 97:
      return 7;
    case 102:
      return 12;
    case 110:
      return 10;
    case 114:
      return 13;
    case 116:
      return 9;
    case 118:
      return 11;
    default:
      return -1;
  }
}

/** Up to three digits, the first of which is read. */
function octal(value: i32): i32 {
  for (let i = 0; i < 2 && at < end && <u32>load<u8>(at) - 48 < 8; i++) value = value * 8 + (<i32>takeByte() - 48);
  return value;
}

/** Two digits, or any number in braces. */
function hexadecimal(): i32 {
  if (at >= end) return -1;
  if (load<u8>(at) != 123) {
    if (end - at < 2) return -1;
    const high = hexValue(load<u8>(at));
    const low = hexValue(load<u8>(at, 1));
    skip(2);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }
  skip(1);
  let value: i32 = 0;
  const start = at;
  while (at < end && load<u8>(at) != 125) {
    const digit = hexValue(takeByte());
    if (digit < 0) return -1;
    value = value * 16 + digit;
    if (value > 0x10ffff) return -1;
  }
  if (at >= end || at == start) return -1;
  skip(1);
  return value;
}
