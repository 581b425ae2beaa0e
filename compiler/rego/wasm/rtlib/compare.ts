// Order, equality and hash of any two values, as OPA has them: undefined < null < boolean < number < string < array <
// object < set; false < true; arrays element by element, then by length; objects by their sorted entries, key before
// value, then by size; sets as arrays of their sorted elements.

import {
  BOOLEAN_VALUE,
  TAG_ARRAY,
  TAG_BOOLEAN,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_SET,
  TAG_STRING,
  VALUE_HASH,
} from "../../../../runtime/abi/layout";
import { arrayGet } from "./array";
import { chargeValues } from "./budget";
import { finish, mix } from "./hash";
import { compareNumbers, equalNumbers, hashNumber } from "./number";
import { objectKeyAt, objectValueAt, sortObject } from "./object";
import { setAt, sortSet } from "./set";
import { compareStrings, equalStrings, hashString } from "./string";
import { findEntry } from "./table";
import { countOf, tagOf } from "./value";

/** Negative, 0 or positive. */
export function compare(a: usize, b: usize): i32 {
  if (a == b) return 0;
  const tag = tagOf(a);
  if (tag != tagOf(b)) return tag - tagOf(b);
  switch (tag) {
    case TAG_BOOLEAN:
      return load<i32>(a, BOOLEAN_VALUE) - load<i32>(b, BOOLEAN_VALUE);
    case TAG_NUMBER:
      return compareNumbers(a, b);
    case TAG_STRING:
      return compareStrings(a, b);
    case TAG_ARRAY:
      return compareArrays(a, b);
    case TAG_OBJECT:
      return compareObjects(a, b);
    case TAG_SET:
      return compareSets(a, b);
    default:
      return 0;
  }
}

function byCount(a: usize, b: usize): i32 {
  return <i32>(countOf(a) > countOf(b)) - <i32>(countOf(a) < countOf(b));
}

function compareArrays(a: usize, b: usize): i32 {
  const n = min(countOf(a), countOf(b));
  chargeValues(n);
  for (let i: u32 = 0; i < n; i++) {
    const c = compare(arrayGet(a, i), arrayGet(b, i));
    if (c != 0) return c;
  }
  return byCount(a, b);
}

function compareObjects(a: usize, b: usize): i32 {
  sortObject(a);
  sortObject(b);
  const n = min(countOf(a), countOf(b));
  chargeValues(n);
  for (let i: u32 = 0; i < n; i++) {
    let c = compare(objectKeyAt(a, i), objectKeyAt(b, i));
    if (c != 0) return c;
    c = compare(objectValueAt(a, i), objectValueAt(b, i));
    if (c != 0) return c;
  }
  return byCount(a, b);
}

function compareSets(a: usize, b: usize): i32 {
  sortSet(a);
  sortSet(b);
  const n = min(countOf(a), countOf(b));
  chargeValues(n);
  for (let i: u32 = 0; i < n; i++) {
    const c = compare(setAt(a, i), setAt(b, i));
    if (c != 0) return c;
  }
  return byCount(a, b);
}

/** Whether two values are the same. Sorts nothing, and looks into values only where it must. */
export function equal(a: usize, b: usize): bool {
  if (a == b) return true;
  const tag = tagOf(a);
  if (tag != tagOf(b)) return false;
  if (tag == TAG_STRING) return equalStrings(a, b);
  switch (tag) {
    case TAG_NUMBER:
      return equalNumbers(a, b);
    case TAG_ARRAY:
    case TAG_OBJECT:
    case TAG_SET:
      return equalCollections(a, b, tag);
    default:
      // There is one null, one true and one false.
      return false;
  }
}

function equalCollections(a: usize, b: usize, tag: i32): bool {
  const n = countOf(a);
  if (n != countOf(b)) return false;
  const h = load<u32>(a, VALUE_HASH);
  const k = load<u32>(b, VALUE_HASH);
  if (h != k && h != 0 && k != 0) return false;
  chargeValues(n);
  if (tag == TAG_ARRAY) {
    for (let i: u32 = 0; i < n; i++) if (!equal(arrayGet(a, i), arrayGet(b, i))) return false;
  } else if (tag == TAG_OBJECT) {
    for (let i: u32 = 0; i < n; i++) {
      const e = findEntry(b, objectKeyAt(a, i), 3);
      if (e == 0 || !equal(objectValueAt(a, i), load<u32>(e, 4))) return false;
    }
  } else {
    for (let i: u32 = 0; i < n; i++) if (findEntry(b, setAt(a, i), 2) == 0) return false;
  }
  return true;
}

/** Equal values have equal hashes; kept in the value once computed. */
export function hashOf(v: usize): u32 {
  const known = load<u32>(v, VALUE_HASH);
  if (known != 0) return known;
  const tag = tagOf(v);
  if (tag == TAG_STRING) return hashString(v);
  let h = mix(tag, tag >= TAG_ARRAY ? countOf(v) : 0);
  if (tag == TAG_NUMBER) {
    h = hashNumber(v);
  } else if (tag == TAG_ARRAY) {
    const n = countOf(v);
    for (let i: u32 = 0; i < n; i++) h = mix(h, hashOf(arrayGet(v, i)));
    h = finish(h);
  } else if (tag == TAG_OBJECT) {
    const n = countOf(v);
    // Sums, so that the order of the entries does not matter.
    for (let i: u32 = 0; i < n; i++) h += finish(mix(hashOf(objectKeyAt(v, i)), hashOf(objectValueAt(v, i))));
    h = finish(h);
  } else if (tag == TAG_SET) {
    const n = countOf(v);
    for (let i: u32 = 0; i < n; i++) h += finish(mix(TAG_SET, hashOf(setAt(v, i))));
    h = finish(h);
  }
  store<u32>(v, h, VALUE_HASH);
  return h;
}
