/** Rego's order over values: null, booleans, numbers, strings, arrays, objects, sets; texts by code point. */

import { compareNumbers } from "./decimal.ts";
import { HostNumber, isArray, isObject, isSet, type JsonLike } from "./value.ts";

/** Orders texts by code point, as UTF-8 bytes order; UTF-16 order differs beyond the basic plane. */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) {
      // A surrogate stands for a code point above every other unit's.
      const xHigh = x >= 0xd800 && x <= 0xdfff;
      const yHigh = y >= 0xd800 && y <= 0xdfff;
      if (xHigh !== yHigh) return xHigh ? 1 : -1;
      return x < y ? -1 : 1;
    }
  }
  return a.length - b.length;
}

function rank(value: JsonLike): number {
  if (value === null) return 0;
  if (typeof value === "boolean") return 1;
  if (value instanceof HostNumber) return 2;
  if (typeof value === "string") return 3;
  if (isArray(value)) return 4;
  if (isObject(value)) return 5;
  return 6;
}

function compareLists(a: readonly JsonLike[], b: readonly JsonLike[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareValues(a[i] as JsonLike, b[i] as JsonLike);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Rego's total order. Zero means equal. */
export function compareValues(a: JsonLike, b: JsonLike): number {
  if (a === b) return 0;
  const order = rank(a) - rank(b);
  if (order !== 0) return order;
  if (typeof a === "boolean") return a ? 1 : -1;
  if (a instanceof HostNumber && b instanceof HostNumber) return compareNumbers(a.text, b.text);
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  if (isArray(a) && isArray(b)) return compareLists(a, b);
  if (isSet(a) && isSet(b)) return compareLists(sorted(a), sorted(b));
  if (isObject(a) && isObject(b)) return compareObjects(sortedEntries(a), sortedEntries(b));
  return 0;
}

/** A key of an object, and its value. */
export type Entry = readonly [JsonLike, JsonLike];

function compareObjects(a: readonly Entry[], b: readonly Entry[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a[i] as Entry, b[i] as Entry];
    const order = compareValues(x[0], y[0]) || compareValues(x[1], y[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** The members in Rego's order. */
export function sorted(members: Iterable<JsonLike>): JsonLike[] {
  return [...members].sort(compareValues);
}

/** The entries in the order of their keys. */
export function sortedEntries(value: Iterable<Entry>): Entry[] {
  return [...value].sort((x, y) => compareValues(x[0], y[0]));
}

/** Whether two values are equal, as Rego's `==` has it: numbers by value, objects and sets whatever their order. */
export function equalValues(a: JsonLike, b: JsonLike): boolean {
  return compareValues(a, b) === 0;
}
