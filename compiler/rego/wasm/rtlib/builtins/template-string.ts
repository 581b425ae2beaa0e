// Template strings: the parts one after the other, as text.

import { arrayGet } from "../array";
import { Buffer, bufferString, newBuffer, putLiteral, putString } from "../buffer";
import { setAt } from "../set";
import { countOf, isArray, isSet, isString } from "../value";
import { putTerm } from "./quote";

/**
 * Parts are strings and other values, and sets where an expression may have no value: the empty set stands for that, a
 * set of one for the value; an expression of several values makes the whole undefined.
 */
export function builtin_internal_template_string(parts: usize): usize {
  if (!isArray(parts)) return 0;
  const b = newBuffer();
  for (let i: u32 = 0; i < countOf(parts); i++) {
    const part = arrayGet(parts, i);
    if (!isSet(part)) putText(b, part);
    else if (countOf(part) == 0) putLiteral(b, "<undefined>");
    else if (countOf(part) == 1) putText(b, setAt(part, 0));
    else return 0;
  }
  return bufferString(b);
}

function putText(b: Buffer, v: usize): void {
  if (isString(v)) putString(b, v);
  else putTerm(b, v);
}
