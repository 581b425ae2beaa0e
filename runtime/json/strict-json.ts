/** JSON that every reader reads alike, as plain data. */

import { compareNumbers } from "../host/decimal.ts";
import { type ExactJson, parseExactJson } from "./exact-json.ts";

/**
 * The data of a JSON text. Throws for what readers could understand differently: a key that stands twice, half of a surrogate pair,
 * a number that loses digits as a double.
 */
export function strictJson(text: string): unknown {
  return plainOf(parseExactJson(text));
}

function plainOf(value: ExactJson): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plainOf);
  if (value instanceof Map) {
    const result: Record<string, unknown> = {};
    // Defined, not assigned: `__proto__` is a key like any other.
    for (const [key, member] of value)
      Object.defineProperty(result, key, { value: plainOf(member), enumerable: true, configurable: true });
    return result;
  }
  const { number: text } = value as { readonly number: string };
  const number = Number(text);
  const isWhole = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  // `1e0` and `1.0` are one; a digit that a double drops makes another number.
  if (!isWhole || compareNumbers(text, String(number)) !== 0)
    throw new RangeError(`the number ${text} loses digits as a double`);
  return number;
}
