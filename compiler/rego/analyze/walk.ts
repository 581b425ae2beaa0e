/**
 * Walks over terms. A *closure* has a body of its own: comprehensions, `every`, `not { … }`, the sides of `and` and `or`. The
 * *level* of a body is the body without its closures; a variable is safe, seen or declared at a level.
 */

import {
  type Body,
  type Call,
  type Expr,
  type ExprBody,
  eachTerm,
  type Ref,
  type Term,
  type Var,
} from "../syntax/index.ts";

export type Comprehension = Extract<Term, { kind: "ArrayComprehension" | "SetComprehension" | "ObjectComprehension" }>;

export function isComprehension(term: Term): term is Comprehension {
  return term.kind === "ArrayComprehension" || term.kind === "SetComprehension" || term.kind === "ObjectComprehension";
}

/** Calls `f` on a term and, when it says true, on its parts. */
export function walkLevel(term: Term, f: (t: Term) => boolean): void {
  const walk = (part: Term): void => {
    if (f(part)) eachTerm(part, walk);
  };
  walk(term);
}

/** A closure with the terms that are evaluated in it. */
export interface Closure {
  readonly terms: readonly Term[];
  readonly vars: readonly Var[];
  readonly body: Body;
}

export function comprehensionTerms(c: Comprehension): readonly Term[] {
  return c.kind === "ObjectComprehension" ? [c.key, c.value] : [c.term];
}

/** Calls `f` on the closures of a term, outermost ones only. */
export function eachClosureOfTerm(term: Term, f: (closure: Closure) => void): void {
  const walk = (part: Term): void => {
    if (part.kind === "Var" || part.kind === "String") return;
    if (isComprehension(part)) f({ terms: comprehensionTerms(part), vars: [], body: part.body });
    else eachTerm(part, walk);
  };
  walk(term);
}

/** By statement, which never changes: each pass of the analysis asks for them, and most statements have none. */
const closures = new WeakMap<Expr, readonly Closure[]>();
const NO_CLOSURES: readonly Closure[] = [];

/** Calls `f` on the closures of a statement, outermost ones only. */
export function eachClosure(expr: Expr, f: (closure: Closure) => void): void {
  let found = closures.get(expr);
  if (found === undefined) {
    found = closuresOf(expr);
    closures.set(expr, found);
  }
  for (let i = 0; i < found.length; i++) f(found[i] as Closure);
}

function closuresOf(expr: Expr): readonly Closure[] {
  let found: Closure[] | undefined;
  const add = (closure: Closure): void => {
    if (found === undefined) found = [closure];
    else found.push(closure);
  };
  eachTerm(expr, (t) => eachClosureOfTerm(t, add));
  for (const { vars, body } of scopesOf(expr.body)) add({ terms: [], vars, body });
  return found ?? NO_CLOSURES;
}

const NONE: readonly { readonly vars: readonly Var[]; readonly body: Body }[] = [];

/** The bodies of a statement that are scopes of their own, with the variables that it gives them. */
export function scopesOf(body: ExprBody): readonly { readonly vars: readonly Var[]; readonly body: Body }[] {
  if (body.kind === "Every") return [{ vars: body.key ? [body.key, body.value] : [body.value], body: body.body }];
  if (body.kind === "Not") return [{ vars: [], body: body.body }];
  return body.kind === "Logical" ? [body.left, body.right].map((operand) => ({ vars: [], body: operand })) : NONE;
}

/** The bodies of a statement that are not scopes for its author: their variables have to be bound outside. */
export function operandsOf(body: ExprBody): readonly Body[] {
  if (body.kind === "Not") return body.braces ? [] : [body.body];
  if (body.kind !== "Logical") return [];
  return [...(body.leftBraces ? [] : [body.left]), ...(body.rightBraces ? [] : [body.right])];
}

/** Every statement of a body and of the closures in it. */
export function eachExprDeep(body: Body, f: (expr: Expr) => void): void {
  for (const expr of body) {
    f(expr);
    eachClosure(expr, (c) => {
      for (const t of c.terms) eachClosureOfTerm(t, (inner) => eachExprDeep(inner.body, f));
      eachExprDeep(c.body, f);
    });
  }
}

/** Adds the variables of a term to `into`; `closures` says whether those inside closures count. */
export function addVars(term: Term, into: Set<string>, closures: boolean): void {
  const walk = (part: Term): void => {
    if (part.kind === "Var") into.add(part.name);
    else if (closures && isComprehension(part)) {
      for (const t of comprehensionTerms(part)) walk(t);
      for (const e of part.body) addExprVars(e, into, true);
    } else eachTerm(part, walk);
  };
  walk(term);
}

export function addExprVars(expr: Expr, into: Set<string>, closures: boolean): void {
  eachTerm(expr, (t) => addVars(t, into, closures));
  if (!closures) return;
  for (const { vars, body } of scopesOf(expr.body)) {
    for (const v of vars) into.add(v.name);
    for (const e of body) addExprVars(e, into, true);
  }
}

/** The dotted name of a function as written: `io.jwt.decode`; `undefined` when a part is not a plain string. */
export function dottedName(operator: Ref | Var): string | undefined {
  if (operator.kind === "Var") return operator.name;
  if (operator.head.kind !== "Var") return undefined;
  let name = operator.head.name;
  for (const arg of operator.args) {
    if (arg.kind !== "String") return undefined;
    name += `.${arg.value}`;
  }
  return name;
}

/** The builtin a call names, after resolution; `undefined` for a call of a rule. */
export function builtinOf(call: Call): string | undefined {
  return call.operator.kind === "Var" ? call.operator.name : undefined;
}

/** The type says less than the name: with it a Call that is *not* of `name` stays a Call for the type checker. */
export function isCallOf(term: ExprBody, name: string): term is Call & { readonly operator: Var } {
  return term.kind === "Call" && term.operator.kind === "Var" && term.operator.name === name;
}
