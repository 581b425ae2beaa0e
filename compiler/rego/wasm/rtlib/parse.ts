// Text to values: JSON (RFC 8259, nothing more), and OPA's value text, which adds sets `{1, 2}`, `set()`, keys of any
// type, and a comma behind the last element. Well-formed text gives a value, anything else 0. Of equal keys the last one
// counts, as in Go.
//
// What a collection has is put on a stack until it ends, so that it is made once, and no larger than it is.

import {
  FALSE_VALUE,
  INDEX_THRESHOLD,
  MAX_VALUE_DEPTH,
  NULL_VALUE,
  TRUE_VALUE,
} from "../../../../runtime/abi/layout";
import { arrayPush, listOf, newArray } from "./array";
import { resetBudget } from "./budget";
import { alloc, outgrow, setReclaiming } from "./memory";
import { isInt, newInt, newNumber } from "./number";
import { viewExponent, viewOf } from "./number/view";
import { newObject, objectOf, objectPut } from "./object";
import {
  beginText,
  cursor,
  end,
  expect,
  expectedHere,
  extended,
  FIRST_PLACE,
  moveTo,
  NEXT_KEY,
  NEXT_PLACE,
  placeUnder,
  placeWithin,
  readKey,
  readString,
} from "./parse-string";
import { newSet, setAdd } from "./set";
import { knownHash } from "./table";

let depth: i32 = 0;
/** Whether the last text was refused because it nests too deep: a level that is too deep is never left. */
export function isTooDeep(): bool {
  return depth != 0;
}

/** Whether numbers must be among those that OPA's builtins read. */
let bounded = false;

// What a collection holds while it is read: values of an array, 4 bytes each, members of an object, 8.

/** Where the stack begins in each text; it moves to the heap where that is too little. */
const FIRST_STACK = memory.data(2048);
const FIRST_STACK_SIZE: usize = 2048;
let stack: usize = 0;
/** Behind what is on the stack, and the last place where a member has room. */
let top: usize = 0;
let limit: usize = 0;
/** A collection with more than this is made meanwhile, so that it is not there twice. */
const MOST_PENDING: u32 = 128;

function growStack(): void {
  const used = top - stack;
  const size = (limit + 8 - stack) << 1;
  const larger = alloc(size);
  memory.copy(larger, stack, used);
  outgrow(stack);
  stack = larger;
  top = larger + used;
  limit = larger + size - 8;
}

/** The value that the text is, or 0. With `inPlace` the text must stay as it is for as long as the value lives. */
export function parseText(text: usize, length: u32, inPlace: bool, valueText: bool, isBounded: bool = false): usize {
  let behind = text + length;
  if (behind < text) return 0;
  while (text < behind && isSpace(load<u8>(text))) text++;
  while (text < behind && isSpace(load<u8>(behind - 1))) behind--;
  if (text == behind) return 0;
  beginText(behind, !inPlace, valueText);
  bounded = isBounded;
  depth = 0;
  stack = FIRST_STACK;
  top = stack;
  limit = stack + FIRST_STACK_SIZE - 8;
  const c: u32 = load<u8>(text);
  // INVARIANT: the text of a collection ends with a bracket. No other token has one, so that what is read behind any of them
  // is before the end; and a collection that ends there is in no other. So only tokens are held to the end.
  if ((c | 32) == 123 && (load<u8>(behind - 1) | 32) != 125) return 0;
  const v = parseValue(text, c, FIRST_PLACE);
  outgrow(stack);
  return v != 0 && cursor == behind ? v : 0;
}

function isSpace(c: u32): bool {
  return c <= 32 && (c == 32 || c == 10 || c == 13 || c == 9);
}

/** The end of the space at `p`, in a collection. */
function spaceEnd(p: usize): usize {
  while (isSpace(load<u8>(p))) p++;
  return p;
}

/** The byte at `p`, 0 at the end. */
function byteAt(p: usize): u32 {
  return p < end ? load<u8>(p) : 0;
}

/** The value at `p`, which begins with `c`, or 0. It ends at the cursor. What is remembered of it stands at `place`. */
function parseValue(p: usize, c: u32, place: usize): usize {
  return c == 34 ? readString(p + 1, place) : parseOther(p, c, place);
}

