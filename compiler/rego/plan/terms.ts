/** Properties of terms that planning depends on: their unbound variables, and whether they can be evaluated now. */

import { eachTerm, isCollection, isJson, type Term, terms } from "../syntax/index.ts";
import type { Scope } from "./scope.ts";

/** Adds the unbound variables of a term in order of appearance. Comprehensions are closed: theirs are their own. */
export function addUnbound(scope: Scope, term: Term, into: Set<string>): void {
  if (term.kind === "TemplateString") return;
  if (term.kind !== "Var") eachTerm(term, (part) => addUnbound(scope, part, into));
  else if (!scope.isBound(term.name)) into.add(term.name);
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
  if (term.kind === "Var") return scope.isBound(term.name);
  if (term.kind === "Ref") return isEvaluable(scope, term.head);
  return !isCollection(term) || isJson(term) || terms(term).every((part) => isEvaluable(scope, part));
}
