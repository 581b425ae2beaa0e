/** Values of the policy language: their order, their parts, their texts, and JSON. */

export { decimalOf, int64Of, MAX_INT64, MIN_INT64 } from "./decimal.ts";
export { isJson, isJsonEqual, isJsonObject, type JsonObject } from "./json-object.ts";
export { jsonText } from "./json-text.ts";
export { jsonOf, valueOfJson } from "./json-value.ts";
export { elementOf, isOccupied, longestPrefix, memberOf, merged, replaced, turnsOf, valueAt } from "./members.ts";
export { compareText, compareValues, scalarKey, sortedEntries, sortedItems } from "./order.ts";
export { depthOf, sizeOf } from "./size.ts";
export type { Value } from "./value.ts";
export { valueText } from "./value-text.ts";
