/** Questions about terms that planning asks: what is unbound in one, and whether it can be evaluated as it stands. */

import type { Scalar, Term } from "../rego/ast.ts";
import type { Scope } from "./scope.ts";

export function isScalar(term: Term): term is Scalar {
  return term.kind === "Null" || term.kind === "Boolean" || term.kind === "Number" || term.kind === "String";
}

/** Known while compiling: scalars, and arrays, sets and objects of constants. */
export function isConstant(term: Term): boolean {
  switch (term.kind) {
    case "Null":
    case "Boolean":
    case "Number":
    case "String":
    case "Constant":
      return true;
    case "Array":
    case "Set":
      return term.items.every(isConstant);
    case "Object":
      return term.entries.every(([k, v]) => isConstant(k) && isConstant(v));
    default:
      return false;
  }
}

/** Adds the unbound variables of a term in order of appearance. Comprehensions are closed: theirs are their own. */
export function addUnbound(scope: Scope, term: Term, into: Set<string>): void {
  switch (term.kind) {
    case "Var":
      if (!scope.isBound(term.name)) into.add(term.name);
      return;
    case "Ref":
      addUnbound(scope, term.head, into);
      for (const arg of term.args) addUnbound(scope, arg, into);
      return;
    case "Call":
      for (const arg of term.args) addUnbound(scope, arg, into);
      return;
    case "Array":
    case "Set":
      for (const item of term.items) addUnbound(scope, item, into);
      return;
    case "Object":
      for (const [key, value] of term.entries) {
        addUnbound(scope, key, into);
        addUnbound(scope, value, into);
      }
      return;
    default:
  }
}

export function hasUnbound(scope: Scope, term: Term): boolean {
  const names = new Set<string>();
  addUnbound(scope, term, names);
  return names.size > 0;
}

/**
 * Whether the term can be evaluated now, perhaps by iterating: a reference may bind the variables among its arguments, any
 * other unbound variable needs a value from the other side of an equation.
 */
export function isEvaluable(scope: Scope, term: Term): boolean {
  switch (term.kind) {
    case "Var":
      return scope.isBound(term.name);
    case "Ref":
      return isEvaluable(scope, term.head);
    case "Array":
    case "Set":
      return term.items.every((t) => isEvaluable(scope, t));
    case "Object":
      return term.entries.every(([k, v]) => isEvaluable(scope, k) && isEvaluable(scope, v));
    default:
      return true;
  }
}
