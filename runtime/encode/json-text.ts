/** A request as JSON text, for modules that take nothing else; what a value means and what is refused is as in the value writer. */

import { Interned } from "./interned.ts";
import { EncodeError } from "./memory-writer.ts";
import { snapshot } from "./snapshot.ts";

/** `most`: elements that a list may have. Throws EncodeError for a value that is not data. */
export function jsonText(value: unknown, most: number): string {
  return jsonTextOf(snapshot(value, most));
}

function jsonTextOf(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      if (!Number.isFinite(value)) throw new EncodeError(`${value} is not a JSON value`);
      return JSON.stringify(value);
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      if (value === null) return "null";
      if (Interned.is(value)) return JSON.stringify(value.text);
      if (Array.isArray(value)) return `[${value.map(jsonTextOf).join(",")}]`;
      return `{${Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${JSON.stringify(key)}:${jsonTextOf(member)}`)
        .join(",")}}`;
    case "undefined":
    case "function":
    case "symbol":
      throw new EncodeError(`a ${typeof value} is not a JSON value`);
  }
}
