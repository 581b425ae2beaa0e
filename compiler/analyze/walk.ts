/**
 * Going over terms. A *closure* is what has a body of its own: comprehensions and `every`. The *level* of a body is what
 * stands in it outside of its closures; a variable is safe, seen or declared at a level.
 */

import { unreachable } from "../base/assert.ts";
import type { Body, Call, Expr, ExprBody, Ref, Term, Var, With } from "../rego/ast.ts";

export type Comprehension = Extract<Term, { kind: "ArrayComprehension" | "SetComprehension" | "ObjectComprehension" }>;

export function isComprehension(term: Term): term is Comprehension {
  return term.kind === "ArrayComprehension" || term.kind === "SetComprehension" || term.kind === "ObjectComprehension";
}

export function isScalar(term: Term): boolean {
  return term.kind === "Null" || term.kind === "Boolean" || term.kind === "Number" || term.kind === "String";
}

/** What to do with the parts of a term: `term` for terms, `body` for the bodies of closures. */
export interface Mapper {
  readonly term: (term: Term) => Term;
  readonly body: (body: Body) => Body;
}

/** The same node with its direct parts mapped; parts are mapped in the order in which they are written. */
export function mapParts(term: Term, m: Mapper): Term {
  switch (term.kind) {
    case "Null":
    case "Boolean":
    case "Number":
    case "String":
    case "Var":
    case "Constant":
      return term;
    case "Ref":
      return { ...term, head: m.term(term.head), args: term.args.map(m.term) };
    case "Call":
      return { ...term, args: term.args.map(m.term) };
    case "Array":
    case "Set":
      return { ...term, items: term.items.map(m.term) };
    case "Object":
      return { ...term, entries: term.entries.map(([k, v]) => [m.term(k), m.term(v)] as const) };
    case "ArrayComprehension":
    case "SetComprehension": {
      const body = m.body(term.body);
      return { ...term, term: m.term(term.term), body };
    }
    case "ObjectComprehension": {
      const body = m.body(term.body);
      return { ...term, key: m.term(term.key), value: m.term(term.value), body };
    }
    case "TemplateString":
      return { ...term, parts: term.parts.map((p) => (typeof p === "string" ? p : mapExpr(p, m))) };
    default:
      return unreachable(term);
  }
}

export function mapExpr(expr: Expr, m: Mapper): Expr {
  return { ...expr, with: expr.with.map((w) => mapWith(w, m)), body: mapExprBody(expr.body, m) };
}

export function mapWith(w: With, m: Mapper): With {
  return { ...w, target: { ...w.target, args: w.target.args.map(m.term) }, value: m.term(w.value) };
}

export function mapExprBody(body: ExprBody, m: Mapper): ExprBody {
  switch (body.kind) {
    case "SomeDecl":
      return {
        ...body,
        key: body.key && m.term(body.key),
        value: body.value && m.term(body.value),
        domain: body.domain && m.term(body.domain),
      };
    case "Every":
      return { ...body, domain: m.term(body.domain), body: m.body(body.body) };
    default:
      return m.term(body);
  }
}

/** Calls `f` on the direct parts of a term that are terms of its level: not those of closures. */
export function eachPart(term: Term, f: (part: Term) => void): void {
  switch (term.kind) {
    case "Null":
    case "Boolean":
    case "Number":
    case "String":
    case "Var":
    case "Constant":
    case "ArrayComprehension":
    case "SetComprehension":
    case "ObjectComprehension":
      return;
    case "Ref":
      f(term.head);
      for (const a of term.args) f(a);
      return;
    case "Call":
      for (const a of term.args) f(a);
      return;
    case "Array":
    case "Set":
      for (const i of term.items) f(i);
      return;
    case "Object":
      for (const [k, v] of term.entries) {
        f(k);
        f(v);
      }
      return;
    case "TemplateString":
      for (const p of term.parts) if (typeof p !== "string") eachTermOf(p, f);
      return;
    default:
      unreachable(term);
  }
}

/** Calls `f` on a term and, when it says true, on its parts. */
export function walkLevel(term: Term, f: (t: Term) => boolean): void {
  if (f(term)) eachPart(term, (part) => walkLevel(part, f));
}

/** The terms of a statement that belong to the level of its body. */
export function eachTermOf(expr: Expr, f: (term: Term) => void): void {
  const { body } = expr;
  switch (body.kind) {
    case "SomeDecl":
      if (body.key) f(body.key);
      if (body.value) f(body.value);
      if (body.domain) f(body.domain);
      break;
    case "Every":
      f(body.domain);
      break;
    default:
      f(body);
  }
  for (const w of expr.with) {
    for (const a of w.target.args) f(a);
    f(w.value);
  }
}

/** A closure with the terms that are evaluated in it. */
export interface Closure {
  readonly terms: readonly Term[];
  readonly vars: readonly Var[];
  readonly body: Body;
}

function comprehensionTerms(c: Comprehension): readonly Term[] {
  return c.kind === "ObjectComprehension" ? [c.key, c.value] : [c.term];
}

/** Calls `f` on the closures of a term, outermost ones only. */
export function eachClosureOfTerm(term: Term, f: (closure: Closure) => void): void {
  if (isComprehension(term)) f({ terms: comprehensionTerms(term), vars: [], body: term.body });
  else eachPart(term, (part) => eachClosureOfTerm(part, f));
}

/** Calls `f` on the closures of a statement, outermost ones only. */
export function eachClosure(expr: Expr, f: (closure: Closure) => void): void {
  eachTermOf(expr, (t) => eachClosureOfTerm(t, f));
  if (expr.body.kind === "Every") {
    const { key, value, body } = expr.body;
    f({ terms: [], vars: key ? [key, value] : [value], body });
  }
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
  if (term.kind === "Var") into.add(term.name);
  else if (closures && isComprehension(term)) {
    for (const t of comprehensionTerms(term)) addVars(t, into, true);
    for (const e of term.body) addExprVars(e, into, true);
  } else eachPart(term, (part) => addVars(part, into, closures));
}

export function addExprVars(expr: Expr, into: Set<string>, closures: boolean): void {
  eachTermOf(expr, (t) => addVars(t, into, closures));
  if (closures && expr.body.kind === "Every") {
    const { key, value, body } = expr.body;
    if (key) into.add(key.name);
    into.add(value.name);
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
