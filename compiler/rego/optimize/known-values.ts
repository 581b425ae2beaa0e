/** What the evaluator does with values that it knows: their size, their turns in a loop, and documents with changes. */

import { sortedEntries, sortedItems, type Value } from "../value/index.ts";
import { elementOf } from "./constants.ts";

/**
 * Its size, in values, counted up to the limit; a long text counts as one for each 64 characters. Data may be nested deeper
 * than a stack.
 */
export function sizeOf(value: Value, limit: number): number {
  const waiting = [value];
  let size = 0;
  for (let next = waiting.pop(); next !== undefined && size <= limit; next = waiting.pop()) {
    size += next.kind === "string" ? 1 + (next.value.length >> 6) : 1;
    const parts = "items" in next ? next.items : [];
    const members = next.kind === "object" ? next.entries : [];
    if (size + waiting.length + parts.length + 2 * members.length > limit) return limit + 1;
    for (const part of parts) waiting.push(part);
    for (const [key, member] of members) waiting.push(key, member);
  }
  return size;
}

/** Keys and values in the order in which a loop meets them. */
export function turnsOf(value: Value | undefined): readonly (readonly [Value, Value])[] {
  switch (value?.kind) {
    case "array":
      return value.items.map((item, i) => [{ kind: "number", text: String(i) }, item]);
    case "set":
      return sortedItems(value.items).map((item) => [item, item]);
    case "object":
      return sortedEntries(value.entries);
    default:
      return [];
  }
}

/** `a` wins, member by member of objects. */
export function merged(a: Value, b: Value): Value {
  if (a.kind !== "object" || b.kind !== "object") return a;
  const own = a.entries.map(([key, value]) => {
    const other = elementOf(b, key);
    return [key, other === undefined ? value : merged(value, other)] as const;
  });
  return { kind: "object", entries: [...b.entries.filter(([key]) => elementOf(a, key) === undefined), ...own] };
}

/** `base` with another value at a path, or without one; other values on the way become objects. */
export function replaced(
  base: Value | undefined,
  path: readonly string[],
  value: Value | undefined,
): Value | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  const entries = base?.kind === "object" ? base.entries : [];
  const isHead = ([key]: readonly [Value, Value]): boolean => key.kind === "string" && key.value === head;
  const inner = replaced(entries.find(isHead)?.[1], rest, value);
  const others = entries.filter((entry) => !isHead(entry));
  return {
    kind: "object",
    entries: inner === undefined ? others : [...others, [{ kind: "string", value: head }, inner]],
  };
}
