/**
 * Arrays and objects with nothing but JSON in them: no variable, call or set, and keys that are strings. Most of what tests
 * are made of are such literals. The parser notes each that it reads, and the analysis those that it is given or makes: walks
 * go past it as a whole, since there is nothing to find in it.
 */

import type { Value } from "../value/index.ts";
import type { ArrayTerm, ObjectTerm, Scalar, Term } from "./ast.ts";

const noted = new WeakSet<Term>();

/** Whether the term was noted as JSON. A term that was not noted may be JSON or not. */
export function isJson(term: Term): boolean {
  return noted.has(term);
}

/** The term, noted as JSON if it is, when that is known of its parts already. */
export function notedJson<T extends Term>(term: T): T {
  if (term.kind === "Array" ? term.items.every(isKnown) : term.kind === "Object" && term.entries.every(isMember))
    noted.add(term);
  return term;
}

function isMember([key, value]: readonly [Term, Term]): boolean {
  return key.kind === "String" && isKnown(value);
}

function isKnown(part: Term): boolean {
  return isScalar(part) || noted.has(part);
}

function isScalar({ kind }: Term): boolean {
  return kind === "String" || kind === "Number" || kind === "Boolean" || kind === "Null";
}

/** The value of a term that was noted. Of entries with one key the last one counts. */
export function jsonValue(term: ArrayTerm | ObjectTerm): Value {
  if (term.kind === "Array") return { kind: "array", items: term.items.map(valueIn) };
  const members = new Map<string, readonly [Value, Value]>();
  for (const [key, value] of term.entries)
    if (key.kind === "String") members.set(key.value, [{ kind: "string", value: key.value }, valueIn(value)]);
  return { kind: "object", entries: [...members.values()] };
}

function valueIn(part: Term): Value {
  return part.kind === "Array" || part.kind === "Object" ? jsonValue(part) : scalarValue(part as Scalar);
}

export function scalarValue(term: Scalar): Value {
  switch (term.kind) {
    case "String":
      return { kind: "string", value: term.value };
    case "Number":
      return { kind: "number", text: term.text };
    case "Boolean":
      return { kind: "boolean", value: term.value };
    case "Null":
      return { kind: "null" };
  }
}
