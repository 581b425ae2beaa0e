// Cutting characters off the ends of strings.

import { chargeBytes } from "../budget";
import { bytesOf, codePointAt, firstOf, isSymbolic, lastOf, lengthOf, widthAt } from "../string";
import { isStatic, isString } from "../value";
import { hasPrefix, hasSuffix, part } from "./strings";

/** Which ASCII characters the cutset holds, and of which cutset that is known. */
let knownCutset: usize = 0;
let lowCharacters: u64 = 0;
let highCharacters: u64 = 0;
/** The same of the cutset before: policies that trim by two of them do so by turns. */
let otherCutset: usize = 0;
let otherLow: u64 = 0;
let otherHigh: u64 = 0;

function learn(cutset: usize): void {
  const before = knownCutset;
  const beforeLow = lowCharacters;
  const beforeHigh = highCharacters;
  if (cutset == otherCutset) {
    lowCharacters = otherLow;
    highCharacters = otherHigh;
    knownCutset = cutset;
  } else {
    readCutset(cutset);
  }
  otherCutset = before;
  otherLow = beforeLow;
  otherHigh = beforeHigh;
}

function readCutset(cutset: usize): void {
  let low: u64 = 0;
  let high: u64 = 0;
  const end = bytesOf(cutset) + lengthOf(cutset);
  chargeBytes(lengthOf(cutset) << 1);
  for (let p = bytesOf(cutset); p < end; p++) {
    const byte: u64 = load<u8>(p);
    if (byte < 64) low |= (<u64>1) << byte;
    else if (byte < 128) high |= (<u64>1) << (byte - 64);
  }
  lowCharacters = low;
  highCharacters = high;
  knownCutset = cutset;
}

function holdsOther(cutset: usize, code: u32): bool {
  let p = bytesOf(cutset);
  const end = p + lengthOf(cutset);
  while (p < end && codePointAt(p, end) != code) p += widthAt(p, end);
  chargeBytes(<u32>(p - bytesOf(cutset)) << 1);
  return p < end;
}

/** Unicode's White_Space. */
export function isSpace(code: u32): bool {
  if (code < 0x100) return code == 32 || (code >= 9 && code <= 13) || code == 0x85 || code == 0xa0;
  if (code >= 0x2000 && code <= 0x200a) return true;
  return code == 0x1680 || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

/** The ASCII characters of White_Space, all of which are below 64: space, and tab to carriage return. */
const LOW_SPACES: u64 = 0x100003e00;

/** Whether the character, which is not ASCII, goes. `cutset` 0 stands for white space. */
function wideIsCut(cutset: usize, at: usize, end: usize): bool {
  const code = codePointAt(at, end);
  return cutset == 0 ? isSpace(code) : holdsOther(cutset, code);
}

/** Whether a string that is not empty stays as it is, as far as its ends tell: only where they are ASCII. */
function keepsEnds(text: usize, low: u64, high: u64, left: bool, right: bool): bool {
  let first: u32;
  let last: u32;
  if (isSymbolic(text)) {
    first = firstOf(text);
    last = lastOf(text);
  } else {
    first = load<u8>(bytesOf(text));
    last = load<u8>(bytesOf(text) + lengthOf(text) - 1);
  }
  if ((left && first - 1 >= 127) || (right && last - 1 >= 127)) return false;
  return !(left && isCut(first, low, high)) && !(right && isCut(last, low, high));
}

/** Whether an ASCII character goes. */
function isCut(character: u32, low: u64, high: u64): bool {
  return (((character < 64 ? low : high) >> (character & 63)) & 1) != 0;
}

/** Address of the character that ends at `end`, which is behind `from`. */
function lastBefore(from: usize, end: usize): usize {
  let at = end - 1;
  const first = end - from > 4 ? end - 4 : from;
  while (at > first && (load<u8>(at) & 0xc0) == 0x80) at--;
  return at + widthAt(at, end) == end ? at : end - 1;
}

function trim(text: usize, cutset: usize, left: bool, right: bool): usize {
  if (!isStatic(cutset)) {
    // One of the policy's never changes; where this one is, another may have been.
    knownCutset = 0;
    otherCutset = 0;
  }
  if (cutset != 0 && cutset != knownCutset) learn(cutset);
  const low = cutset == 0 ? LOW_SPACES : lowCharacters;
  const high = cutset == 0 ? 0 : highCharacters;
  // Most texts are not cut.
  if ((isSymbolic(text) || lengthOf(text) > 0) && keepsEnds(text, low, high, left, right)) return text;
  let from = bytesOf(text);
  let to = from + lengthOf(text);
  if (left) {
    while (from < to) {
      const byte: u32 = load<u8>(from);
      if (byte < 128) {
        if (!isCut(byte, low, high)) break;
        from++;
      } else {
        if (!wideIsCut(cutset, from, to)) break;
        from += widthAt(from, to);
      }
    }
  }
  if (right) {
    while (from < to) {
      const last = lastBefore(from, to);
      const byte: u32 = load<u8>(last);
      if (!(byte < 128 ? isCut(byte, low, high) : wideIsCut(cutset, last, to))) break;
      to = last;
    }
  }
  chargeBytes((lengthOf(text) - <u32>(to - from)) << 1);
  return <u32>(to - from) == lengthOf(text) ? text : part(from, to);
}

export function builtin_trim(text: usize, cutset: usize): usize {
  return isString(text) && isString(cutset) ? trim(text, cutset, true, true) : 0;
}

export function builtin_trim_left(text: usize, cutset: usize): usize {
  return isString(text) && isString(cutset) ? trim(text, cutset, true, false) : 0;
}

export function builtin_trim_right(text: usize, cutset: usize): usize {
  return isString(text) && isString(cutset) ? trim(text, cutset, false, true) : 0;
}

export function builtin_trim_space(text: usize): usize {
  return isString(text) ? trim(text, 0, true, true) : 0;
}

export function builtin_trim_prefix(text: usize, prefix: usize): usize {
  if (!isString(text) || !isString(prefix)) return 0;
  const at = bytesOf(text);
  return hasPrefix(text, prefix) ? part(at + lengthOf(prefix), at + lengthOf(text)) : text;
}

export function builtin_trim_suffix(text: usize, suffix: usize): usize {
  if (!isString(text) || !isString(suffix)) return 0;
  const at = bytesOf(text);
  return hasSuffix(text, suffix) ? part(at, at + lengthOf(text) - lengthOf(suffix)) : text;
}
