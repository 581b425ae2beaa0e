// Hexadecimal.

import { alloc } from "../memory";
import { bytesOf, lengthOf, newString, refString } from "../string";
import { isString } from "../value";
import { hexDigit, hexValue } from "./bytes";

export function builtin_hex_encode(text: usize): usize {
  if (!isString(text)) return 0;
  const n = lengthOf(text);
  if (n > 0x7fffffff - 64) return 0;
  const result = newString(n << 1);
  const from = bytesOf(text);
  const to = bytesOf(result);
  for (let i: u32 = 0; i < n; i++) {
    const byte: u32 = load<u8>(from + i);
    store<u8>(to + (i << 1), hexDigit(byte >> 4, false));
    store<u8>(to + (i << 1), hexDigit(byte & 15, false), 1);
  }
  return result;
}

export function builtin_hex_decode(text: usize): usize {
  if (!isString(text)) return 0;
  const n = lengthOf(text);
  if (n & 1) return 0;
  const from = bytesOf(text);
  const out = alloc(n >> 1);
  for (let i: u32 = 0; i < n; i += 2) {
    const high = hexValue(load<u8>(from + i));
    const low = hexValue(load<u8>(from + i, 1));
    if (high < 0 || low < 0) return 0;
    store<u8>(out + (i >> 1), (high << 4) | low);
  }
  return refString(out, n >> 1);
}
