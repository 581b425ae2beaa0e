/**
 * Values as they cross between the module and a host builtin. Numbers keep their decimal text (a nanosecond timestamp
 * must not pass through a double), objects are Maps (so that `__proto__` is an ordinary key, and any value can be one),
 * sets are Sets. Members of a Set and keys of a Map are unique by construction of the sender.
 */

/** A number by its JSON text, as written: `1`, `-0`, `2.50`, `1e3`. */
export class HostNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value of Rego, exact: numbers are decimal text, objects are maps with keys of any kind, and there are sets. */
export type JsonLike = null | boolean | string | HostNumber | JsonArray | JsonObject | JsonSet;
/** An array of Rego. */
export type JsonArray = readonly JsonLike[];
/** An object of Rego: in no particular order, with keys that may be any value. */
export type JsonObject = ReadonlyMap<JsonLike, JsonLike>;
/** A set of Rego. */
export type JsonSet = ReadonlySet<JsonLike>;

/** A number from a host integer; exact for every bigint and for safe integers. */
export function int(value: bigint | number): HostNumber {
  return new HostNumber(String(value));
}

/** An object from its fields, in the order written. */
export function object(fields: Record<string, JsonLike>): JsonObject {
  return new Map<JsonLike, JsonLike>(Object.entries(fields));
}

/** The object without members; shared, so do not change it. */
export const emptyObject: JsonObject = new Map();

/** Whether the value is a number of Rego. */
export function isNumber(value: JsonLike | undefined): value is HostNumber {
  return value instanceof HostNumber;
}

/** Whether the value is an array of Rego. */
export function isArray(value: JsonLike | undefined): value is JsonArray {
  return Array.isArray(value);
}

/** Whether the value is an object of Rego. */
export function isObject(value: JsonLike | undefined): value is JsonObject {
  return value instanceof Map;
}

/** Whether the value is a set of Rego. */
export function isSet(value: JsonLike | undefined): value is JsonSet {
  return value instanceof Set;
}
