/** strings.render_template: a text with `{{ }}` filled from an object, in the language of Go's text/template. */

import { isArray, isObject, isSet, type JsonLike } from "@portcullis/runtime/host";
import { fail, family, text } from "../family.ts";
import { parseTemplate } from "./parser.ts";
import { renderTemplate } from "./render.ts";

/** Only what JSON has can be shown by a template. */
function isPlain(value: JsonLike): boolean {
  if (isArray(value)) return value.every(isPlain);
  if (isObject(value)) return [...value].every(([key, item]) => typeof key === "string" && isPlain(item));
  return !isSet(value);
}

export const template = family(() => ({
  "strings.render_template": (args) => {
    const variables = args[1];
    if (!isObject(variables) || !isPlain(variables)) return fail("operand must be an object as in JSON");
    return renderTemplate(parseTemplate(text(args, 0)), variables);
  },
}));
