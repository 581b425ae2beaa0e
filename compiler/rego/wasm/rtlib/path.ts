// Patching and freeing values, for hosts that keep data in the module and change parts of it.

import { COLLECTION_ITEMS, TABLE_INDEX, TAG_ARRAY, TAG_OBJECT, TAG_STRING } from "../../../../runtime/abi/layout";
import { arrayGet } from "./array";
import { free, setReclaiming } from "./memory";
import { newObject, objectGet, objectKeyAt, objectPut, objectRemove, objectValueAt } from "./object";
import { setAt } from "./set";
import { countOf, isArray, isObject, isStatic, tagOf } from "./value";

const OK: i32 = 0;
const INVALID_TYPE: i32 = 2;
const INVALID_PATH: i32 = 3;

/** Puts `value` where the array of keys `path` leads, making objects on the way. */
export function opa_value_add_path(base: usize, path: usize, value: usize): i32 {
  if (!isArray(path) || countOf(path) == 0) return INVALID_PATH;
  setReclaiming(true);
  const result = addPath(base, path, countOf(path) - 1, value);
  setReclaiming(false);
  return result;
}

function addPath(base: usize, path: usize, last: u32, value: usize): i32 {
  let o = base;
  for (let i: u32 = 0; i < last; i++) {
    if (!isObject(o)) return INVALID_TYPE;
    const key = arrayGet(path, i);
    let next = objectGet(o, key);
    if (next == 0) {
      next = newObject(0);
      objectPut(o, key, next);
    }
    o = next;
  }
  if (!isObject(o)) return INVALID_TYPE;
  objectPut(o, arrayGet(path, last), value);
  return OK;
}

/** Removes the value at `path`, if there is one. */
export function opa_value_remove_path(base: usize, path: usize): i32 {
  if (!isArray(path) || countOf(path) == 0) return INVALID_PATH;
  const last = countOf(path) - 1;
  let o = base;
  for (let i: u32 = 0; i < last; i++) {
    if (!isObject(o)) return INVALID_TYPE;
    o = objectGet(o, arrayGet(path, i));
    if (o == 0) return OK;
  }
  if (!isObject(o)) return INVALID_TYPE;
  objectRemove(o, arrayGet(path, last));
  return OK;
}

/** Frees a value and all that only it holds. Static values, and 0, are left alone. */
export function opa_value_free(v: usize): void {
  if (v == 0 || isStatic(v)) return;
  const tag = tagOf(v);
  if (tag > TAG_STRING) {
    const n = countOf(v);
    for (let i: u32 = 0; i < n; i++) {
      if (tag == TAG_ARRAY) {
        opa_value_free(arrayGet(v, i));
      } else if (tag == TAG_OBJECT) {
        opa_value_free(objectKeyAt(v, i));
        opa_value_free(objectValueAt(v, i));
      } else {
        opa_value_free(setAt(v, i));
      }
    }
    // In reverse order of allocation, so that blocks at the end of the heap go back to it.
    if (tag != TAG_ARRAY) free(load<u32>(v, TABLE_INDEX));
    free(load<u32>(v, COLLECTION_ITEMS));
  }
  free(v);
}
