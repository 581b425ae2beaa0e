/** Whether two types have a value in common, and the types that an equality gives the variables in its patterns. */

import { unreachable } from "../diagnostics/index.ts";
import { isCollection, isConstant, type Term, termKey } from "../syntax/index.ts";
import type { TypeEnv } from "./type-env.ts";
import {
  ANY,
  type ArrayType,
  type FunctionType,
  isAny,
  isScalarType,
  isUnknown,
  type ObjectType,
  type SetType,
  selectKey,
  type Type,
  type Unknown,
  union,
  valuesOf,
} from "./types.ts";

export function unifies(a: Type | Unknown, b: Type | Unknown): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.kind === "any" || b.kind === "any")
    return (a.kind === "any" && anyUnifies(a.of, b)) || (b.kind === "any" && anyUnifies(b.of, a));
  if (a.kind !== b.kind) return false;
  if (isScalarType(a)) return true;
  const before = pairs.get(a) ?? new WeakMap<Type, boolean>();
  pairs.set(a, before);
  const known = before.get(b) ?? partsUnify(a, b);
  before.set(b, known);
  return known;
}

/** Pairs of types with parts: rules that are made of others share these, so that going through them all may take forever. */
const pairs = new WeakMap<Type, WeakMap<Type, boolean>>();

/** Whether the parts of two types of one kind unify. */
function partsUnify(a: Type, b: Type): boolean {
  switch (a.kind) {
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "any":
      return true;
    case "array":
      return arraysUnify(a, b as ArrayType);
    case "object":
      return objectsUnify(a, b as ObjectType);
    case "set":
      // The empty set, of whose elements nothing is known, is one of every type.
      return a.of === undefined || (b as SetType).of === undefined || unifies(a.of, (b as SetType).of);
    case "function":
      return functionsUnify(a, b as FunctionType);
    default:
      return unreachable(a);
  }
}

function anyUnifies(of: readonly Type[], other: Type): boolean {
  if (other.kind === "function") return false;
  return of.length === 0 || of.some((t) => unifies(t, other));
}

const itemAt = (t: ArrayType, i: number): Type | Unknown => (i < t.items.length ? t.items[i] : t.rest);

function arraysUnify(a: ArrayType, b: ArrayType): boolean {
  const length = Math.max(a.items.length, b.items.length);
  for (let i = 0; i < length; i++) if (!unifies(itemAt(a, i), itemAt(b, i))) return false;
  return a.rest === undefined || b.rest === undefined || unifies(a.rest, b.rest);
}

function propertyAt(t: ObjectType, text: string, keyType: Type): Type | Unknown {
  const property = t.properties.get(text);
  if (property) return property.type;
  return t.rest && (isAny(t.rest.key) || unifiesExactly(t.rest.key, keyType)) ? t.rest.value : undefined;
}

function unifiesExactly(key: Type | Unknown, type: Type): boolean {
  return key?.kind === "any" ? key.of.some((t) => t.kind === type.kind) : key?.kind === type.kind;
}

function objectsUnify(a: ObjectType, b: ObjectType): boolean {
  if (!propertiesUnify(a, b) || !propertiesUnify(b, a)) return false;
  return a.rest?.value === undefined || b.rest?.value === undefined || unifies(a.rest.value, b.rest.value);
}

/** What one object has that is known, the other has, too, or may have. */
function propertiesUnify(a: ObjectType, b: ObjectType): boolean {
  const isOpen = a.rest?.value !== undefined || b.rest?.value !== undefined;
  for (const [text, p] of a.properties) {
    const other = propertyAt(b, text, p.keyType);
    if (other === undefined ? !isOpen : !unifies(p.type, other)) return false;
  }
  return true;
}

function functionsUnify(a: FunctionType, b: FunctionType): boolean {
  return a.args.length === b.args.length && a.args.every((t, i) => unifies(t, b.args[i]));
}

/** Matches a term with a type; `inUnion` says that it is one of several, so that variables may be of others, too. */
export function unifyTerm(env: TypeEnv, term: Term, type: Type | Unknown, inUnion = false): boolean {
  if (isCollection(term)) return unifyComposite(env, term, type, inUnion);
  if (term.kind === "Var") return unifyVar(env, term.name, type, inUnion);
  return unifies(env.typeOf(term), type);
}

