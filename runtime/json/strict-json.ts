/** JSON that every reader reads alike, as plain data. */

import { type ExactJson, parseExactJson } from "./exact-json.ts";

/**
 * The data of a JSON text. Throws for what readers could understand differently: a key that stands twice, half of a surrogate pair,
 * a whole number that a double does not hold exactly.
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
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number)))
    throw new RangeError(`the number ${text} is beyond the whole numbers that a double holds exactly`);
  return number;
}
