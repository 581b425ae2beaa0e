// Text to values: JSON (RFC 8259, nothing more), and OPA's value text, which adds sets `{1, 2}`, `set()`, keys of any
// type, and a comma behind the last element. Well-formed text gives a value, anything else 0. Of equal keys the last one
// counts, as in Go.
//
// A string or key that the policy holds becomes the policy's own string value, so that later comparisons are of
// addresses. Escapes that are lone surrogates become U+FFFD, as in Go.

import {
  FALSE_VALUE,
  HEADER_BYTES,
  MAX_VALUE_DEPTH,
  NULL_VALUE,
  STRING_LENGTH,
  TRUE_VALUE,
} from "../../../../runtime/abi/layout";
import { arrayPush, newArray } from "./array";
import { resetBudget } from "./budget";
import { setReclaiming } from "./memory";
import { isInt, newNumber } from "./number";
import { viewExponent, viewOf } from "./number/view";
import { newObject, objectPut } from "./object";
import { newSet, setAdd } from "./set";
import { bytesOf, givenString, newString, ownString, putCodePoint } from "./string";
import { sequenceAt } from "./utf8";

let at: usize = 0;
let end: usize = 0;
let depth: i32 = 0;
/** Whether values must not refer to the text, because it will not stay. */
let copying = false;
/** Whether sets and keys of any type are accepted. */
let extended = false;

/** The value that the text is, or 0. With `inPlace` the text must stay as it is for as long as the value lives. */
export function parseText(text: usize, length: u32, inPlace: bool, valueText: bool): usize {
  if (text + length < text) return 0;
  at = text;
  end = text + length;
  depth = 0;
  copying = !inPlace;
  extended = valueText;
  const v = parseValue();
  if (v == 0) return 0;
  skipSpace();
  return at == end ? v : 0;
}

function skipSpace(): void {
  while (at < end) {
    const c: u32 = load<u8>(at);
    if (c > 32 || (c != 32 && c != 10 && c != 13 && c != 9)) return;
    at++;
  }
}

/** Skips space and returns the next byte without taking it, 0 at the end. */
function peek(): u32 {
  skipSpace();
  return at < end ? load<u8>(at) : 0;
}

function parseValue(): usize {
  const c = peek();
  switch (c) {
    case 34:
      return parseString();
    case 123:
      return nested(c);
    case 91:
      return nested(c);
    case 116:
      return parseWord(0x65757274, 4) ? TRUE_VALUE : 0;
    case 102:
      return parseWord(0x736c6166, 4) && parseByte(101) ? FALSE_VALUE : 0;
    case 110:
      return parseWord(0x6c6c756e, 4) ? NULL_VALUE : 0;
    case 115:
      return extended && parseEmptySet() ? newSet(0) : 0;
    default:
      return parseNumber();
  }
}

function nested(open: u32): usize {
  if (++depth > MAX_VALUE_DEPTH) return 0;
  at++;
  const v = open == 91 ? parseArray() : extended ? parseBraces() : parseObject();
  depth--;
  return v;
}

/** Takes `length` bytes if they are these (little-endian). */
function parseWord(word: u32, length: usize): bool {
  if (end - at < length || load<u32>(at) != word) return false;
  at += length;
  return true;
}

function parseByte(byte: u32): bool {
  if (at >= end || load<u8>(at) != byte) return false;
  at++;
  return true;
}

function parseEmptySet(): bool {
  return parseByte(115) && parseByte(101) && parseByte(116) && parseByte(40) && parseByte(41);
}

function parseArray(): usize {
  const a = newArray(0);
  if (peek() == 93) {
    at++;
    return a;
  }
  while (true) {
    const v = parseValue();
    if (v == 0) return 0;
    arrayPush(a, v);
    const c = peek();
    at++;
    if (c == 93) return a;
    if (c != 44) return 0;
    if (extended && peek() == 93) {
      at++;
      return a;
    }
  }
}

function parseObject(): usize {
  const o = newObject(0);
  if (peek() == 125) {
    at++;
    return o;
  }
  while (true) {
    if (peek() != 34) return 0;
    const key = parseString();
    if (key == 0 || peek() != 58) return 0;
    at++;
    const value = parseValue();
    if (value == 0) return 0;
    objectPut(o, key, value);
    const c = peek();
    at++;
    if (c == 125) return o;
    if (c != 44) return 0;
  }
}

/** After `{` in value text: an object or a set, as the first element tells. */
function parseBraces(): usize {
  if (peek() == 125) {
    at++;
    return newObject(0);
  }
  let collection: usize = 0;
  let isObject = false;
  while (true) {
    const key = parseValue();
    if (key == 0) return 0;
    if (collection == 0) {
      isObject = peek() == 58;
      collection = isObject ? newObject(0) : newSet(0);
    }
    if (isObject) {
      if (peek() != 58) return 0;
      at++;
      const value = parseValue();
      if (value == 0) return 0;
      objectPut(collection, key, value);
    } else {
      setAdd(collection, key);
    }
    const c = peek();
    at++;
    if (c == 125) return collection;
    if (c != 44) return 0;
    if (extended && peek() == 125) {
      at++;
      return collection;
    }
  }
}

