/** Values as canonical JSON text: keys sorted, no white space, numbers as written. The same value gives the same bytes. */

import { assert, unreachable } from "../base/assert.ts";
import type { Value } from "../base/value.ts";

/** Only values that JSON has: no sets, text keys. */
export function jsonText(value: Value): string {
  const out: string[] = [];
  write(value, out);
  return out.join("");
}

function write(value: Value, out: string[]): void {
  switch (value.kind) {
    case "null":
      out.push("null");
      return;
    case "boolean":
      out.push(value.value ? "true" : "false");
      return;
    case "number":
      out.push(value.text);
      return;
    case "string":
      out.push(JSON.stringify(value.value));
      return;
    case "array":
      out.push("[");
      value.items.forEach((item, i) => {
        if (i > 0) out.push(",");
        write(item, out);
      });
      out.push("]");
      return;
    case "object":
      out.push("{");
      sortedEntries(value.entries).forEach(([key, item], i) => {
        out.push(i > 0 ? "," : "", JSON.stringify(key), ":");
        write(item, out);
      });
      out.push("}");
      return;
    case "set":
      return assert(false, "data has no sets");
    default:
      return unreachable(value);
  }
}

function sortedEntries(entries: readonly (readonly [Value, Value])[]): readonly (readonly [string, Value])[] {
  const named = entries.map(([key, item]): readonly [string, Value] => {
    assert(key.kind === "string", "keys of data are text");
    return [key.value, item];
  });
  return named.sort(([a], [b]) => compareText(a, b));
}

/** By code point, as Go and rtlib compare strings; UTF-16 units differ from that above the BMP. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // A surrogate stands for a code point above all that are written with one unit.
    if (isSurrogate(x) !== isSurrogate(y)) return isSurrogate(x) ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
