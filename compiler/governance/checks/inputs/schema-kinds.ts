/** The kinds of values that a JSON Schema lets stand at a path. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import type { InputPath } from "./input-schema.ts";
import type { Kind, Kinds } from "./kinds.ts";

const KINDS: { readonly [type: string]: Kind } = {
  null: "null",
  boolean: "boolean",
  integer: "number",
  number: "number",
  string: "string",
  array: "array",
  object: "object",
};

/**
 * What is asked of a schema: all that it describes, or what the decision's gates have established before they ask an author's, which
 * is said of a member by `x-established`. A request that no gate has refused may have anything at the others.
 */
export type Asked = "described" | "established";

/** `undefined` where the schema leaves it open, or no gate has established it; empty where there can be nothing. */
export function kindsAt(schema: unknown, path: InputPath, asked: Asked): Kinds {
  let at: unknown[] = [schema];
  for (const part of path) {
    const next: unknown[] = [];
    for (const here of at.flatMap(alternatives)) {
      const inside = stepInto(here, part);
      if (inside === undefined) return undefined;
      next.push(...inside);
    }
    at = next;
  }
  if (asked === "established" && !isEstablished(at)) return undefined;
  const found = new Set<Kind>();
  for (const { type } of at.flatMap(alternatives)) {
    const types = Array.isArray(type) ? type : [type];
    for (const name of types) {
      const kind = typeof name === "string" ? KINDS[name] : undefined;
      if (kind === undefined) return undefined;
      found.add(kind);
    }
  }
  return found;
}

function isEstablished(schemas: readonly unknown[]): boolean {
  return schemas.length > 0 && schemas.every((schema) => isJsonObject(schema) && schema["x-established"] === true);
}

function alternatives(schema: unknown): JsonObject[] {
  if (!isJsonObject(schema)) return [{}];
  const any = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(any) ? any.flatMap(alternatives) : [schema];
}

/** `undefined` where the schema leaves open what is inside. */
function stepInto(
  { properties, additionalProperties, items, type }: JsonObject,
  part: string | undefined,
): unknown[] | undefined {
  if (isJsonObject(properties)) {
    if (part === undefined) return additionalProperties === undefined ? Object.values(properties) : undefined;
    if (Object.hasOwn(properties, part)) return [properties[part]];
    return additionalProperties === undefined ? [] : undefined;
  }
  if (isJsonObject(additionalProperties)) return [additionalProperties];
  if (items !== undefined) return part === undefined ? [items] : [];
  const isScalar = typeof type === "string" && type !== "array" && type !== "object";
  return isScalar ? [] : undefined;
}

/**
 * Whether every request that gates let through has something at a path. A part that is not known is an element that was found, and so
 * are the parts before it.
 */
export function isRequired(schema: unknown, path: InputPath): boolean {
  const found = path.lastIndexOf(undefined);
  let at = alternatives(schema);
  for (const [i, part] of path.entries()) {
    if (i <= found) at = at.filter(({ type }) => type !== "null");
    const isThere = part === undefined || i <= found || at.every((here) => isNamed(here["required"], part));
    const next = at.flatMap((here) => stepInto(here, part) ?? [undefined]);
    if (!isThere || next.length === 0 || next.includes(undefined)) return false;
    if (i > found && !isEstablished(next)) return false;
    at = next.flatMap(alternatives);
  }
  return true;
}

function isNamed(required: unknown, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}
