/** The kinds of values that a JSON Schema lets stand at a path. */

import type { InputPath } from "./input-schema.ts";
import type { Kind, Kinds } from "./kinds.ts";

type Schema = { readonly [key: string]: unknown };

const KINDS: { readonly [type: string]: Kind } = {
  null: "null",
  boolean: "boolean",
  integer: "number",
  number: "number",
  string: "string",
  array: "array",
  object: "object",
};

/** `undefined` where the schema leaves it open; empty where there can be nothing. */
export function kindsAt(schema: unknown, path: InputPath): Kinds {
  let at = alternatives(schema);
  for (const part of path) {
    const next: Schema[] = [];
    for (const here of at) {
      const inside = stepInto(here, part);
      if (inside === undefined) return undefined;
      next.push(...inside.flatMap(alternatives));
    }
    at = next;
  }
  const found = new Set<Kind>();
  for (const { type } of at) {
    const types = Array.isArray(type) ? type : [type];
    for (const name of types) {
      const kind = typeof name === "string" ? KINDS[name] : undefined;
      if (kind === undefined) return undefined;
      found.add(kind);
    }
  }
  return found;
}

function alternatives(schema: unknown): Schema[] {
  if (!isSchema(schema)) return [{}];
  const any = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(any) ? any.flatMap(alternatives) : [schema];
}

/** `undefined` where the schema leaves open what is inside. */
function stepInto(
  { properties, additionalProperties, items, type }: Schema,
  part: string | undefined,
): unknown[] | undefined {
  if (isSchema(properties)) {
    if (part === undefined) return additionalProperties === undefined ? Object.values(properties) : undefined;
    if (Object.hasOwn(properties, part)) return [properties[part]];
    return additionalProperties === undefined ? [] : undefined;
  }
  if (isSchema(additionalProperties)) return [additionalProperties];
  if (items !== undefined) return part === undefined ? [items] : [];
  const isScalar = typeof type === "string" && type !== "array" && type !== "object";
  return isScalar ? [] : undefined;
}

function isSchema(x: unknown): x is Schema {
  return typeof x === "object" && x !== null && !Array.isArray(x);
}

/**
 * Whether every value that a schema describes has something at a path. A part that is not known is an element that was found, and so
 * are the parts before it.
 */
export function isRequired(schema: unknown, path: InputPath): boolean {
  const found = path.lastIndexOf(undefined);
  let at = alternatives(schema);
  for (const [i, part] of path.entries()) {
    if (i <= found) at = at.filter(({ type }) => type !== "null");
    const isThere = part === undefined || i <= found || at.every((here) => isNamed(here["required"], part));
    const next = at.map((here) => stepInto(here, part));
    if (!isThere || next.some((inside) => inside === undefined || inside.length === 0)) return false;
    at = next.flatMap((inside) => (inside ?? []).flatMap(alternatives));
  }
  return true;
}

function isNamed(required: unknown, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}
