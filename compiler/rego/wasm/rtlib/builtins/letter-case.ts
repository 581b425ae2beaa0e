// Lower and upper case, code point by code point.

import { bufferString, newBuffer, putCode } from "../buffer";
import { bytesOf, codePointAt, lengthOf, newString, widthAt } from "../string";
import { toLower, toUpper } from "../unicode/case";
import { isString } from "../value";

// Eight characters at a time: a bit for each byte, the highest.
const EACH: u64 = 0x0101010101010101;
const HIGH: u64 = 0x8080808080808080;

/** The bytes of eight ASCII characters that are letters from `first` on, `a` or `A`. */
function letters(word: u64, first: u64): u64 {
  return (word + EACH * (128 - first)) & ~(word + EACH * (102 - first)) & HIGH;
}

function convert(text: usize, upper: bool): usize {
  const length = lengthOf(text);
  const from = bytesOf(text);
  const end = from + length;
  let at = from;
  let changed = false;
  const first: u32 = upper ? 97 : 65;
  for (; at + 8 <= end; at += 8) {
    const word = load<u64>(at);
    if ((word & HIGH) != 0) return convertUnicode(text, upper);
    if (letters(word, first) != 0) changed = true;
  }
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte >= 128) return convertUnicode(text, upper);
    if (byte - first < 26) changed = true;
  }
  if (!changed) return text;
  const result = newString(length);
  let to = bytesOf(result);
  for (at = from; at + 8 <= end; at += 8) {
    const word = load<u64>(at);
    // What tells a small letter from a capital one is two bits below the highest.
    store<u64>(to, word ^ (letters(word, first) >> 2));
    to += 8;
  }
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    store<u8>(to++, byte - first < 26 ? byte ^ 32 : byte);
  }
  return result;
}

function convertUnicode(text: usize, upper: bool): usize {
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  const b = newBuffer(lengthOf(text));
  while (at < end) {
    const code = codePointAt(at, end);
    putCode(b, upper ? toUpper(code) : toLower(code));
    at += widthAt(at, end);
  }
  return bufferString(b);
}

export function builtin_lower(text: usize): usize {
  return isString(text) ? convert(text, false) : 0;
}

export function builtin_upper(text: usize): usize {
  return isString(text) ? convert(text, true) : 0;
}
