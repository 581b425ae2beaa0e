/** Walks over finished rules: their statements, terms and calls, and what each local was given. */

import { type Call, type Expr, type Rule, type Term, terms } from "../syntax/index.ts";
import { eachClosure, eachExprDeep, isCallOf } from "./walk.ts";

/** Every statement of a rule, its other branches and inner scopes included. */
export function eachStatement(rule: Rule, f: (expr: Expr) => void): void {
  for (let branch: Rule | undefined = rule; branch; branch = branch.else) eachExprDeep(branch.body, f);
}

/** Every term of a rule's statements, inner ones too; those of a statement under another input are left out. */
export function eachTermDeep(rule: Rule, f: (term: Term) => void): void {
  const visit = (term: Term): void => {
    f(term);
    for (const part of terms(term)) visit(part);
  };
  eachStatement(rule, (expr) => {
    for (const term of terms(expr)) visit(term);
    eachClosure(expr, (c) => {
      for (const term of c.terms) visit(term);
    });
  });
}

/** What each local of a rule was given where that is a term of its own: a reference, or a collection. */
export function originsOf(rule: Rule): ReadonlyMap<string, Term> {
  const origins = new Map<string, Term>();
  eachStatement(rule, ({ body }) => {
    if (!isCallOf(body, "eq")) return;
    const [a, b] = body.args as readonly [Term, Term];
    for (const [name, value] of [
      [a, b],
      [b, a],
    ] as const) {
      if (name.kind === "Var" && value.kind !== "Var" && !origins.has(name.name)) origins.set(name.name, value);
    }
  });
  return origins;
}

/** The calls of a rule, wherever they stand. */
export function callsOf(rule: Rule): Call[] {
  const calls: Call[] = [];
  eachTermDeep(rule, (term) => {
    if (term.kind === "Call") calls.push(term);
  });
  return calls;
}
