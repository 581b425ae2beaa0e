/** A request may write a number in more ways than one, and all of them are equal; `json.marshal` gives it as it was written. */

import { compareValues, type Value } from "@portcullis/rego/value";

/** A value as it stands, and a number in other ways as well: what a builtin gives for them all, it gives for the value. */
export function spellingsOf(value: Value): readonly Value[] {
  if (value.kind !== "number") return [value];
  const [digits = "", exponent = "e0"] = value.text.split(/(?=e)/i);
  const longer = `${digits}${digits.includes(".") ? "0" : ".0"}${exponent}`;
  const isZero = /^-?[0.]+$/.test(digits);
  const texts = [longer, ...(isZero ? ["0", "-0"] : [])];
  return [value, ...texts.map((text): Value => ({ kind: "number", text }))];
}

export function isAlike(a: Value | "unknown" | undefined, b: Value | "unknown" | undefined): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  return compareValues(a, b) === 0;
}
