// walk: every value inside a value, with the path to it.

import { arrayGet, arrayPush, copyArray, newArray } from "../array";
import { newInt } from "../number";
import { objectKeyAt, objectValueAt, sortObject } from "../object";
import { setAt, sortSet } from "../set";
import { countOf, isArray, isCollection, isObject } from "../value";

let pairs: usize = 0;

/** An array of [path, value], parents before their children, in order. */
export function builtin_walk(v: usize): usize {
  pairs = newArray(16);
  visit(v, newArray(0));
  return pairs;
}

function visit(v: usize, path: usize): void {
  const pair = newArray(2);
  arrayPush(pair, path);
  arrayPush(pair, v);
  arrayPush(pairs, pair);
  if (!isCollection(v)) return;
  const array = isArray(v);
  const object = isObject(v);
  if (object) sortObject(v);
  else if (!array) sortSet(v);
  for (let i: u32 = 0; i < countOf(v); i++) {
    const key = array ? newInt(i) : object ? objectKeyAt(v, i) : setAt(v, i);
    const longer = copyArray(path, 1);
    arrayPush(longer, key);
    visit(array ? arrayGet(v, i) : object ? objectValueAt(v, i) : key, longer);
  }
}
