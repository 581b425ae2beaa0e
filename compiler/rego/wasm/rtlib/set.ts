// Sets.

import { COLLECTION_COUNT, FLAG_SORTED, INDEX_THRESHOLD, TAG_SET, VALUE_FLAGS } from "../../../../runtime/abi/layout";
import { compare } from "./compare";
import { addEntry, copyTable, entriesOf, findEntry, newFewEntries, newTable, sortTable } from "./table";
import { countOf } from "./value";

const SHIFT: u32 = 2;

/** An empty set with room for `capacity` elements; it grows beyond that by itself. */
export function newSet(capacity: u32): usize {
  return newTable(TAG_SET, capacity, SHIFT);
}

export function setHas(s: usize, v: usize): bool {
  return findEntry(s, v, SHIFT) != 0;
}

/** The set's own element equal to `v`, or 0. */
export function setGet(s: usize, v: usize): usize {
  const e = findEntry(s, v, SHIFT);
  return e == 0 ? 0 : load<u32>(e);
}

export function setAdd(s: usize, v: usize): void {
  if (findEntry(s, v, SHIFT) == 0) addEntry(s, v, SHIFT);
}

/** Element number `i`, in order after sortSet, else in order of insertion. */
export function setAt(s: usize, i: u32): usize {
  return load<u32>(entriesOf(s) + (i << 2));
}

/** Puts the elements in order; membership and equality do not care. */
export function sortSet(s: usize): void {
  sortTable(s, SHIFT);
}

export function copySet(s: usize, extra: u32 = 0): usize {
  return copyTable(s, extra, SHIFT);
}

/** The keys of an object whose entries are in order. */
export function keySet(object: usize): usize {
  const n = countOf(object);
  const entries = entriesOf(object);
  if (n > <u32>INDEX_THRESHOLD) {
    const keys = newSet(n);
    for (let i: u32 = 0; i < n; i++) addEntry(keys, load<u32>(entries + (i << 3)), SHIFT);
    return keys;
  }
  const keys = newFewEntries(TAG_SET, n, SHIFT);
  const elements = entriesOf(keys);
  for (let i: u32 = 0; i < n; i++) store<u32>(elements + (i << SHIFT), load<u32>(entries + (i << 3)));
  store<u8>(keys, FLAG_SORTED, VALUE_FLAGS);
  return keys;
}

/** The elements of both; of equal ones those of `a`. */
export function unionOf(a: usize, b: usize): usize {
  const n = countOf(a);
  const m = countOf(b);
  if (m == 0) return a;
  if (n == 0) return b;
  if (n + m > <u32>INDEX_THRESHOLD) {
    const all = copySet(a, m);
    for (let i: u32 = 0; i < m; i++) setAdd(all, setAt(b, i));
    return all;
  }
  sortSet(a);
  sortSet(b);
  const all = newFewEntries(TAG_SET, n + m, SHIFT);
  let to = entriesOf(all);
  let i: u32 = 0;
  let j: u32 = 0;
  while (i < n || j < m) {
    const order = i == n ? 1 : j == m ? -1 : compare(setAt(a, i), setAt(b, j));
    store<u32>(to, order > 0 ? setAt(b, j) : setAt(a, i));
    to += 1 << SHIFT;
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  store<u32>(all, <u32>(to - entriesOf(all)) >> SHIFT, COLLECTION_COUNT);
  store<u8>(all, FLAG_SORTED, VALUE_FLAGS);
  return all;
}
