/** JSON as JavaScript reads it → values, and back. */

import { sortedEntries, sortedItems } from "./order.ts";
import type { Value } from "./value.ts";

/** Parts of documents that were converted: a changed document shares the rest with the one before. */
const converted = new WeakMap<object, Value>();

/** JSON as JavaScript reads it. A number beyond its precision is what JavaScript makes of it. */
export function valueOfJson(json: unknown): Value {
  if (json === null || json === undefined) return { kind: "null" };
  if (typeof json === "boolean") return { kind: "boolean", value: json };
  if (typeof json === "number") return { kind: "number", text: String(json) };
  if (typeof json === "string") return { kind: "string", value: json };
  const known = converted.get(json);
  if (known !== undefined) return known;
  const value: Value = Array.isArray(json)
    ? { kind: "array", items: json.map(valueOfJson) }
    : {
        kind: "object",
        entries: Object.entries(json).map(([key, item]) => [{ kind: "string", value: key }, valueOfJson(item)]),
      };
  converted.set(json, value);
  return value;
}

/** As evaluations answer: sets are sorted lists, and keys texts. */
export function jsonOf(value: Value): unknown {
  switch (value.kind) {
    case "null":
      return null;
    case "boolean":
    case "string":
      return value.value;
    case "number":
      return Number(value.text);
    case "array":
      return value.items.map(jsonOf);
    case "set":
      return sortedItems(value.items).map(jsonOf);
    case "object":
      return Object.fromEntries(
        sortedEntries(value.entries).map(([key, item]) => {
          const name = jsonOf(key);
          return [typeof name === "string" ? name : JSON.stringify(name), jsonOf(item)];
        }),
      );
  }
}
