// Values of the policy language: what they are, and how to reach the rest. Layout: runtime/abi/layout.ts.
//
// The value API
// -------------
// A value is a `usize`, the address of its first byte; 0 is undefined, and tagOf(0) is TAG_UNDEFINED. Values are made
// once and then only read; a collection may be filled while only its maker knows it. What a function made is not freed before
// its caller can no longer reach it, so a function may allocate at will, and may share any part of its arguments in its result.
// What it keeps anywhere else, beyond its return, needs keepAll (memory.ts): turns of loops give back what they made.
// There are no AssemblyScript objects at run time: no classes with `new`, no Array, no String, no closures; use addresses,
// numbers, loops, and `memory.data<u8>([..])` for small tables (they cost module size, even where unused).
//
//   value.ts    tagOf, isNull, isBoolean, isNumber, isString, isArray, isObject, isSet, isCollection
//               NULL, newBoolean(bool), isTrue(v); countOf(collection)
//   number.ts   newInt(i64), newNumber(text, length); isInt(v), intOf(v); toIndex(v); the arithmetic
//   string.ts   newString(length): uninitialised, fill bytesOf(v) at once; copyString(at, length); refString(at, length): bytes
//               not copied; literal("ascii or not"); lengthOf(v) in bytes, bytesOf(v); sameText(v, "literal"); codePointCount(v)
//   array.ts    newArray(capacity), arrayPush(a, v), arrayGet(a, i: u32), arraySet(a, i, v); countOf(a); copyArray(a)
//   object.ts   newObject(capacity), objectPut(o, key, value), objectGet(o, key), objectHas; copyObject(o)
//               objectKeyAt(o, i), objectValueAt(o, i): in sorted order after sortObject(o), else in order of insertion
//   set.ts      newSet(capacity), setAdd(s, v), setHas(s, v), setAt(s, i), sortSet(s), copySet(s)
//   compare.ts  compare(a, b): OPA's total order over all values; equal(a, b), cheaper; hashOf(v)
//   buffer.ts   a growing byte buffer: text of unknown length
//   memory.ts   alloc(size), extend, free; heapMark/heapRelease for scratch space
//   host.ts     abortWith("message"): ends the evaluation; a builtin's own errors are undefined (return 0) instead
//   budget.ts   charge(steps): call it in loops whose length is a number of the input, not the size of a value
//
// Builtins: `export function builtin_<name, dots as _>(a: usize, ..): usize` in rtlib/builtins/, exported by
// rtlib/builtins/index.ts: one usize for each argument, never 0; the result is a value or 0 for undefined. Wrong types of
// arguments give 0. Arguments must not be changed; objects and sets may be sorted in place.

import {
  BOOLEAN_VALUE,
  COLLECTION_COUNT,
  FALSE_VALUE,
  HEADER_STATIC_END,
  NULL_VALUE,
  TAG_ARRAY,
  TAG_BOOLEAN,
  TAG_NULL,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_SET,
  TAG_STRING,
  TRUE_VALUE,
  VALUE_FLAGS,
  VALUE_HASH,
} from "../../../../runtime/abi/layout";
import { finish, mix } from "./hash";

/** The type of a value. */
export function tagOf(v: usize): i32 {
  return load<u8>(v);
}

export function isNull(v: usize): bool {
  return tagOf(v) == TAG_NULL;
}

export function isBoolean(v: usize): bool {
  return tagOf(v) == TAG_BOOLEAN;
}

export function isNumber(v: usize): bool {
  return tagOf(v) == TAG_NUMBER;
}

export function isString(v: usize): bool {
  return tagOf(v) == TAG_STRING;
}

export function isArray(v: usize): bool {
  return tagOf(v) == TAG_ARRAY;
}

export function isObject(v: usize): bool {
  return tagOf(v) == TAG_OBJECT;
}

export function isSet(v: usize): bool {
  return tagOf(v) == TAG_SET;
}

export function isCollection(v: usize): bool {
  return tagOf(v) >= TAG_ARRAY;
}

export function flagsOf(v: usize): u32 {
  return load<u8>(v, VALUE_FLAGS);
}

/** Static values are laid out by the compiler (or, like null and small integers, by the start function). */
export function isStatic(v: usize): bool {
  return v < load<u32>(HEADER_STATIC_END);
}

export const NULL: usize = NULL_VALUE;

export function newBoolean(value: bool): usize {
  return value ? TRUE_VALUE : FALSE_VALUE;
}

/** Whether it is the boolean true. There is one true only. */
export function isTrue(v: usize): bool {
  return v == TRUE_VALUE;
}

/** Elements of an array, a set, or entries of an object. */
export function countOf(v: usize): u32 {
  return load<u32>(v, COLLECTION_COUNT);
}

/** Writes the tag, no flags, and no hash. */
export function initValue(v: usize, tag: u32): void {
  store<u64>(v, tag);
}

/** Makes null, false and true. */
export function initSingletons(): void {
  initValue(NULL_VALUE, TAG_NULL);
  store<u32>(NULL_VALUE, finish(mix(TAG_NULL, 0)), VALUE_HASH);
  initValue(FALSE_VALUE, TAG_BOOLEAN);
  store<u32>(FALSE_VALUE, finish(mix(TAG_BOOLEAN, 0)), VALUE_HASH);
  initValue(TRUE_VALUE, TAG_BOOLEAN);
  store<u32>(TRUE_VALUE, finish(mix(TAG_BOOLEAN, 1)), VALUE_HASH);
  store<u32>(TRUE_VALUE, 1, BOOLEAN_VALUE);
}
