/** Kinds of values, and the kinds of what is written out. */

import { type BuiltinType, builtins, type Call, type Term } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";

export type Kind = Value["kind"];
/** `undefined`: any kind. Empty: no value at all. */
export type Kinds = ReadonlySet<Kind> | undefined;

export function isOnly(kinds: Kinds, kind: Kind): boolean {
  return kinds !== undefined && kinds.size === 1 && kinds.has(kind);
}

export function union(all: readonly Kinds[]): Kinds {
  const found = new Set<Kind>();
  for (const kinds of all) {
    if (kinds === undefined) return undefined;
    for (const kind of kinds) found.add(kind);
  }
  return found;
}

const SCALARS: { readonly [kind in Term["kind"]]?: Kind } = {
  Null: "null",
  Boolean: "boolean",
  Number: "number",
  String: "string",
};

export function scalarKind({ kind }: Term): Kind | undefined {
  return SCALARS[kind];
}

export function resultOf({ operator }: Call): BuiltinType | undefined {
  return operator.kind === "Var" ? builtins().get(operator.name)?.result : undefined;
}

export function kindsOfType(type: BuiltinType | undefined): Kinds {
  if (type === undefined || type.kind === "any") return undefined;
  return type.kind === "union" ? union(type.of.map(kindsOfType)) : new Set([type.kind]);
}

/** The texts of a collection that is written out and holds nothing else. */
export function textsAmong(term: Term): readonly string[] | undefined {
  if (term.kind === "Constant") {
    const { value } = term;
    if (value.kind !== "array" && value.kind !== "set") return undefined;
    const texts = value.items.flatMap((item) => (item.kind === "string" ? [item.value] : []));
    return texts.length === value.items.length ? texts : undefined;
  }
  if (term.kind !== "Array" && term.kind !== "Set") return undefined;
  const texts = term.items.flatMap((item) => (item.kind === "String" ? [item.value] : []));
  return texts.length === term.items.length ? texts : undefined;
}
