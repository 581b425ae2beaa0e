/** A value that a JSON Schema describes: a form to fill in, where a request lacks a whole object. */

import { isJsonObject } from "@portcullis/rego/value";
import type { Path } from "./edit.ts";

/** The schema of what stands at a path; `undefined` where it says nothing of it. */
export function schemaAt(schema: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => {
    const found = plain(at);
    if (!isJsonObject(found)) return undefined;
    if (typeof key === "number") return found["items"];
    const { properties, additionalProperties } = found;
    return isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
  }, schema);
}

/** With all its members; `undefined` for a schema that takes anything. */
export function exampleOf(schema: unknown): unknown {
  const found = plain(schema);
  if (!isJsonObject(found)) return undefined;
  if (Array.isArray(found["enum"])) return found["enum"][0];
  switch (found["type"]) {
    case "string":
      return "x";
    case "boolean":
      return true;
    case "number":
    case "integer":
      return 1;
    case "array": {
      const item = exampleOf(found["items"]);
      return item === undefined ? [] : [item];
    }
    case "object": {
      const members = isJsonObject(found["properties"]) ? Object.entries(found["properties"]) : [];
      return Object.fromEntries(
        members.map(([key, member]) => [key, exampleOf(member)]).filter(([, v]) => v !== undefined),
      );
    }
    default:
      return undefined;
  }
}

/** The schema itself; of several alternatives, the one that is not null. */
function plain(schema: unknown): unknown {
  const any = isJsonObject(schema) ? schema["anyOf"] : undefined;
  return Array.isArray(any) ? any.find((s) => !isJsonObject(s) || s["type"] !== "null") : schema;
}
