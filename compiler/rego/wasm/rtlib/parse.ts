// Text to values: JSON (RFC 8259, nothing more), and OPA's value text, which adds sets `{1, 2}`, `set()`, keys of any
// type, and a comma behind the last element. Well-formed text gives a value, anything else 0. Of equal keys the last one
// counts, as in Go.
//
// What a collection has is put on a stack until it ends, so that it is made once, and no larger than it is.

import { FALSE_VALUE, MAX_VALUE_DEPTH, NULL_VALUE, TRUE_VALUE } from "../../../../runtime/abi/layout";
import { arrayPush, listOf, newArray } from "./array";
import { resetBudget } from "./budget";
import { alloc, outgrow, setReclaiming } from "./memory";
import { isInt, newNumber } from "./number";
import { viewExponent, viewOf } from "./number/view";
import { newObject, objectOf, objectPut } from "./object";
import { newSet, setAdd } from "./set";
import { beginStrings, readKey, readString, stringEnd } from "./parse-string";

let end: usize = 0;
/** Behind the value that was read last. */
let at: usize = 0;
let depth: i32 = 0;
/** Whether values must not refer to the text, because it will not stay. */
let copying = false;
/** Whether sets and keys of any type are accepted. */
let extended = false;

/** Where the stack begins in each text; it moves to the heap where that is too little. */
const FIRST_STACK = memory.data(2048);
const FIRST_STACK_SIZE: usize = 2048;
let stack: usize = 0;
/** Bytes of the stack that are taken, and that there are. */
let top: usize = 0;
let limit: usize = 0;
/** Bytes that one collection has on the stack at most: a larger one is made meanwhile, so that its elements are not there twice. */
const MOST_PENDING: usize = 1024;

// @ts-ignore: decorator
@inline
function push(word: usize): void {
  if (top == limit) growStack();
  store<u32>(stack + top, word);
  top += 4;
}

function growStack(): void {
  const larger = alloc(limit << 1);
  memory.copy(larger, stack, top);
  outgrow(stack);
  stack = larger;
  limit <<= 1;
}

/** The value that the text is, or 0. With `inPlace` the text must stay as it is for as long as the value lives. */
export function parseText(text: usize, length: u32, inPlace: bool, valueText: bool): usize {
  if (text + length < text) return 0;
  end = text + length;
  depth = 0;
  copying = !inPlace;
  extended = valueText;
  stack = FIRST_STACK;
  top = 0;
  limit = FIRST_STACK_SIZE;
  beginStrings();
  const v = parseValue(text);
  outgrow(stack);
  return v != 0 && skipSpace(at) == end ? v : 0;
}

/** The end of the space at `p`. */
function skipSpace(p: usize): usize {
  for (; p < end; p++) {
    const c: u32 = load<u8>(p);
    if (c > 32 || (c != 32 && c != 10 && c != 13 && c != 9)) break;
  }
  return p;
}

/** The byte at `p`, 0 at the end. */
function byteAt(p: usize): u32 {
  return p < end ? load<u8>(p) : 0;
}

/** The value at `p`, which space may precede, or 0. It ends at `at`. */
function parseValue(p: usize): usize {
  p = skipSpace(p);
  const c = byteAt(p);
  switch (c) {
    case 34:
      return parseString(p);
    case 123:
      return nested(p, c);
    case 91:
      return nested(p, c);
    case 116:
      return parseWord(p, 0x65757274, 4) ? TRUE_VALUE : 0;
    case 102:
      return parseWord(p, 0x736c6166, 5) && load<u8>(p, 4) == 101 ? FALSE_VALUE : 0;
    case 110:
      return parseWord(p, 0x6c6c756e, 4) ? NULL_VALUE : 0;
    case 115:
      return extended && parseWord(p, 0x28746573, 5) && load<u8>(p, 4) == 41 ? newSet(0) : 0;
    default:
      return parseNumber(p);
  }
}

function nested(p: usize, open: u32): usize {
  if (++depth > MAX_VALUE_DEPTH) return 0;
  const v = open == 91 ? parseArray(p + 1) : parseBraces(p + 1);
  depth--;
  return v;
}

/** Takes `length` bytes at `p` if they begin with these four (little-endian). */
function parseWord(p: usize, word: u32, length: usize): bool {
  at = p + length;
  return end - p >= length && load<u32>(p) == word;
}

function parseString(p: usize): usize {
  const v = readString(p + 1, end, copying, extended);
  at = stringEnd;
  return v;
}

