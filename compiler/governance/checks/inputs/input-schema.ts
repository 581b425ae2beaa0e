/** What the input schema of a decision says of a path: whether there is such a member, and which texts it may hold. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import type { Vocabularies, Vocabulary } from "./vocabulary.ts";

/** A path below `input`; `undefined` for a part that is not known while compiling. */
export type InputPath = readonly (string | undefined)[];

export type Found =
  /** Nothing there: the part at `index` is not among `names`. */
  | { readonly kind: "Absent"; readonly index: number; readonly names: readonly string[] }
  /** Anything may be there. */
  | { readonly kind: "Any" }
  /** Texts of a list. */
  | { readonly kind: "Texts"; readonly vocabulary: Vocabulary };

const ANY: Found = { kind: "Any" };

/** Follows a path through a schema. */
export function findInput(schema: unknown, path: InputPath, vocabularies: Vocabularies): Found {
  let at = [schema].flatMap(alternatives);
  for (const [index, part] of path.entries()) {
    const names = new Set<string>();
    const next: JsonObject[] = [];
    for (const here of at) {
      const step = stepInto(here, part);
      if (step === undefined) return ANY;
      next.push(...step.next.flatMap(alternatives));
      for (const name of step.names) names.add(name);
    }
    if (next.length === 0) return { kind: "Absent", index, names: [...names] };
    at = next;
  }
  return textsOf(at, vocabularies);
}

function alternatives(schema: unknown): JsonObject[] {
  if (!isJsonObject(schema)) return [{}];
  return Array.isArray(schema["anyOf"]) ? schema["anyOf"].flatMap(alternatives) : [schema];
}

/** `undefined` where the schema leaves open what is inside. */
function stepInto(
  schema: JsonObject,
  part: string | undefined,
): { readonly next: readonly unknown[]; readonly names: readonly string[] } | undefined {
  const { properties, additionalProperties, items, type } = schema;
  if (isJsonObject(properties)) {
    const names = Object.keys(properties);
    if (part === undefined) return { next: Object.values(properties), names };
    if (Object.hasOwn(properties, part)) return { next: [properties[part]], names };
    return additionalProperties === undefined ? { next: [], names } : undefined;
  }
  if (isJsonObject(additionalProperties)) return { next: [additionalProperties], names: [] };
  if (items !== undefined) return { next: part === undefined ? [items] : [], names: [] };
  if (schema["enum"] !== undefined) return { next: [], names: [] };
  const isScalar =
    type === "string" || type === "number" || type === "integer" || type === "boolean" || type === "null";
  return isScalar ? { next: [], names: [] } : undefined;
}

function textsOf(schemas: readonly JsonObject[], vocabularies: Vocabularies): Found {
  const lists: Vocabulary[] = [];
  for (const schema of schemas) {
    if (schema["type"] === "null") continue;
    const name = schema["x-ids"];
    const list = typeof name === "string" ? vocabularies.get(name) : constantsOf(schema["enum"]);
    if (list === undefined) return ANY;
    lists.push(list);
  }
  return lists.length === 0 ? ANY : { kind: "Texts", vocabulary: joined(lists) };
}

function constantsOf(values: unknown): Vocabulary | undefined {
  if (!Array.isArray(values) || !values.every((v) => typeof v === "string")) return undefined;
  return { noun: "value", ids: new Set(values) };
}

/** What any of several lists has. */
export function joined(lists: readonly Vocabulary[]): Vocabulary {
  const [first, ...rest] = lists as [Vocabulary, ...Vocabulary[]];
  if (rest.every((l) => l.ids === first.ids)) return first;
  const isOpen = lists.some((l) => l.isOpen);
  return { noun: first.noun, ids: new Set(lists.flatMap((l) => [...l.ids])), ...(isOpen ? { isOpen } : {}) };
}
