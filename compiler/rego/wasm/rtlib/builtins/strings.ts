// Strings: comparison, search, cutting and joining. Positions and lengths that policies see are counted in code points.

import { arrayPush, newArray } from "../array";
import { bufferString, newBuffer, putByte, putBytes, putString } from "../buffer";
import { chargeBytes } from "../budget";
import { copyBytes } from "../copy";
import { heapMark, heapRelease } from "../memory";
import { newInt, readInt, readInteger } from "../number";
import { sortSet } from "../set";
import { bytesOf, codePointCount, countBetween, lengthOf, newString, refString, sameBytes, wellFormed, widthAt } from "../string";
import { entriesOf } from "../table";
import { countOf, isArray, isNumber, isSet, isString, newBoolean } from "../value";
import { findNext, findOverlapping, occurs, searchFor } from "./search";

/** A part of a string; it shares the bytes. */
export function part(from: usize, to: usize): usize {
  return refString(from, <u32>(to - from));
}

export function builtin_startswith(text: usize, prefix: usize): usize {
  if (!isString(text) || !isString(prefix)) return 0;
  return newBoolean(hasPrefix(text, prefix));
}

export function builtin_endswith(text: usize, suffix: usize): usize {
  if (!isString(text) || !isString(suffix)) return 0;
  return newBoolean(hasSuffix(text, suffix));
}

export function hasPrefix(text: usize, prefix: usize): bool {
  const n = lengthOf(prefix);
  return n <= lengthOf(text) && sameBytes(bytesOf(text), bytesOf(prefix), n);
}

export function hasSuffix(text: usize, suffix: usize): bool {
  const n = lengthOf(suffix);
  return n <= lengthOf(text) && sameBytes(bytesOf(text) + (lengthOf(text) - n), bytesOf(suffix), n);
}

export function builtin_contains(text: usize, wanted: usize): usize {
  if (!isString(text) || !isString(wanted)) return 0;
  const n = lengthOf(wanted);
  if (n == 0) return newBoolean(true);
  const from = bytesOf(text);
  return newBoolean(occurs(bytesOf(wanted), n, from, from + lengthOf(text)));
}

/** Character by character, so that all bytes that begin none are the same, as in OPA. */
export function builtin_indexof(text: usize, wanted: usize): usize {
  if (!isString(text) || !isString(wanted) || lengthOf(wanted) == 0) return 0;
  const mark = heapMark();
  text = wellFormed(text);
  wanted = wellFormed(wanted);
  searchFor(bytesOf(wanted), lengthOf(wanted), lengthOf(text));
  const found = findNext(bytesOf(text), bytesOf(text) + lengthOf(text));
  heapRelease(mark);
  if (found == 0) return newInt(-1);
  chargeBytes(<u32>(found - bytesOf(text)));
  return newInt(countBetween(bytesOf(text), found));
}

export function builtin_indexof_n(text: usize, wanted: usize): usize {
  if (!isString(text) || !isString(wanted) || lengthOf(wanted) == 0) return 0;
  text = wellFormed(text);
  wanted = wellFormed(wanted);
  const start = bytesOf(text);
  const end = start + lengthOf(text);
  chargeBytes(lengthOf(text));
  searchFor(bytesOf(wanted), lengthOf(wanted), lengthOf(text));
  const result = newArray(0);
  let counted = start;
  let index: i64 = 0;
  for (let at = findOverlapping(start, end, false); at != 0; at = findOverlapping(at, end, true)) {
    index += countBetween(counted, at);
    counted = at;
    arrayPush(result, newInt(index));
  }
  return result;
}

/** How often it occurs, without overlaps. The empty string does so around every code point. */
export function builtin_strings_count(text: usize, wanted: usize): usize {
  if (!isString(text) || !isString(wanted)) return 0;
  const n = lengthOf(wanted);
  if (n == 0) return newInt(codePointCount(text) + 1);
  const end = bytesOf(text) + lengthOf(text);
  const mark = heapMark();
  searchFor(bytesOf(wanted), n, lengthOf(text));
  let count: i64 = 0;
  for (let at = findNext(bytesOf(text), end); at != 0; at = findNext(at + n, end)) count++;
  heapRelease(mark);
  return newInt(count);
}

