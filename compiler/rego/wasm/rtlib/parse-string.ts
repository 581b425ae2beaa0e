// Strings of a text (parse.ts): the characters between two quotation marks, eight bytes at a time, and UTF-8 looked into
// where there is any. A string that the policy holds becomes the policy's own string value, so that later comparisons are of
// addresses. Escapes that are lone surrogates become U+FFFD, as in Go.
//
// Requests are much alike, so what was read last is remembered by its place: the text of the member that came next, the value
// that a key had, and whether its values were the policy's at all. These are hints, and stay from one text to the next. A text
// is compared with what is expected of it, and a string that was not looked up is looked up when somebody needs that.

import { HEADER_BYTES, STRING_BYTES, STRING_LENGTH, TAG_STRING } from "../../../../runtime/abi/layout";
import { hexValue } from "./builtins/bytes";
import { copyBytes } from "./copy";
import { hashBytes } from "./hash";
import { bytesOf, equalBytes, findIntern, INTERN_LENGTH, newString, ownString, putCodePoint, textString } from "./string";
import { sequenceAt } from "./utf8";
import { isStatic, tagOf } from "./value";

// The text, for the whole parser.

/** Where it ends. */
export let end: usize = 0;
/** Behind the value that was read last. */
export let cursor: usize = 0;
/** Whether it is value text. */
export let extended = false;
/** Whether values must not refer to it, because it will not stay. */
export let copying = false;

export function beginText(textEnd: usize, copies: bool, valueText: bool): void {
  end = textEnd;
  copying = copies;
  extended = valueText;
}

export function moveTo(p: usize): void {
  cursor = p;
}

// Places: what is remembered of a member of an object, by its key and the place where the object stands, and of the beginning
// of an object. Several may share one.
const PLACE_SIZE: u32 = 64;
const PLACES_SIZE: u32 = 32768;
export const FIRST_PLACE = memory.data(32768, 64);

// The member that came next in the object, if its key is the policy's: its text up to the value, such as `"id":`.

/** Bytes of the text, 0 without one. */
const NEXT_LENGTH: usize = 0;
/** How many bits to the left leave what counts of the first eight bytes: 0 where all do. */
const NEXT_SHIFT: usize = 4;
export const NEXT_KEY: usize = 8;
/** Its place. */
export const NEXT_PLACE: usize = 12;
/** The first 24 bytes, and the last eight. */
const NEXT_TEXT: usize = 16;
const NEXT_LAST: usize = 40;
const MOST_NEXT: u32 = 32;

/** The policy's string that was found as the value last, plus 1 if that came twice in succession. */
const VALUE: usize = 48;
/** How many values, and keys that came next, were not the policy's in succession: a byte that wraps. */
const FOREIGN_VALUES: usize = 52;
const FOREIGN_KEYS: usize = 53;

/** After this many that were not the policy's, the next ones are not looked up, until the byte wraps. */
const MOST_FOREIGN: u32 = 4;

/** The place of the beginning of an object that stands at `place`. */
export function placeWithin(place: usize): usize {
  return placeOf(place, 0);
}

/** The place of the member of a key in an object that stands at `place`. Keys that are not the policy's have one. */
export function placeUnder(place: usize, key: usize): usize {
  // Strings of the policy are 24 bytes apart, or more.
  return placeOf(place, isStatic(key) ? key >> 3 : 1);
}

function placeOf(place: usize, number: usize): usize {
  return FIRST_PLACE + (((place - FIRST_PLACE) * 5 + (number + 1) * PLACE_SIZE) & (PLACES_SIZE - PLACE_SIZE));
}

/** The bytes at `p` that are the text of the member expected after the one at `place`; 0 where another text comes. */
export function expectedHere(p: usize, place: usize): u32 {
  const length = load<u32>(place, NEXT_LENGTH);
  if (length == 0) return 0;
  const read = length | 8;
  if (end - p < read) return 0;
  if ((load<u64>(p) ^ load<u64>(place, NEXT_TEXT)) << load<u32>(place, NEXT_SHIFT) != 0) return 0;
  if (length > 8) {
    if (load<u64>(p + length - 8) != load<u64>(place, NEXT_LAST)) return 0;
    if (length > 16) {
      if (load<u64>(p, 8) != load<u64>(place, NEXT_TEXT + 8)) return 0;
      if (length > 24 && load<u64>(p, 16) != load<u64>(place, NEXT_TEXT + 16)) return 0;
    }
  }
  return length;
}

/**
 * Remembers that after the member at `place` came one whose text up to the value is `length` bytes at `p`. `quoted` is how long
 * its key is there: INVARIANT: what is remembered has the policy's key as it stands, so that it is read alike in any text.
 */
export function expect(place: usize, p: usize, length: u32, key: usize, quoted: u32, next: usize): void {
  if (!isStatic(key) || length > MOST_NEXT) return;
  if (tagOf(key) != TAG_STRING || load<u32>(key, STRING_LENGTH) + 2 != quoted) return;
  store<u32>(place, length, NEXT_LENGTH);
  store<u32>(place, length < 8 ? (8 - length) << 3 : 0, NEXT_SHIFT);
  store<u32>(place, key, NEXT_KEY);
  store<u32>(place, next, NEXT_PLACE);
  copyBytes(place + NEXT_TEXT, p, length < 24 ? length : 24);
  if (length > 8) store<u64>(place, load<u64>(p + length - 8), NEXT_LAST);
}

