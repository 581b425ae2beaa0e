// What objects and sets share: entries in one block, in order of insertion until someone needs them sorted, and an
// index by hash once there are more than INDEX_THRESHOLD. `shift` is log2 of the bytes of an entry: 3 for key and
// value, 2 for an element; the key comes first.
//
// INVARIANT: whatever a table needs is made while it is filled. A look-up allocates nothing, and sorting leaves nothing
// behind: tables of the host's data must not come to point above the data heap.

import {
  COLLECTION_CAPACITY,
  COLLECTION_COUNT,
  COLLECTION_ITEMS,
  FLAG_HOME,
  FLAG_SORTED,
  HOME_SHIFT,
  INDEX_THRESHOLD,
  RECORD_ENTRIES,
  TABLE_INDEX,
  TABLE_MASK,
  TABLE_SIZE,
  TAG_STRING,
  VALUE_FLAGS,
  VALUE_HASH,
} from "../../../../runtime/abi/layout";
import { charge } from "./budget";
import { compare, equal, hashOf } from "./compare";
import { alloc, allocSmall, extend, outgrow } from "./memory";
import { sortEntries } from "./sort";
import { bytesOf, isUnresolved, lengthOf, resolve, sameBytes } from "./string";
import { countOf, flagsOf, initValue, isStatic, isString, tagOf } from "./value";

/** Probes of one look-up that are free; a budget pays for more, so that crafted collisions do not stall an evaluation. */
const FREE_PROBES = 16;

export function entriesOf(t: usize): usize {
  return load<u32>(t, COLLECTION_ITEMS);
}

function indexOf(t: usize): usize {
  return load<u32>(t, TABLE_INDEX);
}

function needsIndex(capacity: u32): bool {
  return capacity > <u32>INDEX_THRESHOLD;
}

/** Bytes of `count` entries; more than there can be where the product does not fit, so that allocation aborts. */
function byteLength(count: u32, shift: u32): usize {
  return count > 0x0fffffff ? usize.MAX_VALUE : count << shift;
}

export function newTable(tag: u32, capacity: u32, shift: u32): usize {
  const t = alloc(TABLE_SIZE);
  initValue(t, tag | (FLAG_SORTED << 8));
  store<u32>(t, 0, COLLECTION_COUNT);
  store<u32>(t, capacity, COLLECTION_CAPACITY);
  store<u32>(t, capacity == 0 ? 0 : alloc(byteLength(capacity, shift)), COLLECTION_ITEMS);
  store<u32>(t, 0, TABLE_INDEX);
  store<u32>(t, 0, TABLE_MASK);
  if (needsIndex(capacity)) makeIndex(t, capacity, shift);
  return t;
}

/** A table of `count` entries, not said to be sorted, which the caller writes right behind its head: too few for an index. */
export function newFewEntries(tag: u32, count: u32, shift: u32): usize {
  const t = allocSmall(RECORD_ENTRIES + (count << shift));
  initValue(t, tag);
  store<u64>(t, (<u64>count << 32) | count, COLLECTION_COUNT);
  store<u64>(t, t + RECORD_ENTRIES, COLLECTION_ITEMS);
  // As in newList: the entries are no block of their own.
  store<u64>(t, 0, TABLE_MASK);
  return t;
}

/** As hashOf, without a call where it is known, as it mostly is. */
export function knownHash(v: usize): u32 {
  const hash = load<u32>(v, VALUE_HASH);
  return hash != 0 ? hash : hashOf(v);
}

/** Address of the entry with an equal key, or 0. */
export function findEntry(t: usize, key: usize, shift: u32): usize {
  const entries = entriesOf(t);
  const index = indexOf(t);
  if (index == 0) {
    const end = entries + (countOf(t) << shift);
    // The first element of a set that is being made needs no hash to be new.
    if (entries == end) return 0;
    if (isHome(t)) return homeEntry(t, key);
    // Keys are mostly strings of the policy, unique by address: this finds them without looking into one.
    for (let e = entries; e < end; e += 1 << shift) if (load<u32>(e) == <u32>key) return e;
    const wanted = knownHash(key);
    for (let e = entries; e < end; e += 1 << shift) {
      const k: usize = load<u32>(e);
      if (knownHash(k) == wanted && equal(k, key)) return e;
    }
    return 0;
  }
  const hash = knownHash(key);
  const mask = load<u32>(t, TABLE_MASK);
  let probes = 0;
  let i = hash & mask;
  while (true) {
    const number = load<u32>(index + (i << 2));
    if (number == 0) return 0;
    const e = entries + ((number - 1) << shift);
    const k: usize = load<u32>(e);
    if (k == key || (load<u32>(k, VALUE_HASH) == hash && equal(k, key))) return e;
    if (++probes > FREE_PROBES) charge(1);
    i = (i + 1) & mask;
  }
}

