// json.patch (RFC 6902), which OPA extends to sets and to keys of any type.
//
// Collections of the target are copied when they are first changed, and then changed in place: whatever lies at or above
// `start` was made here and has no other owner.

import { COLLECTION_COUNT, VALUE_HASH } from "../../../../../runtime/abi/layout";
import { arrayGet, arrayItems, arrayPush, arraySet, copyArray, newArray } from "../array";
import { equal } from "../compare";
import { dot } from "../access";
import { heapMark } from "../memory";
import { readInt, readInteger, readIntText } from "../number";
import { copyObject, newObject, objectGet, objectHas, objectKeyAt, objectPut, objectRemove, objectValueAt } from "../object";
import { copySet, newSet, setAdd, setAt, setHas } from "../set";
import { bytesOf, lengthOf, literal, sameText } from "../string";
import { findEntry, removeEntry } from "../table";
import { countOf, isArray, isCollection, isNumber, isObject, isSet, isString } from "../value";
import { pathOf } from "./json-paths";

const ADD = 0;
const REMOVE = 1;
const REPLACE = 2;

let start: usize = 0;
let failed = false;

export function builtin_json_patch(target: usize, operations: usize): usize {
  if (!isArray(operations)) return 0;
  start = heapMark();
  failed = false;
  let root = target;
  for (let i: u32 = 0; i < countOf(operations); i++) {
    const operation = arrayGet(operations, i);
    if (!isObject(operation)) return 0;
    root = apply(root, operation);
    if (failed) return 0;
  }
  return root;
}

function fail(): usize {
  failed = true;
  return 0;
}

/** The document after one operation; 0 when all of it was removed. */
function apply(root: usize, operation: usize): usize {
  const name = objectGet(operation, literal("op"));
  const given = objectGet(operation, literal("path"));
  if (name == 0 || !isString(name) || given == 0) return fail();
  const path = pathOf(given);
  const value = objectGet(operation, literal("value"));
  const from = objectGet(operation, literal("from"));
  if (sameText(name, "remove")) return path == 0 ? fail() : change(root, path, 0, REMOVE, 0);
  if (sameText(name, "add")) return path == 0 || value == 0 ? fail() : change(root, path, 0, ADD, value);
  if (sameText(name, "replace")) return path == 0 || value == 0 ? fail() : change(root, path, 0, REPLACE, value);
  if (sameText(name, "test")) {
    if (path == 0 || value == 0) return fail();
    const there = find(root, path);
    return there != 0 && equal(there, value) ? root : fail();
  }
  const moving = sameText(name, "move");
  if ((!moving && !sameText(name, "copy")) || from == 0 || path == 0) return fail();
  const source = pathOf(from);
  const there = source == 0 ? 0 : find(root, source);
  if (there == 0) return fail();
  if (!moving) return change(root, path, 0, ADD, detached(there));
  const rest = change(root, source, 0, REMOVE, 0);
  return failed ? 0 : change(rest, path, 0, ADD, there);
}

/** What is at the end of the path, or 0. */
function find(v: usize, path: usize): usize {
  for (let i: u32 = 0; i < countOf(path) && v != 0; i++) v = child(v, arrayGet(path, i));
  return v;
}

function child(v: usize, key: usize): usize {
  if (!isArray(v)) return isCollection(v) ? dot(v, key) : 0;
  const index = indexOf(v, key);
  return index >= 0 && index < <i64>countOf(v) ? arrayGet(v, <u32>index) : 0;
}

/** The index that a key of a path is: an integer, or the text of one, or `-` for the end; -1 for none. */
function indexOf(array: usize, key: usize): i64 {
  if (isNumber(key)) return readInt(key) && readInteger >= 0 ? readInteger : -1;
  if (!isString(key)) return -1;
  if (sameText(key, "-")) return countOf(array);
  const n = lengthOf(key);
  const at = bytesOf(key);
  return readIntText(at, n) && (n == 1 || load<u8>(at) != 48) && readInteger >= 0 ? readInteger : -1;
}

