/**
 * What the statements of the gates share: reading untrusted JSON without believing it, and white space as the
 * specification defines it. Nothing here comes from the product.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A decision as the specification's pages write it. */
export type Decision = { readonly [key: string]: Json };

/** The value's own field, or undefined: only objects have fields, and no prototype lends one. */
export function field(value: unknown, key: string): unknown {
  if (!isObject(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The entry of a table whose keys are ids; `undefined` for anything that is not an id of it. */
export function entry<T>(table: { readonly [id: string]: T } | undefined, id: unknown): T | undefined {
  if (typeof id !== "string" || table === undefined || !Object.hasOwn(table, id)) return undefined;
  return table[id];
}

const edges = /^[\p{White_Space}\uFEFF]+|[\p{White_Space}\uFEFF]+$/gu;

/** Without white space (Unicode White_Space and U+FEFF) at both ends. */
export function trimmed(text: string): string {
  return text.replace(edges, "");
}

export function isWritten(value: unknown): value is string {
  return typeof value === "string" && trimmed(value) !== "";
}
