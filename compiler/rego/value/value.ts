/**
 * Values of the policy language at compile time. Numbers keep their exact decimal text; objects may have any value as a
 * key and sets exist, as in Rego, so neither is a plain JavaScript object.
 */

export type Value =
  | { readonly kind: "null" }
  | { readonly kind: "boolean"; readonly value: boolean }
  /** JSON number text, as written: `1`, `-0`, `2.50`, `1e3`. */
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "array"; readonly items: readonly Value[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [Value, Value])[] }
  | { readonly kind: "set"; readonly items: readonly Value[] };
