/**
 * JSON Schema as types. As in OPA, an object with `properties` has these and no others unless the schema says so, and
 * lengths, patterns and formats, which no type has, are left out.
 * https://www.openpolicyagent.org/docs/policy-language#schema
 */

import {
  ANY,
  arrayOf,
  BOOLEAN,
  NULL,
  NUMBER,
  type ObjectType,
  objectOf,
  STRING,
  stringProperty,
  type Type,
  type Unknown,
  union,
} from "./types.ts";

type Json = { readonly [key: string]: unknown };

/** What makes a schema unusable; caught where the schema was asked for. */
class SchemaProblem extends Error {}

export type SchemaResult = { readonly type: Type } | { readonly problem: string };

export function schemaType(schema: unknown): SchemaResult {
  try {
    return { type: new SchemaReader(schema).read(schema, 0) };
  } catch (error) {
    if (error instanceof SchemaProblem) return { problem: error.message };
    throw error;
  }
}

function isJson(x: unknown): x is Json {
  return typeof x === "object" && x !== null && !Array.isArray(x);
}

const MAX_SCHEMA_DEPTH = 64;

class SchemaReader {
  private readonly root: unknown;
  private readonly open = new Set<string>();

  constructor(root: unknown) {
    this.root = root;
  }

  read(schema: unknown, depth: number): Type {
    if (schema === true) return ANY;
    if (!isJson(schema)) throw new SchemaProblem("a schema is an object or `true`");
    if (depth > MAX_SCHEMA_DEPTH) return ANY;
    if (typeof schema.$ref === "string") return this.reference(schema.$ref, depth);
    if (Array.isArray(schema.anyOf)) return this.anyOf(schema, schema.anyOf, depth);
    if (Array.isArray(schema.allOf))
      return this.read(this.merge([...schema.allOf, { ...schema, allOf: undefined }], depth), depth + 1);
    const names = typeNames(schema);
    if (names.length === 0) return ANY;
    return (
      names
        .map((name) => this.named(name, schema, depth))
        .reduce<Type | Unknown>((sum, t) => union(sum, t), undefined) ?? ANY
    );
  }

  private reference(ref: string, depth: number): Type {
    // A schema that holds itself has values of any depth: below the first, anything goes.
    if (this.open.has(ref)) return ANY;
    this.open.add(ref);
    const type = this.read(this.resolve(ref), depth + 1);
    this.open.delete(ref);
    return type;
  }

  private resolve(ref: string): unknown {
    if (!ref.startsWith("#")) throw new SchemaProblem(`reference \`${ref}\` leads out of the schema`);
    let found: unknown = this.root;
    for (const part of ref.slice(1).split("/").slice(1)) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      found = isJson(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    if (found === undefined) throw new SchemaProblem(`reference \`${ref}\` leads nowhere`);
    return found;
  }

  private anyOf(schema: Json, alternatives: readonly unknown[], depth: number): Type {
    const { anyOf: _, ...core } = schema;
    const own = isJson(core.properties) ? this.read(core, depth + 1) : undefined;
    return alternatives.reduce<Type | Unknown>((sum, s) => union(sum, this.read(s, depth + 1)), own) ?? ANY;
  }

  /** One schema with the types and properties of all of them. */
  private merge(schemas: readonly unknown[], depth: number): Json {
    const result: Record<string, unknown> = {};
    const properties: Record<string, unknown> = {};
    for (const s of schemas) {
      if (s === true) continue;
      if (!isJson(s)) throw new SchemaProblem("a schema is an object or `true`");
      const whole = typeof s.$ref === "string" ? this.resolve(s.$ref) : s;
      const part =
        isJson(whole) && Array.isArray(whole.allOf) && depth < MAX_SCHEMA_DEPTH
          ? this.merge([...whole.allOf, { ...whole, allOf: undefined }], depth + 1)
          : whole;
      if (!isJson(part)) continue;
      const names = typeNames(part);
      const before = result.type as string[] | undefined;
      if (names.length > 0 && before && before.join() !== names.join()) {
        throw new SchemaProblem(
          `the schemas of allOf are of different types: ${before.join(", ")} and ${names.join(", ")}`,
        );
      }
      if (names.length > 0) result.type = names;
      if (isJson(part.properties)) Object.assign(properties, part.properties);
      for (const key of ["items", "prefixItems", "additionalProperties", "patternProperties"]) {
        if (part[key] !== undefined) result[key] = part[key];
      }
    }
    return Object.keys(properties).length > 0 ? { ...result, properties } : result;
  }

  private named(name: string, schema: Json, depth: number): Type {
    switch (name) {
      case "null":
        return NULL;
      case "boolean":
        return BOOLEAN;
      case "string":
        return STRING;
      case "integer":
      case "number":
        return NUMBER;
      case "array":
        return this.array(schema, depth);
      case "object":
        return this.object(schema, depth);
      default:
        throw new SchemaProblem(`unknown type \`${name}\``);
    }
  }

  private array(schema: Json, depth: number): Type {
    const fixed = Array.isArray(schema.prefixItems)
      ? schema.prefixItems
      : Array.isArray(schema.items)
        ? schema.items
        : [];
    const more = isJson(schema.items) ? this.read(schema.items, depth + 1) : undefined;
    if (fixed.length === 0) return arrayOf([], more ?? ANY);
    return arrayOf(
      fixed.map((s: unknown) => this.read(s, depth + 1)),
      more,
    );
  }

  private object(schema: Json, depth: number): Type {
    const properties = isJson(schema.properties) ? Object.entries(schema.properties) : [];
    const more = schema.additionalProperties;
    let rest: ObjectType["rest"];
    if (isJson(more)) rest = { key: STRING, value: this.read(more, depth + 1) };
    else if (more === true || isJson(schema.patternProperties)) rest = { key: STRING, value: ANY };
    else if (properties.length === 0) rest = { key: ANY, value: ANY };
    return objectOf(
      properties.map(([name, s]) => stringProperty(name, this.read(s, depth + 1))),
      rest,
    );
  }
}

/** The types a schema names, or those that its other words mean. */
function typeNames(schema: Json): string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((t): t is string => typeof t === "string").sort();
  if (type !== undefined) throw new SchemaProblem("`type` is a name or a list of names");
  if (isJson(schema.properties)) return ["object"];
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ["array"];
  return [];
}
