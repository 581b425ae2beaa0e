// Finding bytes in bytes, in time linear in both however they repeat themselves.

import { chargeBytes } from "../budget";
import { alloc, heapMark, heapRelease } from "../memory";

/** Below this product of lengths, comparing at every place is cheap enough. */
const NAIVE_LIMIT: u32 = 4096;

let needle: usize = 0;
let needleLength: u32 = 0;
/** Knuth-Morris-Pratt: for each prefix of the needle the length of its longest border; 0 for none needed. */
let borders: usize = 0;

function isShort(length: u32, textLength: u32): bool {
  return <u64>length * <u64>textLength <= <u64>NAIVE_LIMIT;
}

/** Whether `length` (at least 1) bytes stand between two addresses. */
export function occurs(bytes: usize, length: u32, from: usize, end: usize): bool {
  const textLength = <u32>(end - from);
  if (length > textLength) return false;
  let found: usize;
  if (length == 1) {
    found = findByte(load<u8>(bytes), from, end);
  } else if (isShort(length, textLength)) {
    found = findShort(bytes, length, from, end);
  } else {
    const mark = heapMark();
    searchFor(bytes, length, textLength);
    found = find(from, end);
    heapRelease(mark);
  }
  chargeSearch(from, found == 0 ? end : found);
  return found != 0;
}

/** Byte by byte, unlike comparing. */
function chargeSearch(from: usize, to: usize): void {
  chargeBytes(<u32>(to - from) << 2);
}

/** Readies a search for `length` (at least 1) bytes in texts of at most `textLength` bytes. One at a time. */
export function searchFor(bytes: usize, length: u32, textLength: u32): void {
  needle = bytes;
  needleLength = length;
  borders = 0;
  if (length < 2 || length > textLength || isShort(length, textLength)) return;
  borders = alloc(length << 2);
  chargeBytes(length << 2);
  store<u32>(borders, 0);
  let border: u32 = 0;
  for (let i: u32 = 1; i < length; i++) {
    const byte = load<u8>(bytes + i);
    while (border > 0 && load<u8>(bytes + border) != byte) border = load<u32>(borders + ((border - 1) << 2));
    if (load<u8>(bytes + border) == byte) border++;
    store<u32>(borders + (i << 2), border);
  }
}

/** Address of the next occurrence that begins at `from` or later, or 0. */
export function findNext(from: usize, end: usize): usize {
  if (needleLength > <u32>(end - from)) return 0;
  const found = find(from, end);
  chargeSearch(from, found == 0 ? end : found);
  return found;
}

function find(from: usize, end: usize): usize {
  if (borders == 0)
    return needleLength == 1 ? findByte(load<u8>(needle), from, end) : findShort(needle, needleLength, from, end);
  let k: u32 = 0;
  for (let at = from; at < end; at++) {
    const byte = load<u8>(at);
    while (k > 0 && load<u8>(needle + k) != byte) k = load<u32>(borders + ((k - 1) << 2));
    if (load<u8>(needle + k) == byte) k++;
    if (k == needleLength) return at + 1 - needleLength;
  }
  return 0;
}

// Eight places at a time: a byte of the word is 0 where the text has the byte that is looked for. The lowest of the bits that
// `zeros` gives is right; those above it may not be.
const LOW: u64 = 0x0101010101010101;
const HIGH: u64 = 0x8080808080808080;

function zeros(word: u64): u64 {
  return (word - LOW) & ~word & HIGH;
}

function findByte(byte: u8, from: usize, end: usize): usize {
  let at = from;
  if (at + 8 <= end) {
    const all = <u64>byte * LOW;
    for (; at + 8 <= end; at += 8) {
      const found = zeros(load<u64>(at) ^ all);
      if (found != 0) return at + <usize>(ctz(found) >> 3);
    }
    // What is left, with places before it that do not have the byte.
    const last = end - 8;
    const found = zeros(load<u64>(last) ^ all);
    return found == 0 ? 0 : last + <usize>(ctz(found) >> 3);
  }
  for (; at < end; at++) if (load<u8>(at) == byte) return at;
  return 0;
}

/** By its first two bytes. */
function findShort(bytes: usize, length: u32, from: usize, end: usize): usize {
  const last = end - length;
  let at = from;
  if (at + 9 <= end) {
    const firsts = <u64>load<u8>(bytes) * LOW;
    const seconds = <u64>load<u8>(bytes + 1) * LOW;
    while (at + 9 <= end) {
      const places = zeros((load<u64>(at) ^ firsts) | (load<u64>(at + 1) ^ seconds));
      if (places == 0) {
        at += 8;
        continue;
      }
      at += <usize>(ctz(places) >> 3);
      if (at > last) return 0;
      if (stands(bytes, length, at)) return at;
      at++;
    }
    // What is left, with places before it that come again, and do not count.
    const word = end - 9;
    while (at <= last) {
      const places = zeros((load<u64>(word) ^ firsts) | (load<u64>(word + 1) ^ seconds));
      const found = places & (<u64>-1 << (<u64>(at - word) << 3));
      if (found == 0) return 0;
      at = word + <usize>(ctz(found) >> 3);
      if (at > last) return 0;
      if (stands(bytes, length, at)) return at;
      at++;
    }
    return 0;
  }
  for (; at <= last; at++) if (stands(bytes, length, at)) return at;
  return 0;
}

function stands(bytes: usize, length: u32, at: usize): bool {
  for (let i: u32 = 0; i < length; i++) if (load<u8>(at + i) != load<u8>(bytes + i)) return false;
  return true;
}

/**
 * The same for occurrences that may overlap: called with the text's start first, then with what it returned. It keeps
 * what it has matched between calls, so `from` must not be anything else.
 */
export function findOverlapping(from: usize, end: usize, again: bool): usize {
  if (borders == 0) return findNext(again ? from + 1 : from, end);
  let k: u32 = again ? load<u32>(borders + ((needleLength - 1) << 2)) : 0;
  for (let at = again ? from + needleLength : from; at < end; at++) {
    const byte = load<u8>(at);
    while (k > 0 && load<u8>(needle + k) != byte) k = load<u32>(borders + ((k - 1) << 2));
    if (load<u8>(needle + k) == byte) k++;
    if (k == needleLength) return at + 1 - needleLength;
  }
  return 0;
}
