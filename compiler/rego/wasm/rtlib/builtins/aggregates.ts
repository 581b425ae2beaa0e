// Builtins that make one value of a collection.

import { arrayGet } from "../array";
import { chargeValues } from "../budget";
import { compare, equal } from "../compare";
import { heapMark, heapRelease } from "../memory";
import { fromFloat, intOf, isInt, newInt, toFloat, toIndex } from "../number";
import { addBigs, bigFromInt, bigMagnitude, bigOf, bigValue, mulBigs, NO_BIG } from "../number/big";
import { endAsTooLong, floatAdd, floatFromInt, floatMulAsDouble } from "../number/float";
import { natBits } from "../number/nat";
import { objectGet, objectValueAt } from "../object";
import { setAt, setHas, sortSet } from "../set";
import { codePointCount } from "../string";
import { countOf, isArray, isCollection, isNumber, isObject, isSet, isString, isTrue, newBoolean, NULL } from "../value";
import { sorted } from "./arrays";

/** Integers with more bits are left to floating point. */
const MAX_BITS: i32 = 1 << 17;

export function builtin_count(v: usize): usize {
  if (isCollection(v)) return newInt(countOf(v));
  return isString(v) ? newInt(codePointCount(v)) : 0;
}

/** Element number `i` of an array or of a sorted set. */
function at(v: usize, i: u32): usize {
  return isArray(v) ? arrayGet(v, i) : setAt(v, i);
}

/** Whether it is an array, or a set, which is then sorted: the order decides how sums are rounded. */
function sequence(v: usize): bool {
  if (!isArray(v) && !isSet(v)) return false;
  chargeValues(countOf(v));
  if (isSet(v)) sortSet(v);
  return true;
}

export function builtin_sum(v: usize): usize {
  if (!sequence(v)) return 0;
  const n = countOf(v);
  let sum: i64 = 0;
  let exact = true;
  for (let i: u32 = 0; i < n; i++) {
    const element = at(v, i);
    if (!isNumber(element)) return 0;
    if (!exact) continue;
    if (!isInt(element)) {
      exact = false;
      continue;
    }
    const x = intOf(element);
    const next = sum + x;
    if (((sum ^ next) & (x ^ next)) < 0) exact = false;
    sum = next;
  }
  if (exact) return newInt(sum);
  const whole = accumulateIntegers(v, n, false);
  return whole != 0 ? whole : accumulate(v, n, false);
}

export function builtin_product(v: usize): usize {
  if (!sequence(v)) return 0;
  const n = countOf(v);
  for (let i: u32 = 0; i < n; i++) if (!isNumber(at(v, i))) return 0;
  const whole = accumulateIntegers(v, n, true);
  return whole != 0 ? whole : accumulate(v, n, true);
}

/** Sum or product of integers, exact; 0 when there is anything else among them, or when it grows beyond the limits. */
function accumulateIntegers(v: usize, n: u32, product: bool): usize {
  const mark = heapMark();
  let result = bigFromInt(product ? 1 : 0);
  for (let i: u32 = 0; i < n; i++) {
    const x = bigOf(at(v, i));
    if (x == NO_BIG || natBits(bigMagnitude(result)) > MAX_BITS) {
      heapRelease(mark);
      return 0;
    }
    result = product ? mulBigs(result, x) : addBigs(result, x);
  }
  return bigValue(result, mark);
}

/** Sum or product in floating point, in order. Products have the precision of a double, as OPA's have. */
function accumulate(v: usize, n: u32, product: bool): usize {
  const mark = heapMark();
  let result = floatFromInt(product ? 1 : 0);
  for (let i: u32 = 0; i < n; i++) {
    const x = toFloat(at(v, i));
    // Beyond the limits of numbers, too: a product of large numbers must not grow for ever.
    if (result.exponent > 100000 || result.exponent < -100000) endAsTooLong();
    result = product ? floatMulAsDouble(result, x) : floatAdd(result, x);
  }
  return fromFloat(result, mark, product ? 53 : 64);
}

export function builtin_max(v: usize): usize {
  if (!sequence(v)) return 0;
  const n = countOf(v);
  if (n == 0) return 0;
  let largest = NULL;
  for (let i: u32 = 0; i < n; i++) {
    const element = at(v, i);
    if (compare(largest, element) <= 0) largest = element;
  }
  return largest;
}

export function builtin_min(v: usize): usize {
  if (!sequence(v)) return 0;
  const n = countOf(v);
  if (n == 0) return 0;
  let smallest = at(v, 0);
  for (let i: u32 = 1; i < n; i++) {
    const element = at(v, i);
    if (compare(smallest, element) >= 0) smallest = element;
  }
  return smallest;
}

export function builtin_sort(v: usize): usize {
  return isArray(v) || isSet(v) ? sorted(v) : 0;
}

export function builtin_all(v: usize): usize {
  if (!isArray(v) && !isSet(v)) return 0;
  const n = countOf(v);
  chargeValues(n);
  for (let i: u32 = 0; i < n; i++) if (!isTrue(at(v, i))) return newBoolean(false);
  return newBoolean(true);
}

export function builtin_any(v: usize): usize {
  if (!isArray(v) && !isSet(v)) return 0;
  const n = countOf(v);
  chargeValues(n);
  for (let i: u32 = 0; i < n; i++) if (isTrue(at(v, i))) return newBoolean(true);
  return newBoolean(false);
}

/** `value in collection`: elements of arrays and sets, values of objects. */
export function builtin_internal_member_2(value: usize, collection: usize): usize {
  if (isSet(collection)) return newBoolean(setHas(collection, value));
  const n = isCollection(collection) ? countOf(collection) : 0;
  const array = isArray(collection);
  let i: u32 = 0;
  while (i < n && !equal(array ? arrayGet(collection, i) : objectValueAt(collection, i), value)) i++;
  chargeValues(i);
  return newBoolean(i < n);
}

/** `key, value in collection`. A member of a set is its own key. */
export function builtin_internal_member_3(key: usize, value: usize, collection: usize): usize {
  if (isObject(collection)) {
    const found = objectGet(collection, key);
    return newBoolean(found != 0 && equal(found, value));
  }
  if (isSet(collection)) return newBoolean(equal(key, value) && setHas(collection, key));
  if (!isArray(collection)) return newBoolean(false);
  const i = toIndex(key);
  return newBoolean(i >= 0 && <u32>i < countOf(collection) && equal(arrayGet(collection, <u32>i), value));
}