function parseArray(p: usize): usize {
  p = skipSpace(p);
  if (byteAt(p) == 93) {
    at = p + 1;
    return newArray(0);
  }
  const from = top;
  let a: usize = 0;
  at = p;
  let c: u32;
  do {
    const v = parseValue(at);
    if (v == 0) return 0;
    push(v);
    if (top - from == MOST_PENDING) a = withElements(a, from);
    c = separator(93);
  } while (c == 44);
  return c == 93 ? withElements(a, from) : 0;
}

/** The array, a new one for 0, with the elements on the stack from there on, which are taken off. */
function withElements(a: usize, from: usize): usize {
  const first = stack + from;
  const behind = stack + top;
  top = from;
  if (a == 0) return listOf(first, <u32>(behind - first) >> 2);
  for (let p = first; p < behind; p += 4) arrayPush(a, load<u32>(p));
  return a;
}

/** After `{`: an object, or in value text a set, as the first element tells. */
function parseBraces(p: usize): usize {
  p = skipSpace(p);
  if (byteAt(p) == 125) {
    at = p + 1;
    return newObject(0);
  }
  const from = top;
  let o: usize = 0;
  at = p;
  let c: u32;
  do {
    const key = parseKey(at);
    if (key == 0) return 0;
    p = skipSpace(at);
    if (byteAt(p) != 58) return extended && o == 0 && top == from ? parseSet(key) : 0;
    push(key);
    const value = parseValue(p + 1);
    if (value == 0) return 0;
    push(value);
    if (top - from == MOST_PENDING) o = withMembers(o, from);
    c = separator(125);
  } while (c == 44);
  return c == 125 ? withMembers(o, from) : 0;
}

/** As withElements, for the members of an object. */
function withMembers(o: usize, from: usize): usize {
  const first = stack + from;
  const behind = stack + top;
  top = from;
  if (o == 0) return objectOf(first, <u32>(behind - first) >> 3);
  for (let e = first; e < behind; e += 8) objectPut(o, load<u32>(e), load<u32>(e, 4));
  return o;
}

function parseKey(p: usize): usize {
  if (byteAt(p) != 34) return extended ? parseValue(p) : 0;
  const v = readKey(p + 1, end, copying, extended);
  at = stringEnd;
  return v;
}

/** After the first element of a set. */
function parseSet(first: usize): usize {
  const s = newSet(0);
  setAdd(s, first);
  let c = separator(125);
  while (c == 44) {
    const v = parseValue(at);
    if (v == 0) return 0;
    setAdd(s, v);
    c = separator(125);
  }
  return c == 125 ? s : 0;
}

/** Takes what follows an element: a comma, and in value text the bracket behind it, too, or the bracket that ends them all. */
// @ts-ignore: decorator
@inline
function separator(close: u32): u32 {
  const p = skipSpace(at);
  const c = byteAt(p);
  at = p + 1;
  if (c != 44) return c;
  at = skipSpace(at);
  if (!extended || byteAt(at) != close) return c;
  at++;
  return close;
}

/** The end of the digits at `p`. */
function digitsEnd(p: usize): usize {
  while (byteAt(p) - 48 <= 9) p++;
  return p;
}

function parseNumber(start: usize): usize {
  let p = start;
  if (byteAt(p) == 45) p++;
  let digits = p;
  p = byteAt(p) == 48 ? p + 1 : digitsEnd(p);
  if (p == digits) return 0;
  if (byteAt(p) == 46) {
    digits = p + 1;
    p = digitsEnd(digits);
    if (p == digits) return 0;
  }
  if ((byteAt(p) | 32) == 101) {
    const sign = byteAt(++p);
    if (sign == 43 || sign == 45) p++;
    digits = p;
    p = digitsEnd(p);
    if (p == digits) return 0;
  }
  at = p;
  const v = newNumber(start, <u32>(p - start));
  // A text of the host may hold any number; one that a policy reads, in place, may not, as in OPA.
  return !extended && !copying && !isInt(v) && !inRange(v) ? 0 : v;
}

/** Decimal exponents between which OPA reads numbers: 2**100000 and its inverse. */
const MAX_EXPONENT: i64 = 30103;

function inRange(v: usize): bool {
  const exponent = viewExponent(viewOf(v, 0));
  return exponent <= MAX_EXPONENT && exponent > -MAX_EXPONENT;
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