/** Whether a table has no index because its keys know their entries. */
function isHome(t: usize): bool {
  return (flagsOf(t) & FLAG_HOME) != 0;
}

/** Address of the entry of a key in such a table, or 0. */
function homeEntry(t: usize, key: usize): usize {
  const own = tagOf(key) == TAG_STRING ? resolve(key) : 0;
  if (own == 0) return 0;
  const number = load<u32>(own) >> HOME_SHIFT;
  const e = entriesOf(t) + (number << 3) - 8;
  return number <= countOf(t) && load<u32>(e) == <u32>own ? e : 0;
}

/** Address of the entry with an equal key, or of a new one, in a table that has an index and room, and is not said to be sorted. */
export function enterKey(t: usize, key: usize, shift: u32): usize {
  const hash = knownHash(key);
  const entries = entriesOf(t);
  const index = indexOf(t);
  const mask = load<u32>(t, TABLE_MASK);
  let probes = 0;
  let i = hash & mask;
  while (true) {
    const number = load<u32>(index + (i << 2));
    if (number == 0) break;
    const e = entries + ((number - 1) << shift);
    const k: usize = load<u32>(e);
    if (k == key || (load<u32>(k, VALUE_HASH) == hash && equal(k, key))) return e;
    if (++probes > FREE_PROBES) charge(1);
    i = (i + 1) & mask;
  }
  const n = countOf(t);
  const e = entries + (n << shift);
  store<u32>(e, key);
  store<u32>(t, n + 1, COLLECTION_COUNT);
  store<u32>(index + (i << 2), n + 1);
  return e;
}

/** Appends an entry whose key the table does not hold, and returns its address; the caller writes the value. */
export function addEntry(t: usize, key: usize, shift: u32): usize {
  const n = countOf(t);
  if (n == load<u32>(t, COLLECTION_CAPACITY)) grow(t, n < 4 ? 4 : n << 1, shift);
  const e = entriesOf(t) + (n << shift);
  if (flagsOf(t) & FLAG_SORTED) {
    if (n > 0 && compare(load<u32>(e - (1 << shift)), key) > 0) store<u8>(t, flagsOf(t) & ~FLAG_SORTED, VALUE_FLAGS);
  }
  store<u32>(e, key);
  store<u32>(t, n + 1, COLLECTION_COUNT);
  store<u32>(t, 0, VALUE_HASH);
  if (indexOf(t) != 0) enter(indexOf(t), load<u32>(t, TABLE_MASK), hashOf(key), n + 1);
  else noRecord(t);
  return e;
}

/** A table without an index that gets other keys is no record any more. */
function noRecord(t: usize): void {
  store<u32>(t, 0, TABLE_MASK);
}

function enter(index: usize, mask: u32, hash: u32, number: u32): void {
  let i = hash & mask;
  let probes = 0;
  while (load<u32>(index + (i << 2)) != 0) {
    i = (i + 1) & mask;
    if (++probes > FREE_PROBES) charge(1);
  }
  store<u32>(index + (i << 2), number);
}

function grow(t: usize, capacity: u32, shift: u32): void {
  const entries = entriesOf(t);
  if (entries == 0 || !extend(entries, byteLength(capacity, shift))) {
    const larger = alloc(byteLength(capacity, shift));
    memory.copy(larger, entries, countOf(t) << shift);
    store<u32>(t, larger, COLLECTION_ITEMS);
    outgrow(entries);
  }
  store<u32>(t, capacity, COLLECTION_CAPACITY);
  if (needsIndex(capacity)) {
    outgrow(indexOf(t));
    makeIndex(t, capacity, shift);
  }
}

/** A new index with at least two slots an entry. */
function makeIndex(t: usize, capacity: u32, shift: u32): void {
  const slots: u32 = 1 << (33 - clz(capacity - 1));
  store<u32>(t, alloc(slots << 2), TABLE_INDEX);
  store<u32>(t, slots - 1, TABLE_MASK);
  fillIndex(t, shift);
}

function fillIndex(t: usize, shift: u32): void {
  const index = indexOf(t);
  if (index == 0) return;
  const mask = load<u32>(t, TABLE_MASK);
  const entries = entriesOf(t);
  const n = countOf(t);
  memory.fill(index, 0, (mask + 1) << 2);
  for (let i: u32 = 0; i < n; i++) enter(index, mask, hashOf(load<u32>(entries + (i << shift))), i + 1);
}

