// Arrays.

import {
  ARRAY_SIZE,
  COLLECTION_CAPACITY,
  COLLECTION_COUNT,
  COLLECTION_ITEMS,
  TAG_ARRAY,
  VALUE_HASH,
} from "../../../../runtime/abi/layout";
import { copyBytes } from "./copy";
import { alloc, allocSmall, extend, outgrow } from "./memory";
import { countOf, initValue } from "./value";

/** Where the elements of an array begin that was made with them. */
const LIST_ITEMS: usize = (ARRAY_SIZE + 7) & ~7;

/** An empty array with room for `capacity` elements; it grows beyond that by itself. */
export function newArray(capacity: u32): usize {
  const a = alloc(ARRAY_SIZE);
  initValue(a, TAG_ARRAY);
  store<u32>(a, 0, COLLECTION_COUNT);
  store<u32>(a, capacity, COLLECTION_CAPACITY);
  store<u32>(a, capacity == 0 ? 0 : alloc(byteLength(capacity)), COLLECTION_ITEMS);
  return a;
}

/** An array of `count` elements, which the caller writes behind its head. */
export function newList(count: u32): usize {
  const a = allocSmall(LIST_ITEMS + (count << 2));
  initValue(a, TAG_ARRAY);
  store<u64>(a, (<u64>count << 32) | count, COLLECTION_COUNT);
  // The elements are no block of their own: as one that has room for nothing, `extend` and `free` leave them alone.
  store<u64>(a, a + LIST_ITEMS, COLLECTION_ITEMS);
  return a;
}

/** An array of the `count` elements at `items`, copied. */
export function listOf(items: usize, count: u32): usize {
  const a = newList(count);
  copyBytes(a + LIST_ITEMS, items, count << 2);
  return a;
}

/** Bytes of `count` items; more than there can be where the product does not fit, so that allocation aborts. */
function byteLength(count: u32): usize {
  return count > 0x3fffffff ? usize.MAX_VALUE : count << 2;
}

/** Address of the first item; items are addresses of 4 bytes. */
export function arrayItems(a: usize): usize {
  return load<u32>(a, COLLECTION_ITEMS);
}

/** The element at `i`, which must be below countOf(a). */
export function arrayGet(a: usize, i: u32): usize {
  return load<u32>(arrayItems(a) + (i << 2));
}

export function arraySet(a: usize, i: u32, v: usize): void {
  store<u32>(arrayItems(a) + (i << 2), v);
}

export function arrayPush(a: usize, v: usize): void {
  const n = countOf(a);
  if (n == load<u32>(a, COLLECTION_CAPACITY)) grow(a, n < 4 ? 4 : n << 1);
  store<u32>(arrayItems(a) + (n << 2), v);
  store<u32>(a, n + 1, COLLECTION_COUNT);
  store<u32>(a, 0, VALUE_HASH);
}

function grow(a: usize, capacity: u32): void {
  const items = arrayItems(a);
  if (items == 0 || !extend(items, byteLength(capacity))) {
    const larger = alloc(byteLength(capacity));
    memory.copy(larger, items, countOf(a) << 2);
    store<u32>(a, larger, COLLECTION_ITEMS);
    outgrow(items);
  }
  store<u32>(a, capacity, COLLECTION_CAPACITY);
}

/** A new array of the same elements, with room for `extra` more. */
export function copyArray(a: usize, extra: u32 = 0): usize {
  const n = countOf(a);
  const copy = newArray(n + extra);
  memory.copy(arrayItems(copy), arrayItems(a), n << 2);
  store<u32>(copy, n, COLLECTION_COUNT);
  return copy;
}
