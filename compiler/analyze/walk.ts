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

/** A list with its items mapped; the list itself when nothing changed, so that unchanged trees are shared. */
export function mapList<X>(list: readonly X[], f: (item: X) => X): readonly X[] {
  let changed: X[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as X;
    const mapped = f(item);
    if (changed) changed.push(mapped);
    else if (mapped !== item) {
      changed = list.slice(0, i);
      changed.push(mapped);
    }
  }
  return changed ?? list;
}

/** The same node with its direct parts mapped, bodies of closures first; the node itself when nothing changed. */
export function mapParts(term: Term, m: Mapper): Term {
  switch (term.kind) {
    case "Null":
    case "Boolean":
    case "Number":
    case "String":
    case "Var":
    case "Constant":
      return term;
    case "Ref": {
      const head = m.term(term.head);
      const args = mapList(term.args, m.term);
      return head === term.head && args === term.args ? term : { ...term, head, args };
    }
    case "Call": {
      const args = mapList(term.args, m.term);
      return args === term.args ? term : { ...term, args };
    }
    case "Array":
    case "Set": {
      const items = mapList(term.items, m.term);
      return items === term.items ? term : { ...term, items };
    }
    case "Object": {
      const entries = mapList(term.entries, (entry) => {
        const key = m.term(entry[0]);
        const value = m.term(entry[1]);
        return key === entry[0] && value === entry[1] ? entry : ([key, value] as const);
      });
      return entries === term.entries ? term : { ...term, entries };
    }
    case "ArrayComprehension":
    case "SetComprehension": {
      const body = m.body(term.body);
      const value = m.term(term.term);
      return body === term.body && value === term.term ? term : { ...term, term: value, body };
    }
    case "ObjectComprehension": {
      const body = m.body(term.body);
      const key = m.term(term.key);
      const value = m.term(term.value);
      return body === term.body && key === term.key && value === term.value ? term : { ...term, key, value, body };
    }
    case "TemplateString": {
      const parts = mapList(term.parts, (part) => (typeof part === "string" ? part : mapExpr(part, m)));
      return parts === term.parts ? term : { ...term, parts };
    }
    default:
      return unreachable(term);
  }
}

export function mapExpr(expr: Expr, m: Mapper): Expr {
  const body = mapExprBody(expr.body, m);
  const modifiers = mapList(expr.with, (w) => mapWith(w, m));
  return body === expr.body && modifiers === expr.with ? expr : { ...expr, with: modifiers, body };
}

export function mapWith(w: With, m: Mapper): With {
  const args = mapList(w.target.args, m.term);
  const value = m.term(w.value);
  if (args === w.target.args && value === w.value) return w;
  return { ...w, target: args === w.target.args ? w.target : { ...w.target, args }, value };
}

export function mapExprBody(body: ExprBody, m: Mapper): ExprBody {
  switch (body.kind) {
    case "SomeDecl": {
      const key = body.key && m.term(body.key);
      const value = body.value && m.term(body.value);
      const domain = body.domain && m.term(body.domain);
      return key === body.key && value === body.value && domain === body.domain
        ? body
        : { ...body, key, value, domain };
    }
    case "Every": {
      const domain = m.term(body.domain);
      const inner = m.body(body.body);
      return domain === body.domain && inner === body.body ? body : { ...body, domain, body: inner };
    }
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
