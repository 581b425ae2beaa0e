/**
 * The types of type checking: sets of values that an expression may have. `undefined` is a type that is not known
 * yet. https://www.openpolicyagent.org/docs/policy-language#schema
 */

import { unreachable } from "../diagnostics/index.ts";
import { isConstant, isScalar, mapChildren, numberKey, type Scalar, type Term, termKey } from "../syntax/index.ts";
import { termText } from "./text.ts";

export type Unknown = undefined;

export type Type =
  | { readonly kind: "null" }
  | { readonly kind: "boolean" }
  | { readonly kind: "number" }
  | { readonly kind: "string" }
  | ArrayType
  | ObjectType
  | SetType
  | AnyType
  | FunctionType;

/** Known items first, then any number of `rest`. */
export interface ArrayType {
  readonly kind: "array";
  readonly items: readonly (Type | Unknown)[];
  readonly rest: Type | undefined;
}

/** Known properties, sorted by the text of their keys, and the types of other keys and values. */
export interface ObjectType {
  readonly kind: "object";
  readonly properties: ReadonlyMap<string, Property>;
  readonly rest: { readonly key: Type | Unknown; readonly value: Type | Unknown } | undefined;
}

export interface Property {
  /** What is printed, and offered as "did you mean". */
  readonly name: string;
  readonly keyType: Type;
  readonly type: Type | Unknown;
}

export interface SetType {
  readonly kind: "set";
  readonly of: Type | Unknown;
}

/** One of several types, sorted; of none said: every type. */
export interface AnyType {
  readonly kind: "any";
  readonly of: readonly Type[];
}

export interface FunctionType {
  readonly kind: "function";
  readonly args: readonly (Type | Unknown)[];
  readonly result: Type | Unknown;
  readonly variadic: Type | undefined;
}

export const NULL: Type = { kind: "null" };
export const BOOLEAN: Type = { kind: "boolean" };
export const NUMBER: Type = { kind: "number" };
export const STRING: Type = { kind: "string" };
export const ANY: AnyType = { kind: "any", of: [] };
/** A scalar that is looked into: as if it were of any type, but what is found there has none, so that no pattern matches it. */
export const NO_MEMBERS: AnyType = { kind: "any", of: [] };

/** Unions that grow beyond this say no more than "any", and cost time. */
const MAX_UNION = 200;

export function arrayOf(items: readonly (Type | Unknown)[], rest: Type | undefined): ArrayType {
  return { kind: "array", items, rest };
}

export function setOf(of: Type | Unknown): SetType {
  return { kind: "set", of };
}

export function objectOf(properties: Iterable<readonly [string, Property]>, rest: ObjectType["rest"]): ObjectType {
  const sorted = [...properties].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return { kind: "object", properties: new Map(sorted), rest };
}

/** The key of a property in `ObjectType.properties`, for constants that JSON has; `undefined` for others. */
export function propertyKey(term: Term): string | undefined {
  if (term.kind === "Number") return numberKey(term.text);
  if (isScalar(term)) return termText(term);
  return isConstant(term) ? termKey(withoutSets(term)) : undefined;
}

/** As JSON has it: a set is an array. */
function withoutSets(term: Term): Term {
  if (term.kind === "Set") return { ...term, kind: "Array", items: term.items.map(withoutSets) };
  return mapChildren(term, { term: withoutSets, body: (body) => body });
}

export function stringProperty(name: string, type: Type | Unknown): readonly [string, Property] {
  return [JSON.stringify(name), { name, keyType: STRING, type }];
}

export function propertyOf(key: Term, type: Type | Unknown): readonly [string, Property] | undefined {
  const text = propertyKey(key);
  if (text === undefined) return undefined;
  return [
    text,
    { name: key.kind === "String" ? key.value : termText(withoutSets(key)), keyType: typeOfConstant(key), type },
  ];
}

const SCALAR_TYPES: Readonly<Record<Scalar["kind"], Type>> = {
  Null: NULL,
  Boolean: BOOLEAN,
  Number: NUMBER,
  String: STRING,
};

/** The type of a scalar as written; `undefined` for any other term. */
export function typeOfScalar(term: Term): Type | undefined {
  return isScalar(term) ? SCALAR_TYPES[term.kind] : undefined;
}

