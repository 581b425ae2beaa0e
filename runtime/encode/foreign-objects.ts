/** Objects of JavaScript that are not data. */

import { EncodeError } from "./memory-writer.ts";

/** Throws EncodeError for an object that JSON cannot write, or writes as something other than its members. */
export function refuseForeign(value: object): void {
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    throw new EncodeError("a Map, a Set or binary data is not a JSON value");
  if (value instanceof Date || value instanceof String || value instanceof Number || value instanceof Boolean)
    throw new EncodeError("a Date, or a String, Number or Boolean object, is not a JSON value");
  // Not `value.toJSON`: an object with keys of its own has a hidden class of its own, and engines are ten times as slow to learn it.
  if (typeof Reflect.get(value, "toJSON") === "function")
    throw new EncodeError("an object with a toJSON() stands for another value: hand over that value");
}
