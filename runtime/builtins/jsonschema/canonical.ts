/** JSON in which equal values have equal texts: numbers as doubles, keys sorted. */

import { HostNumber, isArray, isObject, type JsonLike, stringKeyed, toJson } from "@portcullis/runtime/host";
import { fail } from "../family.ts";

/** A double as Go writes it in JSON, which is how JavaScript does but for the sign of zero. */
function double(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value)) fail("number out of range");
  return Object.is(value, -0) ? "-0" : String(value);
}

export function canonical(value: JsonLike): string {
  if (value instanceof HostNumber) return double(value.text);
  if (isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return toJson(value, { html: true });
  const fields = stringKeyed(value).map(([key, field]) => `${toJson(key, { html: true })}:${canonical(field)}`);
  return `{${fields.join(",")}}`;
}