/** The same for all but strings. */
function parseOther(p: usize, c: u32, place: usize): usize {
  if ((c | 32) == 123) return nested(p, c, place);
  switch (c) {
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

function nested(p: usize, open: u32, place: usize): usize {
  if (++depth > MAX_VALUE_DEPTH) return 0;
  const v = open == 91 ? parseArray(p + 1, place) : parseBraces(p + 1, place);
  return --depth > 0 && cursor == end ? 0 : v;
}

/** Takes `length` bytes at `p` if they begin with these four (little-endian). */
function parseWord(p: usize, word: u32, length: usize): bool {
  moveTo(p + length);
  return end - p >= length && load<u32>(p) == word;
}

function parseArray(p: usize, place: usize): usize {
  p = spaceEnd(p);
  let c: u32 = load<u8>(p);
  if (c == 93) {
    moveTo(p + 1);
    return newArray(0);
  }
  let a: usize = 0;
  let count: u32 = 0;
  while (true) {
    const v = c == 34 ? readString(p + 1, place) : parseOther(p, c, place);
    if (v == 0) return 0;
    if (top > limit) growStack();
    store<u32>(top, v);
    top += 4;
    if (++count == MOST_PENDING) {
      a = withElements(a, count);
      count = 0;
    }
    p = cursor;
    p = spaceEnd(p);
    c = load<u8>(p);
    p++;
    if (c != 44) break;
    p = spaceEnd(p);
    c = load<u8>(p);
    if (extended) {
      // A comma may come before the bracket.
      if (c == 93) {
        p++;
        break;
      }
    }
  }
  if (c != 93) return 0;
  moveTo(p);
  return withElements(a, count);
}

/** The array, a new one for 0, with the `count` last values of the stack, which are taken off. */
function withElements(a: usize, count: u32): usize {
  top -= count << 2;
  if (a == 0) return listOf(top, count);
  for (let i: u32 = 0; i < count; i++) arrayPush(a, load<u32>(top + (i << 2)));
  return a;
}

/** After `{`: an object, or in value text a set, as the first element tells. */
function parseBraces(p: usize, above: usize): usize {
  let o: usize = 0;
  let count: u32 = 0;
  // A bit for each key, by its hash: one whose bit is free is new.
  let seen: u64 = 0;
  let distinct = true;
  let place = placeWithin(above);
  let c: u32;
  while (true) {
    let key: usize;
    const length = expectedHere(p, place);
    if (length != 0) {
      p += length;
      key = load<u32>(place, NEXT_KEY);
      place = load<u32>(place, NEXT_PLACE);
      p = spaceEnd(p);
      c = load<u8>(p);
    } else {
      const from = p;
      p = spaceEnd(p);
      c = load<u8>(p);
      if (c == 125 && (extended || (count == 0 && o == 0))) {
        moveTo(p + 1);
        return count == 0 && o == 0 ? newObject(0) : withMembers(o, count, distinct);
      }
      key = parseKey(p, c, place);
      if (key == 0) return 0;
      const quoted = <u32>(cursor - p);
      p = spaceEnd(cursor);
      if (load<u8>(p) != 58) {
        moveTo(p);
        return extended && o == 0 && count == 0 ? parseSet(key, above) : 0;
      }
      p = spaceEnd(p + 1);
      c = load<u8>(p);
      const next = placeUnder(above, key);
      expect(place, from, <u32>(p - from), key, quoted, next);
      place = next;
    }
    const value = c == 34 ? readString(p + 1, place) : parseOther(p, c, place);
    if (value == 0) return 0;
    const hash = knownHash(key);
    const bit = (<u64>1) << hash;
    if ((seen & bit) != 0) distinct = distinct && isNew(hash, count);
    seen |= bit;
    if (top > limit) growStack();
    store<u64>(top, (<u64>value << 32) | key);
    top += 8;
    if (++count == MOST_PENDING) {
      o = withMembers(o, count, distinct);
      count = 0;
    }
    p = cursor;
    p = spaceEnd(p);
    c = load<u8>(p);
    p++;
    if (c != 44) break;
  }
  if (c != 125) return 0;
  moveTo(p);
  return withMembers(o, count, distinct);
}

/** Whether none of the `count` last keys on the stack has the hash. */
function isNew(hash: u32, count: u32): bool {
  // An index finds out.
  if (count > <u32>INDEX_THRESHOLD) return false;
  for (let e = top - (count << 3); e < top; e += 8) if (knownHash(load<u32>(e)) == hash) return false;
  return true;
}

/** As withElements, for members of an object. */
function withMembers(o: usize, count: u32, distinct: bool): usize {
  top -= count << 3;
  if (o == 0) return objectOf(top, count, distinct);
  for (let i: u32 = 0; i < count; i++) objectPut(o, load<u32>(top + (i << 3)), load<u32>(top + (i << 3), 4));
  return o;
}

function parseKey(p: usize, c: u32, place: usize): usize {
  if (c == 34) return readKey(p + 1, place);
  return extended ? parseOther(p, c, place) : 0;
}

/** After the first element of a set. */
function parseSet(first: usize, place: usize): usize {
  const s = newSet(0);
  let v = first;
  while (v != 0) {
    setAdd(s, v);
    let p = spaceEnd(cursor);
    let c: u32 = load<u8>(p);
    if (c == 44) {
      p = spaceEnd(p + 1);
      c = load<u8>(p);
      if (c != 125) {
        v = parseValue(p, c, place);
        continue;
      }
    }
    moveTo(p + 1);
    return c == 125 ? s : 0;
  }
  return 0;
}

/** The end of the digits at `p`. */
function digitsEnd(p: usize): usize {
  while (byteAt(p) - 48 <= 9) p++;
  return p;
}

function parseNumber(start: usize): usize {
  let p = start;
  let value: u64 = 0;
  let digit: u32 = load<u8>(p) - 48;
  while (digit <= 9) {
    value = value * 10 + digit;
    digit = byteAt(++p) - 48;
  }
  // A few digits and nothing more, which do not begin with a 0 that is not all.
  if (p - start - 1 < 18 && (p - start == 1 || load<u8>(start) != 48) && digit != <u32>-2 && ((digit + 48) | 32) != 101) {
    moveTo(p);
    return newInt(value);
  }
  p = start;
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
  moveTo(p);
  const v = newNumber(start, <u32>(p - start));
  // A text of the host may hold any number; one that a policy reads may not, as in OPA.
  return bounded && !isInt(v) && !inRange(v) ? 0 : v;
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