/** Puts the entries in ascending order of their keys, in place. */
export function sortTable(t: usize, shift: u32): void {
  if (flagsOf(t) & FLAG_SORTED) return;
  sortEntries(entriesOf(t), countOf(t), shift);
  store<u8>(t, flagsOf(t) | FLAG_SORTED, VALUE_FLAGS);
  fillIndex(t, shift);
}

/** Takes an entry out; the order of the others stays. */
export function removeEntry(t: usize, entry: usize, shift: u32): void {
  const n = countOf(t) - 1;
  const end = entriesOf(t) + (n << shift);
  memory.copy(entry, entry + (1 << shift), end - entry);
  store<u32>(t, n, COLLECTION_COUNT);
  store<u32>(t, 0, VALUE_HASH);
  if (indexOf(t) == 0) noRecord(t);
  fillIndex(t, shift);
}

/** Takes all entries out; the room for them stays. */
export function clearTable(t: usize, shift: u32): void {
  store<u32>(t, 0, COLLECTION_COUNT);
  fillIndex(t, shift);
}

/** A new table of the same entries, with room for `extra` more. */
export function copyTable(t: usize, extra: u32, shift: u32): usize {
  const n = countOf(t);
  const copy = newTable(tagOf(t), 0, shift);
  if (n + extra == 0) return copy;
  const entries = alloc(byteLength(n + extra, shift));
  memory.copy(entries, entriesOf(t), n << shift);
  store<u32>(copy, entries, COLLECTION_ITEMS);
  store<u32>(copy, n, COLLECTION_COUNT);
  store<u32>(copy, n + extra, COLLECTION_CAPACITY);
  store<u8>(copy, flagsOf(t) & FLAG_SORTED, VALUE_FLAGS);
  if (needsIndex(n + extra)) makeIndex(copy, n + extra, shift);
  return copy;
}

/** Makes the index of an object that the host wrote into memory, entries and all. */
export function portcullis_index(object: usize): void {
  makeIndex(object, countOf(object), 3);
}

/**
 * Address of the entry of a string key in a table of the policy, or 0. All of the table's strings are static and unique, so
 * the key is looked up as the policy's own string, by address alone; one that the policy does not hold is not in it.
 */
export function findConstant(t: usize, key: usize, shift: u32): usize {
  const entries = entriesOf(t);
  const index = indexOf(t);
  if (index == 0) {
    if (isHome(t)) return homeEntry(t, key);
    if (isUnresolved(key)) return findAmongFew(entries, countOf(t), key, shift);
  }
  const own = isStatic(key) ? key : resolve(key);
  if (own == 0) return 0;
  if (index == 0) {
    const end = entries + (countOf(t) << shift);
    for (let e = entries; e < end; e += 1 << shift) if (load<u32>(e) == <u32>own) return e;
    return 0;
  }
  const mask = load<u32>(t, TABLE_MASK);
  let i = load<u32>(own, VALUE_HASH) & mask;
  while (true) {
    const number = load<u32>(index + (i << 2));
    if (number == 0) return 0;
    const e = entries + ((number - 1) << shift);
    if (load<u32>(e) == <u32>own) return e;
    i = (i + 1) & mask;
  }
}

/**
 * The same in a table without an index, for a string not yet looked up among the policy's: their index is large, and
 * far from the processor's caches, while the lengths of a few keys tell nearly all texts from them.
 */
function findAmongFew(entries: usize, count: u32, key: usize, shift: u32): usize {
  const length = lengthOf(key);
  const bytes = bytesOf(key);
  const end = entries + (count << shift);
  for (let e = entries; e < end; e += 1 << shift) {
    const own: usize = load<u32>(e);
    if (isString(own) && lengthOf(own) == length && sameBytes(bytesOf(own), bytes, length)) return e;
  }
  return 0;
}

/** Address of the entry of a string of the policy in any object, or 0. Keys that are static are that string or another. */
export function findText(t: usize, key: usize): usize {
  if (indexOf(t) != 0 || isHome(t)) return findEntry(t, key, 3);
  const entries = entriesOf(t);
  const end = entries + (countOf(t) << 3);
  let last: usize = 0;
  for (let e = entries; e < end; e += 8) {
    const k: usize = load<u32>(e);
    if (k == key) return e;
    if (k > last) last = k;
  }
  // Static values are before all others.
  if (isStatic(last)) return 0;
  for (let e = entries; e < end; e += 8) {
    const k: usize = load<u32>(e);
    if (!isStatic(k) && isString(k) && resolve(k) == key) return e;
  }
  return 0;
}