function isDigitAt(p: usize): bool {
  return p < end && <u32>load<u8>(p) - 48 <= 9;
}

function skipDigits(): void {
  while (isDigitAt(at)) at++;
}

function parseNumber(): usize {
  const start = at;
  if (at < end && load<u8>(at) == 45) at++;
  if (!isDigitAt(at)) return 0;
  if (load<u8>(at) == 48) at++;
  else skipDigits();
  if (at < end && load<u8>(at) == 46) {
    at++;
    if (!isDigitAt(at)) return 0;
    skipDigits();
  }
  if (at < end && (load<u8>(at) | 32) == 101) {
    at++;
    if (at < end && (load<u8>(at) == 43 || load<u8>(at) == 45)) at++;
    if (!isDigitAt(at)) return 0;
    skipDigits();
  }
  const v = newNumber(start, <u32>(at - start));
  // A text of the host may hold any number; one that a policy reads, in place, may not, as in OPA.
  return !extended && !copying && !isInt(v) && !inRange(v) ? 0 : v;
}

/** Decimal exponents between which OPA reads numbers: 2**100000 and its inverse. */
const MAX_EXPONENT: i64 = 30103;

function inRange(v: usize): bool {
  const exponent = viewExponent(viewOf(v, 0));
  return exponent <= MAX_EXPONENT && exponent > -MAX_EXPONENT;
}

function parseString(): usize {
  at++;
  const start = at;
  while (true) {
    if (at >= end) return 0;
    const c: u32 = load<u8>(at);
    if (c == 34) break;
    if (c == 92) return parseEscaped(start);
    if (c < 32) return 0;
    if (c < 128) {
      at++;
    } else {
      const n = sequenceAt(at, end);
      if (n == 0) return 0;
      at += n;
    }
  }
  const length = <u32>(at - start);
  at++;
  return givenString(start, length, copying);
}

/** A string with escapes, its first byte at `start`, `at` being at the first escape. */
function parseEscaped(start: usize): usize {
  // The decoded text is never longer than the written one: find its end, then decode.
  let close = at;
  while (close < end && load<u8>(close) != 34) close += load<u8>(close) == 92 ? 2 : 1;
  if (close >= end) return 0;
  const v = newString(<u32>(close - start));
  const bytes = bytesOf(v);
  memory.copy(bytes, start, at - start);
  let to = bytes + (at - start);
  while (at < close) {
    const c: u32 = load<u8>(at);
    if (c == 92) {
      const code = parseEscape(close);
      if (code < 0) return 0;
      if ((code & 0xffffff80) == 0xdc80 && takesBytes()) store<u8>(to++, code);
      else to = putCodePoint(to, code);
    } else if (c < 32) {
      return 0;
    } else if (c < 128) {
      store<u8>(to++, c);
      at++;
    } else {
      const n = sequenceAt(at, close);
      if (n == 0) return 0;
      memory.copy(to, at, n);
      to += n;
      at += n;
    }
  }
  at = close + 1;
  const length = <u32>(to - bytes);
  store<u32>(v, length, STRING_LENGTH);
  return ownString(v);
}

/** Whether half a surrogate pair stands for a byte here (runtime/abi/layout.ts). */
function takesBytes(): bool {
  return extended && load<u32>(HEADER_BYTES) != 0;
}

/** The code point of the escape at `at`, or -1. Two escapes that are a surrogate pair are one. */
function parseEscape(close: usize): i32 {
  const c: u32 = load<u8>(at, 1);
  at += 2;
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
      const code = parseHex(at, close);
      if (code < 0) return -1;
      at += 4;
      if ((code & 0xfc00) != 0xd800) return code;
      if (close - at < 6 || load<u8>(at) != 92 || load<u8>(at, 1) != 117) return 0xfffd;
      const low = parseHex(at + 2, close);
      if ((low & 0xfffffc00) != 0xdc00) return 0xfffd;
      at += 6;
      return 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
    }
    default:
      return -1;
  }
}

function parseHex(p: usize, close: usize): i32 {
  if (close < p || close - p < 4) return -1;
  let code: i32 = 0;
  for (let i = 0; i < 4; i++) {
    const c: u32 = load<u8>(p + i);
    const letter: u32 = (c | 32) - 97;
    if (c - 48 <= 9) code = (code << 4) | (c - 48);
    else if (letter < 6) code = (code << 4) | (letter + 10);
    else return -1;
  }
  return code;
}

// OPA ABI ------------------------------------------------------------------------------------------------------------

/** The value, or 0. The text may be freed afterwards. */
export function opa_json_parse(text: usize, length: u32): usize {
  return parseKept(text, length, false);
}

export function opa_value_parse(text: usize, length: u32): usize {
  return parseKept(text, length, true);
}

/** For a host that may keep the value, and free it some day. */
function parseKept(text: usize, length: u32, valueText: bool): usize {
  setReclaiming(true);
  resetBudget();
  const v = parseText(text, length, false, valueText);
  setReclaiming(false);
  return v;
}
