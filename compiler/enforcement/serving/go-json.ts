/**
 * JSON as Go's `encoding/json` writes it, which is how OPA's answers look: members in order, `<`, `>`, `&` and two line
 * separators escaped, a newline at the end.
 */

import { compareStrings } from "@portcullis/runtime/host";

const ESCAPES: { readonly [character: string]: string } = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Members in their order, as those of a struct; those of a GoMap are sorted. Members that are `undefined` are left out. */
export function goJson(value: unknown, pretty = false): string {
  const text = write(value, pretty ? "\n" : "", false);
  return `${text.replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] as string)}\n`;
}

/** A value whose objects Go would have as maps: their members are sorted. */
export class GoMap {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** `newline`: with the indentation of the value, or empty for a text on one line. By hand: JavaScript puts keys like `10` first. */
function write(value: unknown, newline: string, sorted: boolean): string {
  if (value instanceof GoMap) return write(value.value, newline, true);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = newline === "" ? "" : `${newline}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${inner}${value.map((item: unknown) => write(item, inner, sorted)).join(`,${inner}`)}${newline}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return "{}";
  if (sorted) entries.sort(([a], [b]) => compareStrings(a, b));
  const colon = newline === "" ? ":" : ": ";
  const members = entries.map(([key, item]) => `${JSON.stringify(key)}${colon}${write(item, inner, sorted)}`);
  return `{${inner}${members.join(`,${inner}`)}${newline}}`;
}
