// strings.replace_n: all old strings at once, in one pass from left to right. At each place the first old string in
// sorted order that fits wins, so an old string that begins with another old string never gets its turn. The empty one
// fits at every place, but not twice in a row. Places are bytes.

import { bufferString, newBuffer, putBytes, putString } from "../buffer";
import { alloc } from "../memory";
import { objectKeyAt, objectValueAt, sortObject } from "../object";
import { bytesOf, lengthOf, sameBytes } from "../string";
import { countOf, isObject, isString } from "../value";
import { hasPrefix } from "./strings";

export function builtin_strings_replace_n(patterns: usize, text: usize): usize {
  if (!isObject(patterns) || !isString(text)) return 0;
  sortObject(patterns);
  const n = countOf(patterns);
  // Entries (old, new) in order, without those that never get their turn: none is a prefix of another.
  const entries = alloc(n << 3);
  let count: u32 = 0;
  let empty: usize = 0;
  for (let i: u32 = 0; i < n; i++) {
    const old = objectKeyAt(patterns, i);
    const replacement = objectValueAt(patterns, i);
    if (!isString(old) || !isString(replacement)) return 0;
    if (lengthOf(old) == 0) {
      empty = replacement;
      continue;
    }
    if (count > 0 && hasPrefix(old, load<u32>(entries + ((count - 1) << 3)))) continue;
    store<u32>(entries + (count << 3), <u32>old);
    store<u32>(entries + (count << 3), <u32>replacement, 4);
    count++;
  }
  const b = newBuffer(lengthOf(text));
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  let copied = at;
  let afterEmpty = false;
  while (at <= end) {
    if (empty != 0 && !afterEmpty) {
      putBytes(b, copied, <u32>(at - copied));
      putString(b, empty);
      copied = at;
      afterEmpty = true;
      continue;
    }
    afterEmpty = false;
    const entry = at == end ? 0 : find(entries, count, at, end);
    if (entry == 0) {
      at++;
      continue;
    }
    putBytes(b, copied, <u32>(at - copied));
    putString(b, load<u32>(entry, 4));
    at += lengthOf(load<u32>(entry));
    copied = at;
  }
  putBytes(b, copied, <u32>(end - copied));
  return bufferString(b);
}

/** The entry whose old string the text at `at` begins with, or 0: it can only be the last one that is not greater. */
function find(entries: usize, count: u32, at: usize, end: usize): usize {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (notGreater(load<u32>(entries + (middle << 3)), at, end)) low = middle + 1;
    else high = middle;
  }
  if (low == 0) return 0;
  const entry = entries + ((low - 1) << 3);
  const old: usize = load<u32>(entry);
  return lengthOf(old) <= <u32>(end - at) && sameBytes(bytesOf(old), at, lengthOf(old)) ? entry : 0;
}

function notGreater(s: usize, at: usize, end: usize): bool {
  let p = bytesOf(s);
  const stop = p + lengthOf(s);
  while (p < stop && at < end) {
    const x = load<u8>(p++);
    const y = load<u8>(at++);
    if (x != y) return x < y;
  }
  return p == stop;
}
