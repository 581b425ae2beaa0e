/** OPA's total order over values, as rtlib/compare.ts has it at run time. */

import { unreachable } from "../diagnostics/index.ts";
import { compareNumberText, numberKey } from "./decimal.ts";
import type { Value } from "./value.ts";

const RANK = { null: 1, boolean: 2, number: 3, string: 4, array: 5, object: 6, set: 7 } as const;

/** Order by code points, which is that of UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    // A surrogate stands for a code point above all others of one unit.
    if (x !== y) return (x >= 0xd800 && x < 0xe000 ? x + 0x10000 : x) - (y >= 0xd800 && y < 0xe000 ? y + 0x10000 : y);
  }
  return a.length - b.length;
}

/** The entries in ascending order of their keys. Of equal keys the first one stays, with the last one's value. */
export function sortedEntries(entries: readonly (readonly [Value, Value])[]): readonly (readonly [Value, Value])[] {
  // Data comes sorted, and there may be much of it.
  if (entries.every(([key], i) => i === 0 || compareValues((entries[i - 1] as readonly [Value, Value])[0], key) < 0))
    return entries;
  const sorted: (readonly [Value, Value])[] = [];
  for (const entry of [...entries].sort((a, b) => compareValues(a[0], b[0]))) {
    const last = sorted[sorted.length - 1];
    if (last !== undefined && compareValues(last[0], entry[0]) === 0) sorted[sorted.length - 1] = [last[0], entry[1]];
    else sorted.push(entry);
  }
  return sorted;
}

/** The elements in ascending order, each once. */
export function sortedItems(items: readonly Value[]): readonly Value[] {
  if (items.every((item, i) => i === 0 || compareValues(items[i - 1] as Value, item) < 0)) return items;
  const sorted = [...items].sort(compareValues);
  return sorted.filter((v, i) => i === 0 || compareValues(sorted[i - 1] as Value, v) !== 0);
}

function compareLists(a: readonly Value[], b: readonly Value[]): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const c = compareValues(a[i] as Value, b[i] as Value);
    if (c !== 0) return c;
  }
  return a.length - b.length;
}

/** Negative, 0 or positive. */
export function compareValues(a: Value, b: Value): number {
  if (a === b) return 0;
  switch (a.kind) {
    case "null":
      return RANK.null - RANK[b.kind];
    case "boolean":
      return b.kind === "boolean" ? Number(a.value) - Number(b.value) : RANK.boolean - RANK[b.kind];
    case "number":
      return b.kind === "number" ? compareNumberText(a.text, b.text) : RANK.number - RANK[b.kind];
    case "string":
      return b.kind === "string" ? compareText(a.value, b.value) : RANK.string - RANK[b.kind];
    case "array":
      return b.kind === "array" ? compareLists(a.items, b.items) : RANK.array - RANK[b.kind];
    case "set":
      return b.kind === "set" ? compareLists(sortedItems(a.items), sortedItems(b.items)) : RANK.set - RANK[b.kind];
    case "object": {
      if (b.kind !== "object") return RANK.object - RANK[b.kind];
      return compareLists(sortedEntries(a.entries).flat(), sortedEntries(b.entries).flat());
    }
    default:
      return unreachable(a);
  }
}

/** A text that two values without parts have in common just where they are equal; `undefined` for a collection. */
export function scalarKey(value: Value): string | undefined {
  switch (value.kind) {
    case "null":
      return "null";
    case "boolean":
      return String(value.value);
    case "number":
      return numberKey(value.text);
    case "string":
      return `"${value.value}`;
    case "array":
    case "object":
    case "set":
      return undefined;
  }
}
