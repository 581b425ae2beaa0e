// Arrays.

import { arrayGet, arrayItems, arrayPush, copyArray, newArray } from "../array";
import { readInt, readInteger } from "../number";
import { setAt, sortSet } from "../set";
import { sortEntries } from "../sort";
import { countOf, isArray, isNumber } from "../value";

/** A new array of the elements of an array or a set, in order. */
export function sorted(v: usize): usize {
  if (isArray(v)) {
    const result = copyArray(v);
    sortEntries(arrayItems(result), countOf(result), 2);
    return result;
  }
  sortSet(v);
  const n = countOf(v);
  const result = newArray(n);
  for (let i: u32 = 0; i < n; i++) arrayPush(result, setAt(v, i));
  return result;
}

export function builtin_array_concat(a: usize, b: usize): usize {
  if (!isArray(a) || !isArray(b)) return 0;
  const n = countOf(b);
  if (n == 0) return a;
  const result = copyArray(a, n);
  for (let i: u32 = 0; i < n; i++) arrayPush(result, arrayGet(b, i));
  return result;
}

/** From `start` up to `stop`, both clamped to what there is. */
export function builtin_array_slice(a: usize, start: usize, stop: usize): usize {
  if (!isArray(a) || !isNumber(start) || !isNumber(stop) || !readInt(stop)) return 0;
  const to = max<i64>(0, min<i64>(readInteger, <i64>countOf(a)));
  if (!readInt(start)) return 0;
  const from = max<i64>(0, min<i64>(readInteger, to));
  const result = newArray(<u32>(to - from));
  for (let i = from; i < to; i++) arrayPush(result, arrayGet(a, <u32>i));
  return result;
}

export function builtin_array_reverse(a: usize): usize {
  if (!isArray(a)) return 0;
  const n = countOf(a);
  const result = newArray(n);
  for (let i = n; i > 0; i--) arrayPush(result, arrayGet(a, i - 1));
  return result;
}

/** Takes arrays among the elements apart, one level deep. */
export function builtin_array_flatten(a: usize): usize {
  if (!isArray(a)) return 0;
  const n = countOf(a);
  const result = newArray(n);
  for (let i: u32 = 0; i < n; i++) {
    const element = arrayGet(a, i);
    if (!isArray(element)) {
      arrayPush(result, element);
      continue;
    }
    const m = countOf(element);
    for (let j: u32 = 0; j < m; j++) arrayPush(result, arrayGet(element, j));
  }
  return result;
}
