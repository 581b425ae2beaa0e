/** JSON as it comes from outside: whether a text is any, and objects whose members are still to be looked at one by one. */

export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are the same; the order of an object's members does not count. */
export function isJsonEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((v, i) => isJsonEqual(v, b[i]));
  if (!isJsonObject(a) || !isJsonObject(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isJsonEqual(a[key], b[key]))
  );
}

/** Whether a text is JSON by the platform's parser. Costs a whole parse: for callers that need the text and not its value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
