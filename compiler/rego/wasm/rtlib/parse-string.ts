// Strings of a text (parse.ts): the characters between two quotation marks, eight bytes at a time, and UTF-8 looked into
// where there is any. A string that the policy holds becomes the policy's own string value, so that later comparisons are of
// addresses. Escapes that are lone surrogates become U+FFFD, as in Go.
//
// Requests are much alike, so what was read last is remembered: the key that followed a key, the value that it had, and
// whether its values were the policy's at all. These are hints, and stay from one text to the next. A text is compared with
// what is expected of it, and a string that was not looked up among the policy's is looked up when somebody needs that.

import { HEADER_BYTES, STRING_BYTES, STRING_LENGTH } from "../../../../runtime/abi/layout";
import { hexValue } from "./builtins/bytes";
import { copyBytes } from "./copy";
import { bytesOf, copyString, givenString, INTERN_LENGTH, newString, ownString, putCodePoint, refString, sameBytes } from "./string";
import { sequenceAt } from "./utf8";
import { isStatic } from "./value";

/** Behind the closing quotation mark, or the escape, that was read last. */
export let stringEnd: usize = 0;

/** The policy's key before the one to read, 0 at first; and the key whose values are read, 0 where it is not the policy's. */
let keyBefore: usize = 0;
let keyAbove: usize = 0;

// Hints, by the address of a key.

/** The key that came after it. */
const FOLLOWERS = memory.data(1024);
/** The policy's string that was found as its value last, plus 1 if that came twice in succession. */
const VALUES = memory.data(1024);
/** How many of its values, and of the keys after it, were not the policy's in succession: a byte that wraps. */
const FOREIGN_VALUES = memory.data(256);
const FOREIGN_KEYS = memory.data(256);

/** After this many that were not the policy's, the next ones are not looked up, until the byte wraps. */
const MOST_FOREIGN: u32 = 4;

/** Place of a key among the hints: strings of the policy are 24 bytes apart, or more. */
function placeOf(key: usize): usize {
  return (key >> 3) & 255;
}

/** At the beginning of a text. */
export function beginStrings(): void {
  keyBefore = 0;
  keyAbove = 0;
}

/** The string whose first character is at `start`; 0 where it is not well-formed, or does not end before `end`. */
export function readString(start: usize, end: usize, copying: bool, extended: bool): usize {
  const place = placeOf(keyAbove);
  const hint = VALUES + (place << 2);
  const last: usize = load<u32>(hint);
  if ((last & 1) != 0 && isHere(last - 1, start, end)) return last - 1;
  const close = plainEnd(start, end);
  if (close == end) return 0;
  const c: u32 = load<u8>(close);
  if (c != 34) return c == 92 ? readEscaped(start, close, end, extended) : 0;
  const v = plainString(start, close, copying, FOREIGN_VALUES + place);
  if (isStatic(v)) store<u32>(hint, v == last ? v + 1 : v);
  return v;
}

/** The same for a key. */
export function readKey(start: usize, end: usize, copying: bool, extended: bool): usize {
  const place = placeOf(keyBefore);
  const hint = FOLLOWERS + (place << 2);
  let key: usize = load<u32>(hint);
  if (key == 0 || !isHere(key, start, end)) {
    const close = plainEnd(start, end);
    if (close == end) return 0;
    const c: u32 = load<u8>(close);
    if (c != 34) return c == 92 ? readEscaped(start, close, end, extended) : 0;
    key = plainString(start, close, copying, FOREIGN_KEYS + place);
    if (!isStatic(key)) {
      keyAbove = 0;
      return key;
    }
    store<u32>(hint, key);
  }
  keyBefore = key;
  keyAbove = key;
  return key;
}

/** Whether a string of the policy comes here that was once read as it stands: without quotation marks and escapes. */
function isHere(own: usize, start: usize, end: usize): bool {
  const length = load<u32>(own, STRING_LENGTH);
  if (end - start <= length || load<u8>(start + length) != 34) return false;
  stringEnd = start + length + 1;
  return sameBytes(start, load<u32>(own, STRING_BYTES), length);
}

