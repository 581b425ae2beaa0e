/** Reading a schema, keyword by keyword. Errors are OPA's, word for word. */

import {
  HostNumber,
  isArray,
  isObject,
  type JsonLike,
  type JsonObject,
  parseDecimal,
  plainInt64,
  stringKeyed,
} from "@portcullis/runtime/host";
import { giveUp } from "../family.ts";
import { parseUrl } from "../url.ts";
import { canonical } from "./canonical.ts";
import { compilePattern } from "./pattern.ts";
import { declaredDraft, References } from "./references.ts";
import {
  type Draft,
  hasDraft,
  invalidType,
  type Limits,
  newSchema,
  refuse,
  type Schema,
  type TypeName,
  typeNames,
} from "./schema.ts";

/** Schemas nested deeper are refused. */
const maxDepth = 500;

function getText(node: JsonObject, key: string): string | undefined {
  const value = node.get(key);
  return value === undefined || typeof value === "string" ? value : invalidType("string", key);
}

function getList(node: JsonObject, key: string): readonly JsonLike[] {
  const value = node.get(key);
  if (value === undefined) return [];
  return isArray(value) ? value : refuse(`${key} must be of an array`);
}

const isSchema = (value: JsonLike | undefined): value is JsonObject | boolean =>
  typeof value === "boolean" || isObject(value);

function getCount(node: JsonObject, key: string): number | undefined {
  const value = node.get(key);
  if (value === undefined) return undefined;
  const count = value instanceof HostNumber ? plainInt64(value.text) : undefined;
  if (count === undefined) return refuse(`${key} must be of an integer`);
  return count < 0n ? refuse(`${key} must be greater than or equal to 0`) : Number(count);
}

class SchemaParser {
  private readonly references: References;
  private readonly known = new Map<string, Schema>();
  private depth = 0;

  constructor(root: JsonLike) {
    this.references = new References(root);
  }

  parse(node: JsonLike, draft: Draft): Schema {
    const schema = newSchema(draft);
    this.fill(schema, node);
    return schema;
  }

  private fill(schema: Schema, node: JsonLike): void {
    if (++this.depth > maxDepth) giveUp("schema nested too deep");
    if (typeof node === "boolean" && hasDraft(schema.draft, 6)) schema.pass = node;
    else if (isObject(node)) this.keywords(schema, node);
    else refuse("Expected: Valid Schema, given: Invalid JSON");
    this.depth--;
  }

  private keywords(schema: Schema, node: JsonObject): void {
    this.checkId(schema, node);
    const definitions = node.get("definitions");
    if (definitions !== undefined) this.definitions(schema, definitions);
    getText(node, "title");
    getText(node, "description");
    const reference = getText(node, "$ref");
    if (reference !== undefined && this.follow(schema, node, reference) === "first") return;
    this.types(schema, node.get("type"));
    this.objectKeywords(schema, node);
    this.arrayKeywords(schema, node);
    this.numberKeywords(schema, node);
    this.textKeywords(schema, node);
    this.counts(schema.propertyCount, node, "minProperties", "maxProperties");
    this.required(schema, node);
    this.counts(schema.itemCount, node, "minItems", "maxItems");
    this.uniqueAndContains(schema, node);
    this.values(schema, node);
    this.combinations(schema, node);
  }

  private checkId(schema: Schema, node: JsonObject): void {
    const old = schema.draft === 4 || (schema.draft === "hybrid" && node.has("id"));
    const id = getText(node, old ? "id" : "$id");
    if (id !== undefined && parseUrl(id) === undefined) refuse(`parse ${JSON.stringify(id)}: invalid URL`);
  }

  private definitions(schema: Schema, definitions: JsonLike): void {
    if (!isObject(definitions)) return invalidType("Array Of Schemas", "definitions");
    for (const [, definition] of stringKeyed(definitions)) {
      if (!isSchema(definition)) invalidType("Array Of Schemas", "definitions");
      this.parse(definition, schema.draft);
    }
  }

