/** A copy of data that cannot be changed: what is decided and what is executed are one value. */

import { MAX_VALUE_DEPTH } from "../abi/index.ts";
import { refuseForeign } from "./foreign-objects.ts";
import { Interned } from "./interned.ts";
import { EncodeError, isWellFormed } from "./memory-writer.ts";

/** Values that one copy may have. A list that holds itself twice, twenty levels deep, has a million. */
const MOST_VALUES = 250_000;

/**
 * The data of `value`, deeply frozen: own enumerable members, as `JSON.stringify` would write them, each read once. Handles
 * become their texts. Throws EncodeError for a value that is not data: a function, a symbol, NaN, an accessor, a hole in
 * a list, a Date or a Map, a circle, half of a surrogate pair. Costs time and memory in proportion to the values, and refuses more
 * than 250,000 of them.
 */
export function frozenCopy(value: unknown): unknown {
  let left = MOST_VALUES;

  const copy = (item: unknown, depth: number): unknown => {
    if (--left < 0) throw new EncodeError(`the data has more than ${MOST_VALUES} values`);
    switch (typeof item) {
      case "string":
        return text(item);
      case "boolean":
      case "bigint":
        return item;
      case "number":
        if (!Number.isFinite(item)) throw new EncodeError(`${item} is not a JSON value`);
        return item;
      case "object":
        if (item === null) return null;
        if (Interned.is(item)) return item.text;
        if (depth >= MAX_VALUE_DEPTH)
          throw new EncodeError(`the data is nested more than ${MAX_VALUE_DEPTH} levels deep`);
        return Object.freeze(Array.isArray(item) ? list(item, depth + 1) : record(item, depth + 1));
      case "undefined":
      case "function":
      case "symbol":
        throw new EncodeError(`a ${typeof item} is not a JSON value`);
    }
  };

  const list = (items: readonly unknown[], depth: number): unknown[] => {
    const { length } = items;
    if (length >>> 0 !== length || length > left) throw new EncodeError("a list is too long");
    return Array.from({ length }, (_, i) => copy(member(items, String(i)), depth));
  };

  const record = (object: object, depth: number): Record<string, unknown> => {
    refuseForeign(object);
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(object)) {
      const held = member(object, key);
      // Defined, not assigned: `__proto__` is a key like any other.
      if (held !== undefined)
        Object.defineProperty(result, text(key), { value: copy(held, depth), enumerable: true, configurable: true });
    }
    return result;
  };

  return copy(value, 0);
}

/** A policy would read U+FFFD for half of a surrogate pair, and the tool something else: Python a byte of a file's name. */
function text(given: string): string {
  if (!isWellFormed(given)) throw new EncodeError("a text has half of a surrogate pair");
  return given;
}

/** The value of a member that is data. An accessor may answer otherwise the next time, so it is refused. */
function member(holder: object, key: string): unknown {
  const property = Object.getOwnPropertyDescriptor(holder, key);
  if (property !== undefined && !("value" in property)) throw new EncodeError(`\`${key}\` is an accessor, not data`);
  return property?.value;
}
