/** json.match_schema and json.verify_schema: JSON Schema, drafts 4, 6 and 7, as OPA understands them. */

import { fromJson, isArray, isObject, type JsonLike, object, plain } from "@portcullis/runtime/host";
import { fail, family } from "../family.ts";
import { parseSchema } from "./parse.ts";
import { refuse, SchemaError } from "./schema.ts";
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
    return error instanceof SchemaError ? error.message : fail("schema cannot be checked");
  }
}

export const jsonschema = family(() => ({
  "json.verify_schema": ([value]) => {
    const reason = reasonAgainst(value);
    return reason === undefined ? [true, null] : [false, `jsonschema: ${reason}`];
  },
  "json.match_schema": ([document, value]) => {
    const read = load(document);
    const findings = validate(parseSchema(load(value)), read).map(({ type, field, description }) =>
      object({ error: `${field}: ${description}`, type, field, desc: description }),
    );
    return [findings.length === 0, findings];
  },
}));