  /** Keywords beside a reference mean nothing. OPA still reads them, except where it reads what the reference leads to. */
  private follow(schema: Schema, node: JsonObject, reference: string): "first" | "known" {
    const target = this.references.targetOf(node, reference);
    if (parseUrl(target) === undefined) refuse(`parse ${JSON.stringify(reference)}: invalid URL`);
    const known = this.known.get(target);
    if (known !== undefined) {
      schema.reference = known;
      return "known";
    }
    const place = this.references.find(target);
    const found = newSchema(place.draft ?? schema.draft);
    this.known.set(target, found);
    if (!isSchema(place.document)) refuse("Valid Schema must be of type object");
    this.fill(found, place.document);
    schema.reference = found;
    return "first";
  }

  private types(schema: Schema, type: JsonLike | undefined): void {
    if (type === undefined) return;
    const names = typeof type === "string" ? [type] : type;
    if (!isArray(names)) return invalidType("type", "string/Array Of Strings");
    for (const name of names) {
      if (typeof name !== "string") return invalidType("type", "string/Array Of Strings");
      if (!(typeNames as readonly string[]).includes(name)) {
        const valid = `[${typeNames.join(" ")}]`;
        refuse(`has a primitive type that is NOT VALID -- given: /${name}/ Expected valid values are:${valid}`);
      }
      if (schema.types.includes(name as TypeName)) refuse(`${name} type is duplicated`);
      schema.types.push(name as TypeName);
    }
  }

  private child(schema: Schema, node: JsonLike): Schema {
    return this.parse(node, schema.draft);
  }

  private booleanOrSchema(schema: Schema, node: JsonObject, key: string): boolean | Schema | undefined {
    const value = node.get(key);
    if (value === undefined || typeof value === "boolean") return value;
    return isObject(value) ? this.child(schema, value) : invalidType("boolean/Valid Schema", key);
  }

  private objectKeywords(schema: Schema, node: JsonObject): void {
    const properties = node.get("properties");
    if (properties !== undefined) {
      if (!isObject(properties)) return refuse("Properties must be of type object");
      for (const [name, value] of stringKeyed(properties)) schema.properties.set(name, this.child(schema, value));
    }
    const additional = this.booleanOrSchema(schema, node, "additionalProperties");
    if (additional !== undefined) schema.additionalProperties = additional;
    const patterns = node.get("patternProperties");
    if (patterns !== undefined) {
      if (!isObject(patterns)) return invalidType("Valid Schema", "patternProperties");
      for (const [pattern, value] of stringKeyed(patterns)) {
        const matches = compilePattern(pattern) ?? refuse(`Invalid regex pattern '${pattern}'`);
        schema.patternProperties.push({ matches, schema: this.child(schema, value) });
      }
    }
    const names = node.get("propertyNames");
    if (names !== undefined && hasDraft(schema.draft, 6)) {
      if (!isSchema(names)) return invalidType("Valid Schema", "patternProperties");
      schema.propertyNames = this.child(schema, names);
    }
    this.dependencies(schema, node.get("dependencies"));
  }

  private dependencies(schema: Schema, dependencies: JsonLike | undefined): void {
    if (dependencies === undefined) return;
    if (!isObject(dependencies)) return refuse("dependencies must be of type object");
    const wrong = (): never => refuse("Dependency must be of type Schema Or Array Of Strings");
    for (const [name, value] of stringKeyed(dependencies)) {
      if (isArray(value)) {
        schema.dependencies.set(
          name,
          value.map((item) => (typeof item === "string" ? item : wrong())),
        );
      } else schema.dependencies.set(name, isSchema(value) ? this.child(schema, value) : wrong());
    }
  }

  private arrayKeywords(schema: Schema, node: JsonObject): void {
    const items = node.get("items");
    if (isArray(items)) {
      schema.items = items.map((item) =>
        isSchema(item) ? this.child(schema, item) : invalidType("Valid Schema/Array Of Schemas", "items"),
      );
    } else if (items !== undefined) {
      schema.items = isSchema(items)
        ? this.child(schema, items)
        : invalidType("Valid Schema/Array Of Schemas", "items");
    }
    const additional = this.booleanOrSchema(schema, node, "additionalItems");
    if (additional !== undefined) schema.additionalItems = additional;
  }