/** The type of a constant as a key: arrays and objects by their parts, sets as the arrays that they are in JSON. */
export function typeOfConstant(term: Term): Type {
  if (term.kind === "Array" || term.kind === "Set") return arrayOf(term.items.map(typeOfConstant), undefined);
  if (term.kind !== "Object") return typeOfScalar(term) ?? ANY;
  return objectOf(
    term.entries.flatMap(([k, v]) => {
      const property = propertyOf(k, typeOfConstant(v));
      return property ? [property] : [];
    }),
    undefined,
  );
}

const order: Record<Type["kind"], number> = {
  null: 0,
  boolean: 1,
  number: 2,
  string: 3,
  array: 4,
  object: 5,
  set: 6,
  any: 7,
  function: 8,
};

/** A total order of types, by which unions are sorted. */
export function compareTypes(a: Type | Unknown, b: Type | Unknown): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  if (a.kind !== b.kind) return order[a.kind] - order[b.kind];
  switch (a.kind) {
    case "null":
    case "boolean":
    case "number":
    case "string":
      return 0;
    case "array": {
      const other = b as ArrayType;
      return compareTypes(a.rest, other.rest) || compareLists(a.items, other.items);
    }
    case "object":
      return compareObjects(a, b as ObjectType);
    case "set":
      return compareTypes(a.of, (b as SetType).of);
    case "any":
      return compareLists(a.of, (b as AnyType).of);
    case "function": {
      const other = b as FunctionType;
      return (
        a.args.length - other.args.length ||
        compareLists(a.args, other.args) ||
        compareTypes(a.result, other.result) ||
        compareTypes(a.variadic, other.variadic)
      );
    }
    default:
      return unreachable(a);
  }
}

function compareLists(a: readonly (Type | Unknown)[], b: readonly (Type | Unknown)[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const c = compareTypes(a[i], b[i]);
    if (c !== 0) return c;
  }
  return a.length - b.length;
}

function compareObjects(a: ObjectType, b: ObjectType): number {
  const rest = compareTypes(a.rest?.key, b.rest?.key) || compareTypes(a.rest?.value, b.rest?.value);
  if (rest !== 0) return rest;
  if ((a.rest === undefined) !== (b.rest === undefined)) return a.rest === undefined ? -1 : 1;
  const others = [...b.properties];
  let i = 0;
  for (const [key, property] of a.properties) {
    const other = others[i++];
    if (!other) return 1;
    if (key !== other[0]) return key < other[0] ? -1 : 1;
    const c = compareTypes(property.type, other[1].type);
    if (c !== 0) return c;
  }
  return a.properties.size - b.properties.size;
}

/** Whether a collection can hold nothing. */
export function isEmptyCollection(type: Type | Unknown): boolean {
  if (type?.kind === "array") return type.items.length === 0 && type.rest === undefined;
  if (type?.kind === "object") return type.properties.size === 0 && type.rest === undefined;
  return type?.kind === "set" && type.of === undefined;
}

export function isScalarType({ kind }: Type): boolean {
  return kind === "null" || kind === "boolean" || kind === "number" || kind === "string";
}

export function isAny(type: Type | Unknown): boolean {
  return type?.kind === "any" && type.of.length === 0;
}

/** The union of two types; of two functions, of their arguments and results. */
export function union(a: Type | Unknown, b: Type | Unknown): Type | Unknown {
  if (a === undefined) return b;
  if (b === undefined) return a;
  if (a.kind === "function" || b.kind === "function") {
    return a.kind === "function" && b.kind === "function" ? unionOfFunctions(a, b) : undefined;
  }
  if (isAny(a) || isAny(b)) return ANY;
  if (a.kind !== "any" && b.kind !== "any") {
    const c = compareTypes(a, b);
    if (c === 0) return a;
    return { kind: "any", of: c < 0 ? [a, b] : [b, a] };
  }
  const left = a.kind === "any" ? a.of : [a];
  const right = b.kind === "any" ? b.of : [b];
  const merged: Type[] = [];
  for (let i = 0, j = 0; i < left.length || j < right.length; ) {
    const c = i >= left.length ? 1 : j >= right.length ? -1 : compareTypes(left[i], right[j]);
    merged.push((c <= 0 ? left[i] : right[j]) as Type);
    if (c <= 0) i++;
    if (c >= 0) j++;
  }
  return merged.length > MAX_UNION ? ANY : { kind: "any", of: merged };
}

function unionOfFunctions(a: FunctionType, b: FunctionType): FunctionType | Unknown {
  if (a.args.length !== b.args.length) return undefined;
  return {
    kind: "function",
    args: a.args.map((t, i) => union(t, b.args[i])),
    result: union(a.result, b.result),
    variadic: a.variadic,
  };
}

