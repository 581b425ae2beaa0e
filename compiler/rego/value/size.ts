/** How large a value is, and how deep it nests. */

import type { Value } from "./value.ts";

/**
 * The size of a value, in values, counted up to the limit; a long text counts as one for each 64 characters. Data may be nested deeper
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

/** How deep collections nest; 0 for a value without parts. Cost: a look at each part. */
export function depthOf(value: Value): number {
  if (value.kind !== "object" && value.kind !== "array" && value.kind !== "set") return 0;
  let depth = 0;
  // What is part of several values is looked at again only where it lies deeper.
  const levels = new Map<Value, number>();
  const pending: Value[] = [];
  const add = (part: Value, level: number): void => {
    if (level > depth) depth = level;
    if (part.kind !== "object" && part.kind !== "array" && part.kind !== "set") return;
    if ((levels.get(part) ?? -1) >= level) return;
    levels.set(part, level);
    pending.push(part);
  };
  add(value, 0);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const level = (levels.get(next) as number) + 1;
    if (next.kind === "object") {
      for (const [k, v] of next.entries) {
        add(k, level);
        add(v, level);
      }
    } else if (next.kind === "array" || next.kind === "set") {
      for (const v of next.items) add(v, level);
    }
  }
  return depth;
}
