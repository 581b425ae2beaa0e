/** Tables of fields → JSON Schema, draft 2020-12. */

import type { Field, Fields } from "./field.ts";

export function schemaOf(name: string, title: string, fields: Fields): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:portcullis:schema:${name}`,
    title,
    ...mapping(fields, "object"),
  };
}

function mapping(fields: Fields, type: unknown): object {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => field.use.required === true).map(([key]) => key);
  return {
    type,
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(
      entries.map(([key, field]) => [key, { description: field.meaning, ...form(field) }]),
    ),
  };
}

const TEXTS = { type: "array", items: { type: "string" } };

function form(field: Field): object {
  const orNull = (type: string): unknown => (field.use.nullable === true ? [type, "null"] : type);
  switch (field.kind) {
    case "section":
      return mapping(field.fields, field.orText === true ? ["string", "object"] : orNull("object"));
    case "by-name":
      return { type: "object", additionalProperties: mapping(field.fields, ["object", "null"]) };
    case "rows":
      return {
        type: field.orText === true ? ["string", "array"] : orNull("array"),
        items: mapping(field.fields, "object"),
      };
    case "names":
    case "list":
      return { ...TEXTS, type: orNull("array") };
    case "commands":
      return { type: "object", additionalProperties: TEXTS };
    case "values":
      return { type: "array" };
    case "limit":
      return { type: ["number", "object"], additionalProperties: { type: "number" } };
    case "truth":
      return { type: "boolean" };
    case "whole": {
      const { minimum, maximum } = field;
      return { type: "integer", minimum, ...(maximum === undefined ? {} : { maximum }) };
    }
    case "text":
    case "named":
    case "id":
      return field.values === undefined ? { type: "string" } : { enum: field.values };
  }
}