/** Whether `a` includes `b`. */
export function includes(a: Type | Unknown, b: Type): boolean {
  if (a?.kind === "any") return a.of.length === 0 || a.of.some((t) => compareTypes(t, b) === 0);
  return compareTypes(a, b) === 0;
}

/** Remembered for types with parts: rules made of other rules share them, so walking them all each time could take forever. */
const unknown = new WeakMap<Type, boolean>();

/** Whether a type, or a part of it, is not known. */
export function isUnknown(type: Type | Unknown): boolean {
  if (type === undefined) return true;
  if (type.kind === "any" || isScalarType(type)) return false;
  let known = unknown.get(type);
  if (known === undefined) {
    known = hasUnknown(type);
    unknown.set(type, known);
  }
  return known;
}

function hasUnknown(type: Type): boolean {
  switch (type.kind) {
    case "function":
      return type.args.some(isUnknown) || isUnknown(type.result);
    case "array":
      return type.items.some(isUnknown) || (type.rest !== undefined && isUnknown(type.rest));
    case "object":
      for (const p of type.properties.values()) if (isUnknown(p.type)) return true;
      return type.rest !== undefined && (isUnknown(type.rest.key) || isUnknown(type.rest.value));
    case "set":
      return isUnknown(type.of);
    case "string":
    case "number":
    case "boolean":
    case "null":
    case "any":
      return false;
  }
}

/** The type of the value at a constant key; `undefined` when there cannot be one. */
export function selectKey(type: Type | Unknown, key: Term): Type | Unknown {
  switch (type?.kind) {
    case "array": {
      // As in OPA, `1.0` and `1e0` are no places, although they are the number 1.
      const place = key.kind === "Number" && /^-?\d+$/.test(key.text) ? BigInt(key.text) : -1n;
      if (place < 0n || place >= 1n << 63n) return undefined;
      const at = Number(place);
      return at < type.items.length ? type.items[at] : type.rest;
    }
    case "object": {
      const text = propertyKey(key);
      if (text === undefined) return undefined;
      const property = type.properties.get(text);
      if (property) return property.type;
      return type.rest && includes(type.rest.key, typeOfConstant(key)) ? type.rest.value : undefined;
    }
    case "set": {
      if (propertyKey(key) === undefined) return undefined;
      const keyType = typeOfConstant(key);
      if (compareTypes(type.of, keyType) === 0) return type.of;
      return type.of?.kind === "any" && includes(type.of, keyType) ? keyType : undefined;
    }
    case "any": {
      return type.of.length === 0 ? ANY : unionOf(type.of.map((t) => selectKey(t, key)));
    }
    default:
      return undefined;
  }
}

/** Answers about large types. */
const knownKeys = new WeakMap<Type, { readonly type: Type | Unknown }>();
const knownValues = new WeakMap<Type, { readonly type: Type | Unknown }>();

function remembered(known: typeof knownKeys, type: Type, compute: () => Type | Unknown): Type | Unknown {
  const before = known.get(type);
  if (before) return before.type;
  const found = compute();
  known.set(type, { type: found });
  return found;
}

function unionOf(types: Iterable<Type | Unknown>): Type | Unknown {
  let sum: Type | Unknown;
  for (const t of types) sum = union(sum, t);
  return sum;
}

/** The type of the keys one can go over; `undefined` for scalars and functions. */
export function keysOf(type: Type | Unknown): Type | Unknown {
  switch (type?.kind) {
    case "array":
      return NUMBER;
    case "object":
      return remembered(knownKeys, type, () =>
        unionOf([...[...type.properties.values()].map((p) => p.keyType), type.rest?.key]),
      );
    case "set":
      return type.of;
    case "any":
      return type.of.length === 0 ? ANY : unionOf(type.of.map(keysOf));
    default:
      return undefined;
  }
}

/** The type of the values one can go over. */
export function valuesOf(type: Type | Unknown): Type | Unknown {
  switch (type?.kind) {
    case "array":
      return remembered(knownValues, type, () => unionOf([...type.items, type.rest]));
    case "object":
      return remembered(knownValues, type, () =>
        unionOf([...[...type.properties.values()].map((p) => p.type), type.rest?.value]),
      );
    case "set":
      return type.of;
    case "any":
      return type.of.length === 0 ? ANY : unionOf(type.of.map(valuesOf));
    default:
      return undefined;
  }
}
