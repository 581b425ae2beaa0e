// Sets.

import { TAG_SET } from "../../../../runtime/abi/layout";
import { addEntry, copyTable, entriesOf, findEntry, newTable, sortTable } from "./table";

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
