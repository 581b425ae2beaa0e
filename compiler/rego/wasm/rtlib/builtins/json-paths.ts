// Paths into values, as json.filter, json.remove and json.patch take them: "a/b/0" with ~1 for / and ~0 for ~, or an array of
// keys. And the first two of these builtins, which see all their paths as one tree.

import { arrayGet, arrayPush, newArray } from "../array";
import { Buffer, bufferString, newBuffer, putByte } from "../buffer";
import { heapMark, heapRelease } from "../memory";
import { putInt } from "../number";
import { newObject, objectGet, objectKeyAt, objectPut, objectValueAt } from "../object";
import { newSet, setAdd, setAt } from "../set";
import { bytesOf, lengthOf } from "../string";
import { countOf, isArray, isNull, isObject, isSet, isString, NULL } from "../value";

/** An array of keys, or 0 when it is no path. */
export function pathOf(v: usize): usize {
  if (isArray(v)) return v;
  if (!isString(v)) return 0;
  const path = newArray(4);
  if (lengthOf(v) == 0) return path;
  let at = bytesOf(v);
  const end = at + lengthOf(v);
  while (at < end && load<u8>(at) == 47) at++;
  let part = newBuffer();
  for (; at < end; at++) {
    const c: u32 = load<u8>(at);
    if (c == 47) {
      arrayPush(path, bufferString(part));
      part = newBuffer();
    } else if (c == 126 && at + 1 < end && (load<u8>(at, 1) == 48 || load<u8>(at, 1) == 49)) {
      putByte(part, load<u8>(at, 1) == 48 ? 126 : 47);
      at++;
    } else {
      putByte(part, c);
    }
  }
  arrayPush(path, bufferString(part));
  return path;
}

/** All paths of an array or a set as nested objects, null where a path ends; 0 when one of them is no path. */
function treeOf(paths: usize): usize {
  const array = isArray(paths);
  if (!array && !isSet(paths)) return 0;
  const root = newObject(4);
  for (let i: u32 = 0; i < countOf(paths); i++) {
    const path = pathOf(array ? arrayGet(paths, i) : setAt(paths, i));
    if (path == 0) return 0;
    addPath(root, path);
  }
  return root;
}

function addPath(root: usize, path: usize): void {
  const n = countOf(path);
  if (n == 0) return;
  let node = root;
  for (let i: u32 = 0; i + 1 < n; i++) {
    const key = arrayGet(path, i);
    let child = objectGet(node, key);
    if (child == 0) {
      child = newObject(2);
      objectPut(node, key, child);
    } else if (isNull(child)) {
      // A shorter path ends here and covers this one.
      return;
    }
    node = child;
  }
  objectPut(node, arrayGet(path, n - 1), NULL);
}

/** What the tree says of the element at an index, which paths name by its digits. */
function atIndex(tree: usize, index: u32): usize {
  const mark = heapMark();
  const digits: Buffer = newBuffer();
  putInt(digits, index);
  const found = objectGet(tree, bufferString(digits));
  heapRelease(mark);
  return found;
}

export function builtin_json_filter(object: usize, paths: usize): usize {
  if (!isObject(object)) return 0;
  const tree = treeOf(paths);
  return tree == 0 ? 0 : filtered(object, tree);
}

/** What of the value the tree names. */
function filtered(v: usize, tree: usize): usize {
  if (isNull(tree)) return v;
  if (isObject(v)) {
    const result = newObject(min(countOf(v), countOf(tree)));
    // The larger one is walked: its keys stay, where equal ones differ in writing.
    const walked = countOf(v) < countOf(tree) ? tree : v;
    for (let i: u32 = 0; i < countOf(walked); i++) {
      const key = objectKeyAt(walked, i);
      const value = objectGet(v, key);
      const branch = objectGet(tree, key);
      if (value != 0 && branch != 0) objectPut(result, key, filtered(value, branch));
    }
    return result;
  }
  if (isArray(v)) {
    const result = newArray(0);
    for (let i: u32 = 0; i < countOf(v); i++) {
      const branch = atIndex(tree, i);
      if (branch != 0) arrayPush(result, filtered(arrayGet(v, i), branch));
    }
    return result;
  }
  if (isSet(v)) {
    const result = newSet(0);
    for (let i: u32 = 0; i < countOf(v); i++) {
      const branch = objectGet(tree, setAt(v, i));
      if (branch != 0) setAdd(result, filtered(setAt(v, i), branch));
    }
    return result;
  }
  return v;
}

export function builtin_json_remove(object: usize, paths: usize): usize {
  if (!isObject(object)) return 0;
  const tree = treeOf(paths);
  return tree == 0 ? 0 : without(object, tree);
}

/** The value without the paths of the tree; 0 when that is all of it. */
function without(v: usize, tree: usize): usize {
  if (tree == 0) return v;
  if (isNull(tree)) return 0;
  if (isObject(v)) {
    const n = countOf(v);
    const result = newObject(n);
    for (let i: u32 = 0; i < n; i++) {
      const key = objectKeyAt(v, i);
      const left = without(objectValueAt(v, i), objectGet(tree, key));
      if (left != 0) objectPut(result, key, left);
    }
    return result;
  }
  if (isArray(v)) {
    const n = countOf(v);
    const result = newArray(n);
    for (let i: u32 = 0; i < n; i++) {
      const left = without(arrayGet(v, i), atIndex(tree, i));
      if (left != 0) arrayPush(result, left);
    }
    return result;
  }
  if (isSet(v)) {
    const n = countOf(v);
    const result = newSet(n);
    for (let i: u32 = 0; i < n; i++) {
      const left = without(setAt(v, i), objectGet(tree, setAt(v, i)));
      if (left != 0) setAdd(result, left);
    }
    return result;
  }
  return v;
}
