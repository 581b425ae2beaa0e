/** file-formats.md: every field of every file of a policy set, and whether it decides. */

import { SCHEMAS, type SchemaName } from "../../governance/sources/index.ts";
import { type Field, fieldsOf, type Schema } from "./fields.ts";
import { code, page, prose, table } from "./markdown.ts";

/** In the order in which an author meets them. Tests of decisions are no part of a policy. */
export const FORMATS: readonly SchemaName[] = [
  "settings",
  "roles",
  "lanes",
  "tool_registry",
  "approvers",
  "manifest",
  "handoff",
  "exec",
  "limits",
];

export function fileFormatsPage(): string {
  return page(
    "File formats",
    "the JSON Schemas of the files",
    [
      "A field **decides** when a gate reads it, is **checked** when the compiler compares it with other fields, **builds** when it tells the compiler what to make, and **informs** when it is there for readers only.",
      "A test turns every field and asks all decisions: one that decides changes an answer, any other changes none.",
    ].join(" "),
    ...FORMATS.flatMap((name) => {
      const schema = SCHEMAS[name] as Schema;
      return [`## ${schema.title ?? name}`, table(["field", "type", "", "meaning"], fieldsOf(schema).map(row))];
    }),
  );
}

function row({ path, schema, effect, text }: Field): string[] {
  return [code(path), typeOf(schema), effect.toLowerCase(), prose(text)];
}

function typeOf({ type, enum: values, items }: Schema): string {
  if (values !== undefined) return values.map(code).join(" or ");
  const name = [type ?? "any"].flat().filter((one) => one !== "null")[0] ?? "null";
  return name === "array" && items !== undefined ? `list of ${typeOf(items)}` : name;
}