/** The string whose first character is at `start`; 0 where it is not well-formed, or does not end in the text. */
export function readString(start: usize, place: usize): usize {
  const last: usize = load<u32>(place, VALUE);
  if ((last & 1) != 0) {
    const own = last - 1;
    const length = load<u32>(own, STRING_LENGTH);
    if (isHere(own, length, start)) {
      cursor = start + length + 1;
      return own;
    }
  }
  let close = asciiEnd(start, end);
  if (close == end) return 0;
  if (load<u8>(close) != 34) {
    close = plainEnd(close, end);
    if (close == end) return 0;
    const c: u32 = load<u8>(close);
    if (c != 34) return c == 92 ? readEscaped(start, close) : 0;
  }
  cursor = close + 1;
  const length = <u32>(close - start);
  const missed: u32 = load<u8>(place, FOREIGN_VALUES);
  let hash: u32 = 0;
  if (missed < MOST_FOREIGN) {
    if (length <= INTERN_LENGTH) {
      hash = hashBytes(TAG_STRING, start, length);
      const own = findIntern(start, length, hash);
      if (own != 0) {
        store<u8>(place, 0, FOREIGN_VALUES);
        store<u32>(place, own == last ? own + 1 : own, VALUE);
        return own;
      }
    }
  }
  store<u8>(place, missed + 1, FOREIGN_VALUES);
  return textString(start, length, copying, hash);
}

/** The key whose first character is at `start`, after the member at `place`; 0 as for readString. */
export function readKey(start: usize, place: usize): usize {
  const close = plainEnd(start, end);
  if (close == end) return 0;
  const c: u32 = load<u8>(close);
  if (c != 34) return c == 92 ? readEscaped(start, close) : 0;
  cursor = close + 1;
  const length = <u32>(close - start);
  const missed: u32 = load<u8>(place, FOREIGN_KEYS);
  let hash: u32 = 0;
  if (missed < MOST_FOREIGN && length <= INTERN_LENGTH) {
    hash = hashBytes(TAG_STRING, start, length);
    const own = findIntern(start, length, hash);
    if (own != 0) {
      store<u8>(place, 0, FOREIGN_KEYS);
      return own;
    }
  }
  store<u8>(place, missed + 1, FOREIGN_KEYS);
  return textString(start, length, copying, hash);
}

/** Whether a string of the policy comes here that was once read as it stands: without quotation marks and escapes. */
function isHere(own: usize, length: u32, start: usize): bool {
  const left = end - start;
  if (left <= length) return false;
  if (load<u8>(start + length) != 34) return false;
  const bytes: usize = load<u32>(own, STRING_BYTES);
  if (length < 8) {
    if (left < 8 || length == 0) return equalBytes(start, bytes, length);
    return (load<u64>(start) ^ load<u64>(bytes)) << ((8 - length) << 3) == 0;
  }
  if (load<u64>(start) != load<u64>(bytes)) return false;
  return length == 8 || equalBytes(start + 8, bytes + 8, length - 8);
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
  for (; end - at >= 8; at += 8) {
    const found = unusual(load<u64>(at));
    if (found != 0) return at + <usize>(ctz(found) >> 3);
  }
  const left = end - at;
  if (left == 0) return end;
  // The last bytes, and zeros behind them, which are control characters.
  return at + <usize>(ctz(unusual(load<u64>(end - 8) >> ((8 - left) << 3))) >> 3);
}

/** The high bit of each byte that is a control character, a quotation mark, a backslash or not ASCII, up to the first. */
function unusual(word: u64): u64 {
  const ones: u64 = 0x0101010101010101;
  // The high bit of each byte that is below the one subtracted from it; borrows only add bytes behind such a one.
  const low = (word - ones * 32) | ((word ^ (ones * 34)) - ones) | ((word ^ (ones * 92)) - ones);
  return (low | word) & (ones << 7);
}

/** A string whose first escape is at `at`. */
function readEscaped(start: usize, at: usize): usize {
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
    if ((code & 0xffffff80) == 0xdc80 && takesBytes()) store<u8>(to++, code);
    else to = putCodePoint(to, code);
    start = cursor;
    at = plainEnd(start, close);
  }
  cursor = close + 1;
  store<u32>(v, <u32>(to - bytes), STRING_LENGTH);
  return ownString(v);
}

/** Whether half a surrogate pair stands for a byte here (runtime/abi/layout.ts). */
function takesBytes(): bool {
  return extended && load<u32>(HEADER_BYTES) != 0;
}

/** The code point of the escape at `at`, or -1; it ends at `cursor`. Two escapes that are a surrogate pair are one. */
function readEscape(at: usize, close: usize): i32 {
  const c: u32 = load<u8>(at, 1);
  at += 2;
  cursor = at;
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
      cursor = at;
      if ((code & 0xfc00) != 0xd800) return code;
      if (close - at < 6 || load<u8>(at) != 92 || load<u8>(at, 1) != 117) return 0xfffd;
      const low = readHex(at + 2, close);
      if ((low & 0xfffffc00) != 0xdc00) return 0xfffd;
      cursor = at + 6;
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
