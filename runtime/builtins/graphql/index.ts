/** graphql.*: queries and schemas parsed, and queries checked against schemas. */

import { emptyObject, isObject, type JsonLike } from "@portcullis/runtime/host";
import { fail, family, text, total } from "../family.ts";
import type { QueryDocument, SchemaDocument } from "./ast.ts";
import { parseQuery } from "./parse-query.ts";
import { parseSchema } from "./parse-schema.ts";
import { buildSchema } from "./schema.ts";
import { readQueryTree, readSchemaTree, treeValue } from "./tree-value.ts";
import { checkQuery } from "./validate.ts";

/** A document is given as a text or as a tree. */
function queryOf(value: JsonLike | undefined): QueryDocument {
  if (typeof value === "string") return parseQuery(value);
  return isObject(value) ? readQueryTree(value) : fail("operand must be a string or an object");
}

function schemaOf(value: JsonLike | undefined): SchemaDocument {
  if (typeof value === "string") return parseSchema(value);
  return isObject(value) ? readSchemaTree(value) : fail("operand must be a string or an object");
}

const show = (tree: unknown): JsonLike => treeValue(tree) ?? emptyObject;

function parseBoth(args: readonly JsonLike[]): readonly [JsonLike, JsonLike] {
  const query = queryOf(args[0]);
  const schema = schemaOf(args[1]);
  checkQuery(buildSchema(schema), query);
  return [show(query), show(schema)];
}

function succeeds(check: () => void): boolean {
  const run = total(() => {
    check();
    return true;
  });
  return run([]) === true;
}

export const graphql = family(() => ({
  "graphql.parse": parseBoth,
  "graphql.parse_and_verify": (args) => {
    const both = total(parseBoth)(args) as readonly [JsonLike, JsonLike] | undefined;
    return both === undefined ? [false, emptyObject, emptyObject] : [true, ...both];
  },
  "graphql.parse_query": (args) => show(parseQuery(text(args, 0))),
  "graphql.parse_schema": (args) => show(parseSchema(text(args, 0))),
  "graphql.is_valid": (args) => succeeds(() => checkQuery(buildSchema(schemaOf(args[1])), queryOf(args[0]))),
  "graphql.schema_is_valid": (args) => succeeds(() => buildSchema(schemaOf(args[0]))),
}));
