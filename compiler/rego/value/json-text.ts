/** Values as canonical JSON text: keys sorted, no white space, numbers as written. The same value gives the same bytes. */

import { assert, unreachable } from "../diagnostics/index.ts";
import { sortedEntries } from "./order.ts";
import type { Value } from "./value.ts";

/** Only values that JSON has: no sets, text keys. */
export function jsonText(value: Value): string {
  assert(value.kind !== "set", "data has no sets");
  switch (value.kind) {
    case "null":
      return "null";
    case "boolean":
      return value.value ? "true" : "false";
    case "number":
      return value.text;
    case "string":
      return JSON.stringify(value.value);
    case "array":
      return `[${value.items.map(jsonText).join()}]`;
    case "object": {
      const members = sortedEntries(value.entries).map(([key, item]) => {
        assert(key.kind === "string", "keys of data are text");
        return `${JSON.stringify(key.value)}:${jsonText(item)}`;
      });
      return `{${members.join()}}`;
    }
    default:
      return unreachable(value);
  }
}
