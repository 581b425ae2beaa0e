/**
 * Values as a host's own functions take and give them: plain JavaScript. Whole numbers that a double does not hold are bigint,
 * objects are plain while all their keys are texts and Maps otherwise, sets are Sets.
 */

import type { BuiltinTable, HostBuiltin, PlainBuiltin, PlainBuiltins } from "./builtin.ts";
import { hasBytes } from "./bytes.ts";
import { toBigInt } from "./decimal.ts";
import { HostNumber, isArray, isSet, type JsonLike, type JsonObject } from "./value.ts";

/**
 * What a builtin of one's own takes and gives. Whole numbers beyond 2^53 are `bigint`; an object with keys that are not
 * texts is a `Map`.
 */
export type PlainValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly PlainValue[]
  | ReadonlySet<PlainValue>
  | ReadonlyMap<PlainValue, PlainValue>
  | { readonly [key: string]: PlainValue };

/** Deeper values are refused: they may hold themselves. */
const MAX_RESULT_DEPTH = 1000;

/** Builtins over plain values as builtins over exact ones. */
export function exactBuiltins(builtins: PlainBuiltins): BuiltinTable {
  return Object.fromEntries(Object.entries(builtins).map(([name, builtin]) => [name, exact(builtin)]));
}

function exact(builtin: PlainBuiltin): HostBuiltin {
  return (args) => {
    const result: unknown = builtin(args.map(toPlain));
    return result === undefined ? undefined : fromPlain(result);
  };
}

/** Throws for a number that is neither a double nor whole. */
export function toPlain(value: JsonLike): PlainValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (value instanceof HostNumber) return plainNumber(value.text);
  if (isArray(value)) return value.map(toPlain);
  if (isSet(value)) return new Set([...value].map(toPlain));
  const entries = [...(value as JsonObject)].map(([key, inner]) => [toPlain(key), toPlain(inner)] as const);
  // As own members: a key `__proto__` is a key.
  if (entries.every(([key]) => typeof key === "string")) return Object.fromEntries(entries);
  return new Map(entries);
}

function plainNumber(text: string): number | bigint {
  const number = Number(text);
  const exact = Number.isSafeInteger(number) ? undefined : toBigInt(text);
  if (exact === undefined && !Number.isFinite(number)) throw new TypeError(`no number of JavaScript holds ${text}`);
  return exact ?? number;
}

/** What a function gave, as a value of Rego; values of the exact form are taken too. Throws TypeError for anything else. */
export function fromPlain(value: unknown, depth = 0): JsonLike {
  if (depth > MAX_RESULT_DEPTH) throw new TypeError("its result is too deep, or holds itself");
  const inner = (member: unknown): JsonLike => fromPlain(member, depth + 1);
  switch (typeof value) {
    case "string":
      if (hasBytes(value)) throw new TypeError("its result holds half of a surrogate pair");
      return value;
    case "boolean":
      return value;
    case "bigint":
      return new HostNumber(String(value));
    case "number":
      if (Number.isFinite(value)) return new HostNumber(String(value));
      break;
    case "object":
      if (value === null || value instanceof HostNumber) return value;
      if (Array.isArray(value)) return Array.from(value as unknown[], inner);
      if (value instanceof Set) return new Set([...(value as Set<unknown>)].map(inner));
      if (value instanceof Map)
        return new Map([...(value as Map<unknown, unknown>)].map(([k, v]) => [inner(k), inner(v)] as const));
      if (isRecord(value)) return new Map(Object.entries(value).map(([k, v]) => [k, inner(v)] as const));
  }
  throw new TypeError(`its result holds a value that Rego does not have: ${typeName(value)}`);
}

/** An object that is nothing but its members; instances of classes have more to them. */
function isRecord(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function typeName(value: unknown): string {
  if (typeof value === "object" && value !== null) return `a ${value.constructor?.name ?? "strange object"}`;
  return typeof value === "number" ? String(value) : typeof value;
}
