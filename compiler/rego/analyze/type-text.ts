/** Types as OPA prints them, shortened where they are long: `object<a: string>[any: any]`. */

import { unreachable } from "../diagnostics/index.ts";
import type { Type, Unknown } from "./types.ts";

/** Parts of one type beyond these are left out. */
const MAX_PARTS = 12;
const MAX_SHOWN_DEPTH = 6;

function list(parts: readonly string[]): string {
  return parts.length > MAX_PARTS ? [...parts.slice(0, MAX_PARTS), "…"].join(", ") : parts.join(", ");
}

export function typeText(type: Type | Unknown, depth = 0): string {
  if (type === undefined) return "???";
  if (depth > MAX_SHOWN_DEPTH) return "…";
  const inner = (t: Type | Unknown): string => typeText(t, depth + 1);
  switch (type.kind) {
    case "null":
    case "boolean":
    case "number":
    case "string":
      return type.kind;
    case "array": {
      const items = type.items.length > 0 ? `<${list(type.items.map(inner))}>` : "";
      return `array${items}${type.rest ? `[${inner(type.rest)}]` : ""}`;
    }
    case "object": {
      const properties = [...type.properties.values()].map((p) => `${p.name}: ${inner(p.type)}`);
      const known = properties.length > 0 ? `<${list(properties)}>` : "";
      return `object${known}${type.rest ? `[${inner(type.rest.key)}: ${inner(type.rest.value)}]` : ""}`;
    }
    case "set":
      return `set[${inner(type.of)}]`;
    case "any":
      return type.of.length === 0 ? "any" : `any<${list(type.of.map(inner))}>`;
    case "function":
      return `(${argumentsText(type.args, type.variadic)}) => ${inner(type.result)}`;
    default:
      return unreachable(type);
  }
}

export function argumentsText(args: readonly (Type | Unknown)[], variadic?: Type): string {
  const texts = args.map((t) => typeText(t, 1));
  if (variadic) texts.push(`${typeText(variadic, 1)}...`);
  return texts.join(", ");
}
