// Objects.

import { arrayGet } from "../array";
import { chargeValues } from "../budget";
import { equal } from "../compare";
import { dot } from "../access";
import { heapMark } from "../memory";
import { copyObject, newObject, objectGet, objectKeyAt, objectKeyOf, objectPut, objectRename, objectValueAt, sortObject } from "../object";
import { keySet, newSet, setAdd, setAt, setHas } from "../set";
import { countOf, isArray, isCollection, isObject, isSet, newBoolean } from "../value";

/** What is at a key, or at the end of a path when the key is an array; else the default. */
export function builtin_object_get(object: usize, key: usize, otherwise: usize): usize {
  if (!isObject(object)) return 0;
  if (!isArray(key)) {
    const value = objectGet(object, key);
    return value == 0 ? otherwise : value;
  }
  let at = object;
  const n = countOf(key);
  for (let i: u32 = 0; i < n; i++) {
    at = dot(at, arrayGet(key, i));
    if (at == 0) return otherwise;
  }
  return at;
}

export function builtin_object_keys(object: usize): usize {
  if (!isObject(object)) return 0;
  sortObject(object);
  return keySet(object);
}

/** Key number `i` of a list of keys: an array, a set, or the keys of an object. */
function keyAt(keys: usize, i: u32): usize {
  return isArray(keys) ? arrayGet(keys, i) : isSet(keys) ? setAt(keys, i) : objectKeyAt(keys, i);
}

export function builtin_object_remove(object: usize, keys: usize): usize {
  if (!isObject(object) || !isCollection(keys)) return 0;
  const unwanted = newSet(countOf(keys));
  for (let i: u32 = 0; i < countOf(keys); i++) setAdd(unwanted, keyAt(keys, i));
  const n = countOf(object);
  const result = newObject(n);
  for (let i: u32 = 0; i < n; i++) {
    const key = objectKeyAt(object, i);
    if (!setHas(unwanted, key)) objectPut(result, key, objectValueAt(object, i));
  }
  return result;
}

/** Keys are as the longer one writes them (`1.0`), as in OPA. */
export function builtin_object_filter(object: usize, keys: usize): usize {
  if (!isObject(object) || !isCollection(keys)) return 0;
  const n = countOf(keys);
  const result = newObject(n);
  for (let i: u32 = 0; i < n; i++) {
    const wanted = keyAt(keys, i);
    const key = objectKeyOf(object, wanted);
    if (key != 0) objectPut(result, n > countOf(object) ? wanted : key, objectGet(object, key));
  }
  return result;
}

/** Values of `b` win, but objects under equal keys are merged. */
export function builtin_object_union(a: usize, b: usize): usize {
  if (!isObject(a) || !isObject(b)) return 0;
  const start = heapMark();
  const result = copyObject(a, countOf(b));
  mergeInto(result, b, start, false);
  return result;
}

/** The last of equal keys wins, as it is written there too (`1.0`); objects under equal keys are merged. */
export function builtin_object_union_n(objects: usize): usize {
  if (!isArray(objects)) return 0;
  const n = countOf(objects);
  for (let i: u32 = 0; i < n; i++) if (!isObject(arrayGet(objects, i))) return 0;
  const start = heapMark();
  const result = newObject(0);
  for (let i: u32 = 0; i < n; i++) mergeInto(result, arrayGet(objects, i), start, true);
  return result;
}

/**
 * Merges into an object of our own; with `keys`, those that are in become as `source` writes them. Whatever lies below `start`
 * is someone else's and is copied before it changes.
 */
function mergeInto(target: usize, source: usize, start: usize, keys: bool): void {
  const n = countOf(source);
  for (let i: u32 = 0; i < n; i++) {
    const key = objectKeyAt(source, i);
    const value = objectValueAt(source, i);
    let old = objectGet(target, key);
    if (old != 0 && keys) objectRename(target, key);
    if (old == 0 || !isObject(old) || !isObject(value)) {
      objectPut(target, key, value);
      continue;
    }
    if (old < start) {
      old = copyObject(old);
      objectPut(target, key, old);
    }
    mergeInto(old, value, start, keys);
  }
}

/** Whether all of `part` is in `whole`: objects by key and recursively, sets, runs in arrays, sets in arrays. */
export function builtin_object_subset(whole: usize, part: usize): usize {
  if (isObject(whole) && isObject(part)) return newBoolean(objectSubset(whole, part));
  if (isSet(whole) && isSet(part)) return newBoolean(setSubset(whole, part));
  if (isArray(whole) && isArray(part)) return newBoolean(arraySubset(whole, part));
  return isArray(whole) && isSet(part) ? newBoolean(arrayHoldsSet(whole, part)) : 0;
}

function objectSubset(whole: usize, part: usize): bool {
  const n = countOf(part);
  for (let i: u32 = 0; i < n; i++) {
    const wanted = objectValueAt(part, i);
    const there = objectGet(whole, objectKeyAt(part, i));
    if (there == 0) return false;
    if (isObject(there) && isObject(wanted)) {
      if (!objectSubset(there, wanted)) return false;
    } else if (isSet(there) && isSet(wanted)) {
      if (!setSubset(there, wanted)) return false;
    } else if (isArray(there) && isArray(wanted)) {
      if (!arraySubset(there, wanted)) return false;
    } else if (!equal(there, wanted)) {
      return false;
    }
  }
  return true;
}

function setSubset(whole: usize, part: usize): bool {
  const n = countOf(part);
  chargeValues(n);
  for (let i: u32 = 0; i < n; i++) if (!setHas(whole, setAt(part, i))) return false;
  return true;
}

/** Whether `part` is a run of neighbours in `whole`. */
function arraySubset(whole: usize, part: usize): bool {
  const n = countOf(whole);
  const m = countOf(part);
  chargeValues(n);
  for (let start: u32 = 0; start + m <= n; start++) {
    let i: u32 = 0;
    while (i < m && equal(arrayGet(whole, start + i), arrayGet(part, i))) i++;
    chargeValues(i);
    if (i == m) return true;
  }
  return false;
}

/**
 * As OPA does it: elements of the array that are in the set are counted, repeated ones each time, until there are as
 * many as the set has. An empty array holds nothing, not even the empty set.
 */
function arrayHoldsSet(whole: usize, part: usize): bool {
  let missing = <i32>countOf(part);
  const n = countOf(whole);
  chargeValues(n);
  for (let i: u32 = 0; i < n; i++) {
    if (setHas(part, arrayGet(whole, i))) missing--;
    if (missing == 0) return true;
  }
  return false;
}
