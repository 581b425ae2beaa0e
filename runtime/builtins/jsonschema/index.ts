/** json.match_schema and json.verify_schema: JSON Schema, drafts 4, 6 and 7, as OPA understands them. */

import { fromJson, isArray, isObject, type JsonLike, object, plain, toText } from "@portcullis/runtime/host";
import { family } from "../family.ts";
import { parseSchema } from "./parse.ts";
import { refuse, type Schema, SchemaError } from "./schema.ts";
import { validate } from "./validate.ts";

/** A document or schema: an object, an array, or the JSON text of any value. */
function load(value: JsonLike | undefined): JsonLike {
  if (typeof value === "string") {
    const read = fromJson(value);
    return read === undefined ? refuse("invalid JSON string") : read;
  }
  return isObject(value) || isArray(value) ? plain(value) : refuse("wrong type, expected string or object");
}

function reasonAgainst(value: JsonLike | undefined): string | undefined {
  try {
    parseSchema(load(value));
    return undefined;
  } catch (error) {
    if (error instanceof SchemaError) return error.message;
    throw error;
  }
}

/** Schemas by their exact text, as policies ask one of them again and again. OPA keeps them, too. */
class KnownSchemas {
  private readonly schemas = new Map<string, Schema>();

  /** Throws SchemaError for a value that is not a schema. */
  of(value: JsonLike | undefined): Schema {
    const key = value === undefined ? "" : toText(value);
    const known = this.schemas.get(key);
    if (known !== undefined) return known;
    const schema = parseSchema(load(value));
    if (this.schemas.size === MOST_KNOWN) this.schemas.clear();
    this.schemas.set(key, schema);
    return schema;
  }
}

const MOST_KNOWN = 16;

export const jsonschema = family(() => {
  const known = new KnownSchemas();
  return {
    "json.verify_schema": ([value]) => {
      const reason = reasonAgainst(value);
      return reason === undefined ? [true, null] : [false, `jsonschema: ${reason}`];
    },
    "json.match_schema": ([document, value]) => {
      const read = load(document);
      const findings = validate(known.of(value), read).map(({ type, field, description }) =>
        object({ error: `${field}: ${description}`, type, field, desc: description }),
      );
      return [findings.length === 0, findings];
    },
  };
});
