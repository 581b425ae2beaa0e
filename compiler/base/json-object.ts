/** JSON objects as they come from outside: their members are still to be looked at one by one. */

export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
