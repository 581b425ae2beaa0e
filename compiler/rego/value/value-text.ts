/** Values as Rego's terms, which is JSON but for sets and for keys of any type. */

import { unreachable } from "../diagnostics/index.ts";
import type { Value } from "./value.ts";

export function valueText(value: Value): string {
  switch (value.kind) {
    case "null":
      return "null";
    case "boolean":
      return String(value.value);
    case "number":
      return value.text;
    case "string":
      return JSON.stringify(value.value);
    case "array":
      return `[${value.items.map(valueText).join(", ")}]`;
    case "set":
      return value.items.length === 0 ? "set()" : `{${value.items.map(valueText).join(", ")}}`;
    case "object":
      return `{${value.entries.map(([k, v]) => `${valueText(k)}: ${valueText(v)}`).join(", ")}}`;
    default:
      return unreachable(value);
  }
}
