/** strings.render_template: a text with `{{ }}` filled from an object, in the language of Go's text/template. */

import { isArray, isObject, isSet, type JsonLike } from "@portcullis/runtime/host";
import { fail, family, text } from "../family.ts";
import { parseTemplate } from "./parser.ts";
import { renderTemplate } from "./render.ts";

/** OPA writes the values as Rego and reads that as JSON, which has no escape for these. */
const unreadable = /[\0-\x07\x0b\x0e-\x1f\x7f]|(?![\p{L}\p{M}\p{N}\p{P}\p{S}])[\u{10000}-\u{10ffff}]/u;

/** Only what JSON has can be shown by a template. */
function isPlain(value: JsonLike): boolean {
  if (isArray(value)) return value.every(isPlain);
  if (isObject(value))
    return [...value].every(([key, item]) => typeof key === "string" && isPlain(key) && isPlain(item));
  if (typeof value === "string") return !unreadable.test(value);
  return !isSet(value);
}

export const template = family(() => ({
  "strings.render_template": (args) => {
    const variables = args[1];
    if (!isObject(variables) || !isPlain(variables)) return fail("operand must be an object as in JSON");
    return renderTemplate(parseTemplate(text(args, 0)), variables);
  },
}));
