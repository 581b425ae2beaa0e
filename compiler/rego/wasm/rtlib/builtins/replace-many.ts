// strings.replace_n: all old strings at once, in one pass from left to right. At each place the first old string in
// sorted order that fits wins, so an old string that begins with another old string never gets its turn. The empty one
// fits at every place, but not twice in a row. Places are bytes.
//
// The strings are made ready as one block that holds no addresses: of an object that is a constant of the policy by the
// compiler, as the program of a pattern (regex/known.ts), of any other at each call.
//
//   +0  u32  count of entries           +4  u32  size of the block, a multiple of 4
//   +8       32 bytes: a bit for each byte that an old string begins with
//   +40 u32  whether the empty string is replaced     +44 u32, +48 u32  by what: offset, length
//   +52      entries in order, none a prefix of another: old string (offset, length), new string (offset, length); their bytes

import { Buffer, bufferString, newBuffer, putBytes } from "../buffer";
import { charge, chargeBytes } from "../budget";
import { copyBytes } from "../copy";
import { alloc } from "../memory";
import { objectKeyAt, objectValueAt, sortObject } from "../object";
import { bytesOf, lengthOf, sameBytes } from "../string";
import { countOf, isObject, isString } from "../value";
import { knownProgram } from "./regex/known";
import { hasPrefix } from "./strings";

const FIRST_BYTES: usize = 8;
const EMPTY: usize = 40;
const ENTRIES: usize = 52;
const ENTRY: usize = 16;

export function builtin_strings_replace_n(patterns: usize, text: usize): usize {
  if (!isObject(patterns) || !isString(text)) return 0;
  const known = knownProgram(patterns, 0);
  const block = known == 0 ? build_replacements(patterns) : known;
  return block == 0 ? 0 : replaceAll(block, text);
}

/** A new block, or 0 where not all are strings. Also called by the compiler, for the constants of a policy. */
export function build_replacements(patterns: usize): usize {
  sortObject(patterns);
  const n = countOf(patterns);
  let bytes: u64 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const old = objectKeyAt(patterns, i);
    const replacement = objectValueAt(patterns, i);
    if (!isString(old) || !isString(replacement)) return 0;
    bytes += <u64>lengthOf(old) + <u64>lengthOf(replacement);
  }
  const size = (<u64>ENTRIES + <u64>n * <u64>ENTRY + bytes + 3) & ~3;
  const block = alloc(size > <u64>u32.MAX_VALUE - 64 ? u32.MAX_VALUE - 64 : <usize>size);
  charge(<i32>(size >> 6));
  memory.fill(block, 0, ENTRIES);
  store<u32>(block, <u32>size, 4);
  let count: u32 = 0;
  let last: usize = 0;
  let to = block + ENTRIES + <usize>n * ENTRY;
  for (let i: u32 = 0; i < n; i++) {
    const old = objectKeyAt(patterns, i);
    const replacement = objectValueAt(patterns, i);
    if (last != 0 && hasPrefix(old, last)) continue;
    let entry = block + EMPTY + 4;
    if (lengthOf(old) == 0) {
      store<u32>(block, 1, EMPTY);
    } else {
      const first: usize = load<u8>(bytesOf(old));
      const bits = block + FIRST_BYTES + (first >> 3);
      store<u8>(bits, load<u8>(bits) | <u8>(<u32>1 << (<u32>first & 7)));
      entry = entryAt(block, count);
      count++;
      to = putPart(entry, old, to, block);
      entry += 8;
      last = old;
    }
    to = putPart(entry, replacement, to, block);
  }
  store<u32>(block, count);
  memory.fill(to, 0, block + <usize>size - to);
  return block;
}

/** Copies the string to `to`, writes offset and length, and returns the address behind the copy. */
function putPart(place: usize, s: usize, to: usize, block: usize): usize {
  const length = lengthOf(s);
  store<u32>(place, <u32>(to - block));
  store<u32>(place, length, 4);
  copyBytes(to, bytesOf(s), length);
  return to + length;
}

function replaceAll(block: usize, text: usize): usize {
  const length = lengthOf(text);
  const hasEmpty = load<u32>(block, EMPTY) != 0;
  let at = bytesOf(text);
  const end = at + length;
  let copied = at;
  let afterEmpty = false;
  let b: Buffer = 0;
  chargeBytes(length << 1);
  while (true) {
    let part = block + EMPTY + 4;
    let width: u32 = 0;
    if (!hasEmpty || afterEmpty) {
      if (!hasEmpty) at = firstPlace(block, at, end);
      if (at == end) break;
      afterEmpty = false;
      const entry = find(block, at, end);
      if (entry == 0) {
        at++;
        continue;
      }
      width = load<u32>(entry, 4);
      part = entry + 8;
    } else {
      afterEmpty = true;
    }
    if (b == 0) b = newBuffer(length);
    putBytes(b, copied, <u32>(at - copied));
    putBytes(b, block + load<u32>(part), load<u32>(part, 4));
    at += width;
    copied = at;
  }
  if (b == 0) return text;
  putBytes(b, copied, <u32>(end - copied));
  return bufferString(b);
}

/** Address of the first byte from `at` on that an old string begins with, or `end`. */
function firstPlace(block: usize, at: usize, end: usize): usize {
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if ((load<u8>(block + FIRST_BYTES + (byte >> 3)) & (1 << (byte & 7))) != 0) break;
  }
  return at;
}

/** The entry whose old string the text at `at` begins with, or 0: it can only be the last one that is not greater. */
function find(block: usize, at: usize, end: usize): usize {
  let low: u32 = 0;
  let high = load<u32>(block);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (notGreater(block, entryAt(block, middle), at, end)) low = middle + 1;
    else high = middle;
  }
  if (low == 0) return 0;
  const entry = entryAt(block, low - 1);
  const length = load<u32>(entry, 4);
  return length <= <u32>(end - at) && sameBytes(block + load<u32>(entry), at, length) ? entry : 0;
}

function entryAt(block: usize, i: u32): usize {
  return block + ENTRIES + <usize>i * ENTRY;
}

function notGreater(block: usize, entry: usize, at: usize, end: usize): bool {
  let p = block + load<u32>(entry);
  const stop = p + load<u32>(entry, 4);
  while (p < stop && at < end) {
    const x = load<u8>(p++);
    const y = load<u8>(at++);
    if (x != y) return x < y;
  }
  return p == stop;
}
