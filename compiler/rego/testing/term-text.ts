/** Values that a host hears, as Rego's terms. */

import { HostNumber, isArray, isObject, type JsonLike, sorted, sortedEntries } from "@portcullis/runtime/host";

export function termText(value: JsonLike): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (value instanceof HostNumber) return value.text;
  if (isArray(value)) return `[${value.map(termText).join(", ")}]`;
  if (isObject(value))
    return `{${sortedEntries(value)
      .map(([key, inner]) => `${termText(key)}: ${termText(inner)}`)
      .join(", ")}}`;
  return value.size === 0 ? "set()" : `{${sorted(value).map(termText).join(", ")}}`;
}