/** Address of code point number `index` from `at` on, or `end`. */
function skip(at: usize, end: usize, index: i64): usize {
  const from = at;
  for (; index > 0 && at < end; index--) at += widthAt(at, end);
  chargeBytes(<u32>(at - from) << 1);
  return at;
}

export function builtin_substring(text: usize, offset: usize, length: usize): usize {
  if (!isString(text) || !isNumber(offset) || !isNumber(length) || !readInt(offset) || readInteger < 0) return 0;
  const offsetInteger = readInteger;
  if (!readInt(length)) return 0;
  const plain = wellFormed(text);
  if (plain != text) {
    // The whole of it keeps its bytes; a part is of characters, as in OPA.
    if (offsetInteger == 0 && readInteger >= <i64>codePointCount(text)) return text;
    text = plain;
  }
  const end = bytesOf(text) + lengthOf(text);
  const from = skip(bytesOf(text), end, offsetInteger);
  return part(from, readInteger < 0 ? end : skip(from, end, readInteger));
}

export function builtin_split(text: usize, separator: usize): usize {
  if (!isString(text) || !isString(separator)) return 0;
  const n = lengthOf(separator);
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  const result = newArray(4);
  if (n == 0) {
    // Into code points; nothing of nothing.
    while (at < end) {
      const next = at + widthAt(at, end);
      arrayPush(result, part(at, next));
      at = next;
    }
    return result;
  }
  searchFor(bytesOf(separator), n, lengthOf(text));
  for (let found = findNext(at, end); found != 0; found = findNext(at, end)) {
    arrayPush(result, part(at, found));
    at = found + n;
  }
  arrayPush(result, part(at, end));
  return result;
}

export function builtin_replace(text: usize, old: usize, replacement: usize): usize {
  if (!isString(text) || !isString(old) || !isString(replacement)) return 0;
  const n = lengthOf(old);
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  if (n == 0) return replaceNothing(text, replacement);
  searchFor(bytesOf(old), n, lengthOf(text));
  let found = findNext(at, end);
  if (found == 0) return text;
  const b = newBuffer();
  for (; found != 0; found = findNext(at, end)) {
    putBytes(b, at, <u32>(found - at));
    putString(b, replacement);
    at = found + n;
  }
  putBytes(b, at, <u32>(end - at));
  return bufferString(b);
}

/** The replacement around every byte, as in OPA. */
function replaceNothing(text: usize, replacement: usize): usize {
  const b = newBuffer();
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  putString(b, replacement);
  while (at < end) {
    putByte(b, load<u8>(at++));
    putString(b, replacement);
  }
  return bufferString(b);
}

/** Joins the strings of an array, or of a set in order. */
export function builtin_concat(separator: usize, strings: usize): usize {
  if (!isString(separator)) return 0;
  if (!isArray(strings)) {
    if (!isSet(strings)) return 0;
    sortSet(strings);
  }
  const n = countOf(strings);
  const items = entriesOf(strings);
  const between = lengthOf(separator);
  let length: u64 = n > 1 ? <u64>(n - 1) * <u64>between : 0;
  for (let i: u32 = 0; i < n; i++) {
    const s: usize = load<u32>(items + (i << 2));
    if (!isString(s)) return 0;
    length += lengthOf(s);
  }
  const result = newString(length > <u64>u32.MAX_VALUE - 64 ? u32.MAX_VALUE - 64 : <u32>length);
  let to = bytesOf(result);
  for (let i: u32 = 0; i < n; i++) {
    if (i > 0 && between > 0) {
      copyBytes(to, bytesOf(separator), between);
      to += between;
    }
    const s: usize = load<u32>(items + (i << 2));
    const size = lengthOf(s);
    copyBytes(to, bytesOf(s), size);
    to += size;
  }
  return result;
}

export function builtin_strings_reverse(text: usize): usize {
  if (!isString(text)) return 0;
  const n = lengthOf(text);
  const result = newString(n);
  let at = bytesOf(text);
  const end = at + n;
  let to = bytesOf(result) + n;
  while (at < end) {
    const size = widthAt(at, end);
    to -= size;
    memory.copy(to, at, size);
    at += size;
  }
  return result;
}