function unifyVar(env: TypeEnv, name: string, type: Type | Unknown, inUnion: boolean): boolean {
  const known = env.varType(name);
  if (inUnion) {
    const sum = union(known, type);
    if (sum) env.vars.set(name, sum);
    return true;
  }
  if (known) return unifies(known, type);
  if (type) env.vars.set(name, type);
  return true;
}

type Composite = Extract<Term, { kind: "Array" | "Object" | "Set" }>;

function unifyComposite(env: TypeEnv, term: Composite, type: Type | Unknown, inUnion: boolean): boolean {
  if (type?.kind === "any") {
    if (type.of.length === 0) {
      for (const part of partsOf(term)) unifyTerm(env, part, ANY, true);
      return true;
    }
    return type.of.map((t) => unifyTerm(env, term, t, true)).some((ok) => ok);
  }
  if (term.kind === "Array" && type?.kind === "array") {
    if (term.items.length !== type.items.length && type.rest === undefined) return false;
    return term.items.every((item, i) => unifyTerm(env, item, itemAt(type, i), inUnion));
  }
  if (term.kind === "Object" && type?.kind === "object") {
    if (term.entries.length !== type.properties.size && type.rest?.value === undefined) return false;
    return term.entries.every(([key, value]) => unifyEntry(env, key, value, type, inUnion));
  }
  if (term.kind === "Set" && type?.kind === "set")
    return term.items.every((item) => unifyTerm(env, item, valuesOf(type), inUnion));
  return false;
}

function unifyEntry(env: TypeEnv, key: Term, value: Term, type: ObjectType, inUnion: boolean): boolean {
  if (!isConstant(key)) {
    unifyTerm(env, value, ANY, inUnion);
    return true;
  }
  const child = selectKey(type, key);
  return child !== undefined && unifyTerm(env, value, child, inUnion);
}

function partsOf(term: Composite): readonly Term[] {
  return term.kind === "Object" ? term.entries.flat() : term.items;
}

/** Matches two terms, learning from the one that is known about the other. */
export function unifyTerms(
  env: TypeEnv,
  a: Term,
  b: Term,
  typeA: Type | Unknown = env.typeOf(a),
  typeB: Type | Unknown = env.typeOf(b),
): boolean {
  const unknownA = isUnknown(typeA);
  const unknownB = isUnknown(typeB);
  if (unknownA && !unknownB) return unifyTerm(env, a, typeB);
  if (unknownB && !unknownA) return unifyTerm(env, b, typeA);
  if (!unknownA) return unifies(typeA, typeB);
  if (a.kind === "Array" && b.kind === "Array") {
    return a.items.length === b.items.length && a.items.every((item, i) => unifyTerms(env, item, b.items[i] as Term));
  }
  if (a.kind === "Object" && b.kind === "Object") return unifyObjects(env, a, b);
  if (a.kind === "Var") return unifyUnknown(env, a, b, typeB);
  return b.kind === "Var" && unifyUnknown(env, b, a, typeA);
}

/** A variable of which nothing is known, and a term of which something is not. */
function unifyUnknown(env: TypeEnv, a: Term, b: Term, typeB: Type | Unknown): boolean {
  if (b.kind === "Ref") return unifyTerm(env, a, ANY);
  if (b.kind === "Var") return unifyTerm(env, a, ANY) && unifyTerm(env, b, env.typeOf(a));
  if (b.kind === "Array" || b.kind === "Object") return unifyTerm(env, b, ANY) && unifyTerm(env, a, env.typeOf(b));
  return typeB !== undefined && unifyTerm(env, a, typeB);
}

function unifyObjects(
  env: TypeEnv,
  a: Extract<Term, { kind: "Object" }>,
  b: Extract<Term, { kind: "Object" }>,
): boolean {
  if (a.entries.length !== b.entries.length) return false;
  return a.entries.every(([key, value]) => {
    const text = termKey(key);
    const other = b.entries.find(([k]) => termKey(k) === text);
    return other !== undefined && unifyTerms(env, value, other[1]);
  });
}
