// Objects: any value may be a key.

import { COLLECTION_COUNT, COLLECTION_ITEMS, INDEX_THRESHOLD, RECORD_ENTRIES, TABLE_SIZE, TAG_OBJECT } from "../../../../runtime/abi/layout";
import { equal } from "./compare";
import { copyBytes } from "./copy";
import { alloc } from "./memory";
import { addEntry, copyTable, enterKey, entriesOf, findEntry, newFewEntries, newTable, removeEntry, sortTable } from "./table";
import { countOf, initValue, isObject } from "./value";

const SHIFT: u32 = 3;

/** An empty object with room for `capacity` entries; it grows beyond that by itself. */
export function newObject(capacity: u32): usize {
  return newTable(TAG_OBJECT, capacity, SHIFT);
}

/** A copy of a static record of `size` bytes; the caller writes the values that differ. */
export function newRecord(record: usize, size: usize): usize {
  const o = alloc(size);
  copyBytes(o, record, <u32>size);
  store<u32>(o, o + ((TABLE_SIZE + 7) & ~7), COLLECTION_ITEMS);
  return o;
}

/** An object of the `count` entries at `entries`, copied. Of equal keys the last one counts, unless all are `distinct`. */
export function objectOf(entries: usize, count: u32, distinct: bool): usize {
  const end = entries + (count << SHIFT);
  if (count > <u32>INDEX_THRESHOLD) return indexedOf(entries, count);
  const o = newFewEntries(TAG_OBJECT, count, SHIFT);
  let to = o + RECORD_ENTRIES;
  if (distinct) {
    for (let e = entries; e < end; e += 8, to += 8) store<u64>(to, load<u64>(e));
    return o;
  }
  store<u32>(o, 0, COLLECTION_COUNT);
  for (let e = entries; e < end; e += 8) {
    const known = findEntry(o, load<u32>(e), SHIFT);
    if (known != 0) {
      store<u32>(known, load<u32>(e, 4), 4);
      continue;
    }
    store<u64>(to, load<u64>(e));
    to += 8;
    store<u32>(o, countOf(o) + 1, COLLECTION_COUNT);
  }
  return o;
}

/** The same for as many as an index is for. */
function indexedOf(entries: usize, count: u32): usize {
  const o = newTable(TAG_OBJECT, count, SHIFT);
  // Their order is not known.
  initValue(o, TAG_OBJECT);
  const end = entries + (count << SHIFT);
  for (let e = entries; e < end; e += 8) store<u32>(enterKey(o, load<u32>(e), SHIFT), load<u32>(e, 4), 4);
  return o;
}

/** The value of `key`, or 0. */
export function objectGet(o: usize, key: usize): usize {
  const e = findEntry(o, key, SHIFT);
  return e == 0 ? 0 : load<u32>(e, 4);
}

export function objectHas(o: usize, key: usize): bool {
  return findEntry(o, key, SHIFT) != 0;
}

/** Adds an entry, or gives an existing key a new value. */
export function objectPut(o: usize, key: usize, value: usize): void {
  let e = findEntry(o, key, SHIFT);
  if (e == 0) e = addEntry(o, key, SHIFT);
  else store<u32>(o, 0, 4);
  store<u32>(e, value, 4);
}

/** `key` as it is written in the object, or 0. */
export function objectKeyOf(o: usize, key: usize): usize {
  const e = findEntry(o, key, SHIFT);
  return e == 0 ? 0 : load<u32>(e);
}

/** Writes a key that is in as `key` is written. */
export function objectRename(o: usize, key: usize): void {
  store<u32>(findEntry(o, key, SHIFT), key);
}

/** Takes a key out, where it is in. */
export function objectRemove(o: usize, key: usize): void {
  const e = findEntry(o, key, SHIFT);
  if (e != 0) removeEntry(o, e, SHIFT);
}

/** Key of entry number `i`. */
export function objectKeyAt(o: usize, i: u32): usize {
  return load<u32>(entriesOf(o) + (i << 3));
}

/** Value of entry number `i`. */
export function objectValueAt(o: usize, i: u32): usize {
  return load<u32>(entriesOf(o) + (i << 3), 4);
}

/** Puts the entries in the order of their keys; look-ups and equality do not care. */
export function sortObject(o: usize): void {
  sortTable(o, SHIFT);
}

export function copyObject(o: usize, extra: u32 = 0): usize {
  return copyTable(o, extra, SHIFT);
}

/** Adds an entry and returns true; false when the key has another value already. */
export function insertOnce(o: usize, key: usize, value: usize): bool {
  const e = findEntry(o, key, SHIFT);
  if (e != 0) return equal(load<u32>(e, 4), value);
  store<u32>(addEntry(o, key, SHIFT), value, 4);
  return true;
}

/** The entries of both, recursively where both have an object for a key; else the value of `a` counts. */
export function mergeObjects(a: usize, b: usize): usize {
  if (!isObject(a) || !isObject(b)) return a;
  const n = countOf(b);
  const merged = copyObject(a, n);
  for (let i: u32 = 0; i < n; i++) {
    const key = objectKeyAt(b, i);
    const value = objectValueAt(b, i);
    const e = findEntry(merged, key, SHIFT);
    if (e == 0) store<u32>(addEntry(merged, key, SHIFT), value, 4);
    else store<u32>(e, mergeObjects(load<u32>(e, 4), value), 4);
  }
  return merged;
}
