// Types of values, and conversions that only check the type.

import { TAG_ARRAY, TAG_BOOLEAN, TAG_NULL, TAG_NUMBER, TAG_OBJECT, TAG_SET, TAG_STRING } from "../../../../../runtime/abi/layout";
import { arrayGet, arrayPush, newArray } from "../array";
import { newSet, setAdd, setAt, sortSet } from "../set";
import { literal } from "../string";
import { countOf, isArray, isSet, newBoolean, tagOf } from "../value";

export function builtin_is_null(v: usize): usize {
  return newBoolean(tagOf(v) == TAG_NULL);
}

export function builtin_is_boolean(v: usize): usize {
  return newBoolean(tagOf(v) == TAG_BOOLEAN);
}

export function builtin_is_number(v: usize): usize {
  return newBoolean(tagOf(v) == TAG_NUMBER);
}

export function builtin_is_string(v: usize): usize {
  return newBoolean(tagOf(v) == TAG_STRING);
}

export function builtin_is_array(v: usize): usize {
  return newBoolean(tagOf(v) == TAG_ARRAY);
}

export function builtin_is_object(v: usize): usize {
  return newBoolean(tagOf(v) == TAG_OBJECT);
}

export function builtin_is_set(v: usize): usize {
  return newBoolean(tagOf(v) == TAG_SET);
}

export function builtin_type_name(v: usize): usize {
  switch (tagOf(v)) {
    case TAG_NULL:
      return literal("null");
    case TAG_BOOLEAN:
      return literal("boolean");
    case TAG_NUMBER:
      return literal("number");
    case TAG_STRING:
      return literal("string");
    case TAG_ARRAY:
      return literal("array");
    case TAG_OBJECT:
      return literal("object");
    default:
      return literal("set");
  }
}

export function builtin_cast_array(v: usize): usize {
  if (isArray(v)) return v;
  if (!isSet(v)) return 0;
  sortSet(v);
  const n = countOf(v);
  const result = newArray(n);
  for (let i: u32 = 0; i < n; i++) arrayPush(result, setAt(v, i));
  return result;
}

export function builtin_cast_set(v: usize): usize {
  if (isSet(v)) return v;
  if (!isArray(v)) return 0;
  const n = countOf(v);
  const result = newSet(n);
  for (let i: u32 = 0; i < n; i++) setAdd(result, arrayGet(v, i));
  return result;
}

export function builtin_cast_string(v: usize): usize {
  return tagOf(v) == TAG_STRING ? v : 0;
}

export function builtin_cast_boolean(v: usize): usize {
  return tagOf(v) == TAG_BOOLEAN ? v : 0;
}

export function builtin_cast_null(v: usize): usize {
  return tagOf(v) == TAG_NULL ? v : 0;
}

export function builtin_cast_object(v: usize): usize {
  return tagOf(v) == TAG_OBJECT ? v : 0;
}
