/** Kinds of terms that belong together, as type guards. */

import type { ArrayTerm, ObjectTerm, Scalar, SetTerm, Term } from "./ast.ts";
import { isJson } from "./json-terms.ts";
import { terms } from "./visit.ts";

export function isScalar(term: Term): term is Scalar {
  return term.kind === "Null" || term.kind === "Boolean" || term.kind === "Number" || term.kind === "String";
}

export function isCollection(term: Term): term is ArrayTerm | ObjectTerm | SetTerm {
  return term.kind === "Array" || term.kind === "Object" || term.kind === "Set";
}

/** Known while compiling: scalars, folded constants, and collections of constants. */
export function isConstant(term: Term): boolean {
  if (isCollection(term)) return isJson(term) || terms(term).every(isConstant);
  return isScalar(term) || term.kind === "Constant";
}
