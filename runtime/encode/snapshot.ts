/** Data that a host hands over once, and that must be the same when a new instance needs it. */

import { MAX_VALUE_DEPTH } from "../abi/index.ts";
import { refuseForeign } from "./foreign-objects.ts";
import { Interned } from "./interned.ts";
import { EncodeError } from "./memory-writer.ts";

const hasOwn = Object.prototype.hasOwnProperty;

/**
 * A copy of JSON-like data, which no other code can change. `most`: elements that a list may have. Throws EncodeError for what
 * cannot be copied; other values that are not JSON stay as they are, for the writer to refuse.
 */
export function snapshot(value: unknown, most: number, depth = 0): unknown {
  if (typeof value !== "object" || value === null || Interned.is(value)) return value;
  if (depth >= MAX_VALUE_DEPTH)
    throw new EncodeError(`the data is nested more than ${MAX_VALUE_DEPTH} levels deep, or refers to itself`);
  if (Array.isArray(value)) {
    const { length } = value;
    if (length >>> 0 !== length || length > most) throw new EncodeError("a list is too long");
    return Array.from({ length }, (_, i) => snapshot(value[i], most, depth + 1));
  }
  refuseForeign(value);
  // Without a prototype, `__proto__` is a key like any other.
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key in value) {
    if (hasOwn.call(value, key)) copy[key] = snapshot((value as Record<string, unknown>)[key], most, depth + 1);
  }
  return copy;
}
