/** Numbers in words for people. `HostNumber` stands for one that JavaScript rounds: what decides has every digit of it. */

import { isJsonObject, jsonOf, type Value } from "@portcullis/rego/value";
import { compareNumbers, HostNumber } from "@portcullis/runtime/host";

/** Whether JavaScript reads a number of JSON as another one. */
export function isRounded(text: string): boolean {
  const double = Number(text);
  return !Number.isFinite(double) || compareNumbers(text, String(double)) !== 0;
}

/** JSON in which no number is rounded. */
export function writtenJson(value: Value): unknown {
  if (value.kind === "array") return value.items.map(writtenJson);
  if (value.kind === "object")
    return Object.fromEntries(value.entries.map(([key, item]) => [String(jsonOf(key)), writtenJson(item)]));
  return value.kind === "number" && isRounded(value.text) ? new HostNumber(value.text) : jsonOf(value);
}

export function numberWords(number: unknown): string {
  return number instanceof HostNumber ? number.text : String(number);
}

/** As JSON. */
export function valueWords(value: unknown): string {
  if (value instanceof HostNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(valueWords).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${valueWords(item)}`)
    .join(",")}}`;
}