/** A string without escapes. It is looked up among the policy's, unless that was in vain too often. */
function plainString(start: usize, close: usize, copying: bool, misses: usize): usize {
  stringEnd = close + 1;
  const length = <u32>(close - start);
  const missed: u32 = load<u8>(misses);
  if (missed >= MOST_FOREIGN || length > INTERN_LENGTH) {
    store<u8>(misses, missed + 1);
    return copying ? copyString(start, length) : refString(start, length);
  }
  const v = givenString(start, length, copying);
  store<u8>(misses, isStatic(v) ? 0 : missed + 1);
  return v;
}

/** The first quotation mark, backslash, control character or byte that is not UTF-8; or `end`. */
function plainEnd(at: usize, end: usize): usize {
  while (true) {
    at = asciiEnd(at, end);
    if (at == end || load<u8>(at) < 128) return at;
    do {
      const n = sequenceAt(at, end);
      if (n == 0) return at;
      at += n;
    } while (at < end && load<u8>(at) >= 128);
  }
}

/** The first byte that is a control character, a quotation mark, a backslash or not ASCII; or `end`. */
function asciiEnd(at: usize, end: usize): usize {
  const ones: u64 = 0x0101010101010101;
  for (; end - at >= 8; at += 8) {
    const word = load<u64>(at);
    // The high bit of each byte that is below the one subtracted from it; borrows only add bytes behind such a one.
    const low = (word - ones * 32) | ((word ^ (ones * 34)) - ones) | ((word ^ (ones * 92)) - ones);
    const found = (low | word) & (ones << 7);
    if (found != 0) return at + <usize>(ctz(found) >> 3);
  }
  for (; at < end; at++) {
    const c: u32 = load<u8>(at);
    if (c < 32 || c == 34 || c == 92 || c >= 128) return at;
  }
  return end;
}

/** A string whose first escape is at `at`. */
function readEscaped(start: usize, at: usize, end: usize, extended: bool): usize {
  // The decoded text is never longer than the written one: find its end, then decode.
  let close = at;
  while (close < end && load<u8>(close) != 34) close += load<u8>(close) == 92 ? 2 : 1;
  if (close >= end) return 0;
  const v = newString(<u32>(close - start));
  const bytes = bytesOf(v);
  let to = bytes;
  while (true) {
    const plain = <u32>(at - start);
    copyBytes(to, start, plain);
    to += plain;
    if (at == close) break;
    if (load<u8>(at) != 92) return 0;
    const code = readEscape(at, close);
    if (code < 0) return 0;
    if ((code & 0xffffff80) == 0xdc80 && takesBytes(extended)) store<u8>(to++, code);
    else to = putCodePoint(to, code);
    start = stringEnd;
    at = plainEnd(start, close);
  }
  stringEnd = close + 1;
  store<u32>(v, <u32>(to - bytes), STRING_LENGTH);
  return ownString(v);
}

/** Whether half a surrogate pair stands for a byte here (runtime/abi/layout.ts). */
function takesBytes(extended: bool): bool {
  return extended && load<u32>(HEADER_BYTES) != 0;
}

/** The code point of the escape at `at`, or -1; it ends at `stringEnd`. Two escapes that are a surrogate pair are one. */
function readEscape(at: usize, close: usize): i32 {
  const c: u32 = load<u8>(at, 1);
  at += 2;
  stringEnd = at;
  switch (c) {
    case 34:
    case 92:
    case 47:
      return c;
    case 98:
      return 8;
    case 102:
      return 12;
    case 110:
      return 10;
    case 114:
      return 13;
    case 116:
      return 9;
    case 117: {
      const code = readHex(at, close);
      if (code < 0) return -1;
      at += 4;
      stringEnd = at;
      if ((code & 0xfc00) != 0xd800) return code;
      if (close - at < 6 || load<u8>(at) != 92 || load<u8>(at, 1) != 117) return 0xfffd;
      const low = readHex(at + 2, close);
      if ((low & 0xfffffc00) != 0xdc00) return 0xfffd;
      stringEnd = at + 6;
      return 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
    }
    default:
      return -1;
  }
}

function readHex(p: usize, close: usize): i32 {
  if (close < p || close - p < 4) return -1;
  let code: i32 = 0;
  for (let i = 0; i < 4; i++) {
    const digit = hexValue(load<u8>(p + i));
    if (digit < 0) return -1;
    code = (code << 4) | digit;
  }
  return code;
}