/** A value of which nothing will be changed in place: collections that were made here are copied. */
function detached(v: usize): usize {
  if (!isCollection(v) || v < start) return v;
  const n = countOf(v);
  if (isArray(v)) {
    const copy = newArray(n);
    for (let i: u32 = 0; i < n; i++) arrayPush(copy, detached(arrayGet(v, i)));
    return copy;
  }
  if (isObject(v)) {
    const copy = newObject(n);
    for (let i: u32 = 0; i < n; i++) objectPut(copy, objectKeyAt(v, i), detached(objectValueAt(v, i)));
    return copy;
  }
  const copy = newSet(n);
  for (let i: u32 = 0; i < n; i++) setAdd(copy, detached(setAt(v, i)));
  return copy;
}

function own(v: usize): usize {
  if (v >= start) return v;
  return isArray(v) ? copyArray(v, 1) : isObject(v) ? copyObject(v, 1) : copySet(v, 1);
}

/** The member has its key from the path: `1` in the place of `1.0`. */
function putAs(o: usize, key: usize, value: usize): void {
  objectRemove(o, key);
  objectPut(o, key, value);
}

function setRemove(s: usize, element: usize): void {
  const entry = findEntry(s, element, 2);
  if (entry != 0) removeEntry(s, entry, 2);
}

/** `v` after a change at the end of the path from key number `i` on; with no path left, what the change makes of it all. */
function change(v: usize, path: usize, i: u32, mode: i32, value: usize): usize {
  const n = countOf(path);
  if (i == n) {
    if (v == 0 && mode != ADD) return fail();
    return mode == REMOVE ? 0 : value;
  }
  if (v == 0 || !isCollection(v)) return fail();
  const key = arrayGet(path, i);
  if (i + 1 == n) return changeHere(v, key, mode, value);
  // OPA removes, and then adds: without its part, the element that the path names is no longer in the set.
  if (mode == REPLACE && isSet(v)) return fail();
  const old = child(v, key);
  if (old == 0) return fail();
  const changed = change(old, path, i + 1, mode, value);
  if (failed) return 0;
  const mine = own(v);
  if (isArray(mine)) {
    arraySet(mine, <u32>indexOf(mine, key), changed);
    store<u32>(mine, 0, VALUE_HASH);
  } else if (isObject(mine)) {
    putAs(mine, key, changed);
  } else {
    setRemove(mine, key);
    setAdd(mine, changed);
  }
  return mine;
}

function changeHere(v: usize, key: usize, mode: i32, value: usize): usize {
  if (isArray(v)) return changeArray(v, key, mode, value);
  if (isObject(v)) {
    if (mode != ADD && !objectHas(v, key)) return fail();
    const mine = own(v);
    if (mode == REMOVE) objectRemove(mine, key);
    else putAs(mine, key, value);
    return mine;
  }
  if (mode != ADD && !setHas(v, key)) return fail();
  // An element of a set is its own key.
  if (mode != REMOVE && !equal(key, value)) return fail();
  const mine = own(v);
  if (mode != ADD) setRemove(mine, key);
  if (mode != REMOVE) setAdd(mine, value);
  return mine;
}

function changeArray(v: usize, key: usize, mode: i32, value: usize): usize {
  const n = countOf(v);
  const index = indexOf(v, key);
  if (index < 0 || index > <i64>n || (mode != ADD && index == <i64>n)) return fail();
  const mine = own(v);
  const place = arrayItems(mine) + (<usize>index << 2);
  if (mode == ADD) {
    arrayPush(mine, value);
    const items = arrayItems(mine) + (<usize>index << 2);
    memory.copy(items + 4, items, (n - <u32>index) << 2);
  } else if (mode == REMOVE) {
    memory.copy(place, place + 4, (n - <u32>index - 1) << 2);
    store<u32>(mine, n - 1, COLLECTION_COUNT);
  }
  if (mode != REMOVE) arraySet(mine, <u32>index, value);
  store<u32>(mine, 0, VALUE_HASH);
  return mine;
}
