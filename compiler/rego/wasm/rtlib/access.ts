// What statements do to values of any type.

import { TAG_ARRAY, TAG_NUMBER, TAG_OBJECT, TAG_SET, TAG_STRING } from "../../../../runtime/abi/layout";
import { arrayGet, arrayItems } from "./array";
import { newInt, toIndex } from "./number";
import { copyObject, newObject, objectGet, objectPut, objectRemove, sortObject } from "./object";
import { setGet, sortSet } from "./set";
import { codePointCount } from "./string";
import { entriesOf, findConstant, findText } from "./table";
import { countOf, isObject, tagOf } from "./value";

/** `source[key]`: 0 when there is no such element, or the source has none. */
export function dot(source: usize, key: usize): usize {
  switch (tagOf(source)) {
    case TAG_OBJECT:
      return key == 0 ? 0 : objectGet(source, key);
    case TAG_SET:
      return key == 0 ? 0 : setGet(source, key);
    case TAG_ARRAY: {
      if (tagOf(key) != TAG_NUMBER) return 0;
      const i = toIndex(key);
      return i >= 0 && i < <i64>countOf(source) ? arrayGet(source, <u32>i) : 0;
    }
    default:
      return 0;
  }
}

/** As dot, for a key that is a string of the policy. The byte at `place` is the number of the entry that it was found in last: a hint. */
export function dotText(source: usize, key: usize, place: usize): usize {
  if (tagOf(source) != TAG_OBJECT) return tagOf(source) == TAG_SET ? setGet(source, key) : 0;
  const number: u32 = load<u8>(place);
  let e = entriesOf(source) + (number << 3);
  if (number >= countOf(source) || load<u32>(e) != <u32>key) {
    e = findText(source, key);
    if (e == 0) return 0;
    store<u8>(place, (e - entriesOf(source)) >> 3);
  }
  return load<u32>(e, 4);
}

/** As dot, for an object of the policy and any key but undefined. */
export function constantGet(o: usize, key: usize): usize {
  if (tagOf(key) != TAG_STRING) return objectGet(o, key);
  const e = findConstant(o, key, 3);
  return e == 0 ? 0 : load<u32>(e, 4);
}

/** As dot, for a set of the policy and any value but undefined. */
export function constantMember(s: usize, v: usize): usize {
  if (tagOf(v) != TAG_STRING) return setGet(s, v);
  const e = findConstant(s, v, 2);
  return e == 0 ? 0 : load<u32>(e);
}

/** Readies a value for iteration in order and returns how many turns there are: 0 where it is no collection. */
export function scanCount(source: usize): u32 {
  switch (tagOf(source)) {
    case TAG_OBJECT:
      sortObject(source);
      return countOf(source);
    case TAG_SET:
      sortSet(source);
      return countOf(source);
    case TAG_ARRAY:
      return countOf(source);
    default:
      return 0;
  }
}

/** Address of the first item or entry, after scanCount. */
export function scanItems(source: usize): usize {
  return tagOf(source) == TAG_ARRAY ? arrayItems(source) : entriesOf(source);
}

/** Number of elements, entries or code points; 0 where a value has no length. */
export function lengthValue(v: usize): usize {
  const tag = tagOf(v);
  if (tag >= TAG_ARRAY) return newInt(countOf(v));
  return tag == TAG_STRING ? newInt(codePointCount(v)) : 0;
}

/**
 * A copy of `base` in which the element that the `count` keys at `path` (addresses of values) lead to is `value`, or is
 * missing when that is 0. Objects on the way are copied, whatever else is there is replaced by objects; `base` stays.
 */
export function withPath(base: usize, path: usize, count: u32, value: usize): usize {
  if (count == 0) return value;
  const key: usize = load<u32>(path);
  const old = isObject(base) ? objectGet(base, key) : 0;
  if (value == 0 && old == 0) return base;
  const inner = withPath(old, path + 4, count - 1, value);
  const result = isObject(base) ? copyObject(base, 1) : newObject(1);
  if (inner == 0) objectRemove(result, key);
  else objectPut(result, key, inner);
  return result;
}