  private numberKeywords(schema: Schema, node: JsonObject): void {
    const multiple = node.get("multipleOf");
    if (multiple !== undefined) {
      if (!(multiple instanceof HostNumber)) return invalidType("Number", "multipleOf");
      const value = parseDecimal(multiple.text);
      if (value === undefined || value.negative || value.digits === "")
        refuse("multipleOf must be strictly greater than 0");
      schema.multipleOf = multiple;
    }
    this.bound(schema, node, "minimum", "exclusiveMinimum");
    this.bound(schema, node, "maximum", "exclusiveMaximum");
  }

  /** In draft 4, the exclusive keyword is a boolean that changes what the other means; later it is a bound itself. */
  private bound(
    schema: Schema,
    node: JsonObject,
    key: "minimum" | "maximum",
    exclusive: "exclusiveMinimum" | "exclusiveMaximum",
  ): void {
    const bound = node.get(key);
    if (bound !== undefined) schema[key] = bound instanceof HostNumber ? bound : refuse(`${key} must be of a Number`);
    const value = node.get(exclusive);
    if (value === undefined) return;
    if (value instanceof HostNumber && schema.draft !== 4) {
      schema[exclusive] = value;
      return;
    }
    if (typeof value !== "boolean" || (schema.draft !== 4 && schema.draft !== "hybrid")) {
      const expected = schema.draft === 4 ? "boolean" : schema.draft === "hybrid" ? "boolean/number" : "number";
      return invalidType(expected, exclusive);
    }
    const inclusive = schema[key] ?? refuse(`${exclusive} cannot be used without ${key}`);
    if (value) {
      schema[exclusive] = inclusive;
      delete schema[key];
    }
  }

  private counts(limits: Limits, node: JsonObject, low: string, high: string): void {
    const min = getCount(node, low);
    const max = getCount(node, high);
    if (min !== undefined) limits.min = min;
    if (max !== undefined) limits.max = max;
    // OPA does not compare the bounds of arrays.
    if (min !== undefined && max !== undefined && min > max && low !== "minItems") {
      refuse(`${low} cannot be greater than ${high}`);
    }
  }

  private textKeywords(schema: Schema, node: JsonObject): void {
    this.counts(schema.length, node, "minLength", "maxLength");
    const pattern = getText(node, "pattern");
    if (pattern !== undefined) {
      const matches = compilePattern(pattern) ?? refuse("pattern must be a valid regex");
      schema.pattern = { text: pattern, matches };
    }
    const format = getText(node, "format");
    if (format !== undefined) schema.format = format;
  }

  private required(schema: Schema, node: JsonObject): void {
    const names = getList(node, "required").map((name) =>
      typeof name === "string" ? name : invalidType("string", "required"),
    );
    if (new Set(names).size !== names.length) refuse("required items must be unique");
    schema.required = names;
  }

  private uniqueAndContains(schema: Schema, node: JsonObject): void {
    const unique = node.get("uniqueItems");
    if (unique !== undefined)
      schema.uniqueItems = typeof unique === "boolean" ? unique : refuse("uniqueItems must be of a boolean");
    const contains = node.get("contains");
    if (contains !== undefined && hasDraft(schema.draft, 6)) schema.contains = this.child(schema, contains);
  }

  private values(schema: Schema, node: JsonObject): void {
    const constant = node.get("const");
    if (constant !== undefined && hasDraft(schema.draft, 6)) schema.constant = canonical(constant);
    if (!node.has("enum")) return;
    const texts = getList(node, "enum").map(canonical);
    if (new Set(texts).size !== texts.length) refuse("enum items must be unique");
    schema.enumeration = texts;
  }

  private combinations(schema: Schema, node: JsonObject): void {
    for (const key of ["oneOf", "anyOf", "allOf"] as const) {
      schema[key] = getList(node, key).map((item) => this.child(schema, item));
    }
    const keys = hasDraft(schema.draft, 7) ? (["not", "if", "then", "else"] as const) : (["not"] as const);
    for (const key of keys) {
      const value = node.get(key);
      if (value !== undefined)
        schema[key] = isSchema(value) ? this.child(schema, value) : refuse(`${key} must be of an object`);
    }
  }
}

/** The schema of a JSON value; throws SchemaError for a value that is not a schema. */
export function parseSchema(root: JsonLike): Schema {
  return new SchemaParser(root).parse(root, declaredDraft(root) ?? "hybrid");
}
