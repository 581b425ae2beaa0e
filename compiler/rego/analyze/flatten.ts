/**
 * Gives every evaluation a statement of its own. Before safety is checked, calls leave their places
 * (`x > f(y)` → `#1 = f(y); x > #1`), the heads of references and rules become simple, and the terms of comprehensions;
 * after the order is known, so do the references and comprehensions in arguments.
 * INVARIANT: a hoisted statement is never negated, and has the `with` of the statement it came from: an argument
 * is evaluated before the negation.
 */

import {
  type Body,
  type Call,
  type Expr,
  type ExprBody,
  eachTerm,
  isScalar,
  type Logical,
  mapChildren,
  mapList,
  type Not,
  type Term,
  type Var,
  type With,
} from "../syntax/index.ts";
import { equals } from "./resolve.ts";
import { isRootName } from "./root-names.ts";
import { type Comprehension, isCallOf, isComprehension } from "./walk.ts";
import type { NameSupply, WorkQuery, WorkRule } from "./work.ts";

/** Whether a term has to be evaluated and may be undefined: it holds a reference, a comprehension or a template. */
export function needsEvaluation(term: Term): boolean {
  if (term.kind === "Ref" || term.kind === "Call" || term.kind === "TemplateString" || isComprehension(term))
    return true;
  if (term.kind === "Var") return isRootName(term.name);
  let found = false;
  eachTerm(term, (part) => {
    found ||= needsEvaluation(part);
  });
  return found;
}

/** The call that an equality stands for: `eq(#1, f(x))` after flattening, `eq(y, f(x))` when the result was an argument. */
export function callOfEquality(call: Call): { readonly result: Term; readonly call: Call } | undefined {
  if (!isCallOf(call, "eq") || call.args.length !== 2) return undefined;
  const [result, value] = call.args as readonly [Term, Term];
  return value.kind === "Call" ? { result, call: value } : undefined;
}

class Flattener {
  private readonly names: NameSupply;

  constructor(names: NameSupply) {
    this.names = names;
  }

  /** `#n = term`, put into `support`; gives back `#n`. */
  hoist(term: Term, modifiers: readonly With[], support: Expr[]): Var {
    const { span } = term;
    const local: Var = { kind: "Var", span, name: this.names.generated() };
    support.push({ kind: "Expr", span, negated: false, with: modifiers, body: equals(local, term, span) });
    return local;
  }

  // ---- calls, before safety ----

  body(body: Body): Expr[] {
    const flat: Expr[] = [];
    for (const expr of body) this.statement(expr, flat);
    return flat;
  }

  /** Adds the statement to `flat`, behind those that it needs. */
  private statement(expr: Expr, flat: Expr[]): void {
    const b = expr.body;
    if (b.kind === "SomeDecl") return;
    const modifiers =
      expr.with.length === 0 ? expr.with : expr.with.map((w) => ({ ...w, value: this.calls(w.value, [], flat) }));
    if (b.kind === "Every") {
      const domain = this.hoist(this.calls(b.domain, modifiers, flat), modifiers, flat);
      flat.push({ ...expr, with: modifiers, body: { ...b, domain, body: this.body(b.body) } });
      return;
    }
    const scoped = this.scopes(b, (inner) => this.body(inner));
    // A statement that is a call stays; its arguments do not.
    const body = scoped ?? this.outermost(b as Term, (part) => this.calls(part, modifiers, flat));
    flat.push(body === b && modifiers === expr.with ? expr : { ...expr, with: modifiers, body });
  }

  /** A call with its arguments mapped, or another term mapped as it is. */
  private outermost(term: Term, f: (part: Term) => Term): Term {
    if (term.kind !== "Call") return f(term);
    const args = mapList(term.args, f);
    return args === term.args ? term : { ...term, args };
  }

  /** A negation or logical statement with its bodies flattened, whose statements stay in them. */
  private scopes(b: ExprBody, flat: (body: Body) => Body): Not | Logical | undefined {
    if (b.kind === "Not") return { ...b, body: flat(b.body) };
    return b.kind === "Logical" ? { ...b, left: flat(b.left), right: flat(b.right) } : undefined;
  }

  calls(term: Term, modifiers: readonly With[], support: Expr[]): Term {
    if (term.kind === "Var" || isScalar(term)) return term;
    if (isComprehension(term)) return this.comprehension(term);
    if (term.kind === "Call") {
      const args = term.args.map((a) => this.calls(a, modifiers, support));
      return this.hoist({ ...term, args }, modifiers, support);
    }
    if (term.kind === "Ref") {
      const called = this.calls(term.head, modifiers, support);
      const args = mapList(term.args, (a) => this.calls(a, modifiers, support));
      const head = called.kind === "Var" ? called : this.hoist(called, modifiers, support);
      return head === term.head && args === term.args ? term : { ...term, head, args };
    }
    if (term.kind === "TemplateString" && term.parts.every((p) => typeof p === "string")) {
      return { kind: "String", span: term.span, value: term.parts.join(""), raw: false };
    }
    const mapped = mapChildren(term, { term: (t) => this.calls(t, modifiers, support), body: (b) => b });
    // A template is a call: it binds none of the variables that it shows.
    return mapped.kind === "TemplateString" ? this.hoist(mapped, modifiers, support) : mapped;
  }

  private comprehension(c: Comprehension): Comprehension {
    const tail: Expr[] = [];
    const simple = (t: Term): Term => {
      const flat = this.calls(t, [], tail);
      return needsEvaluation(flat) ? this.hoist(flat, [], tail) : flat;
    };
    if (c.kind === "ObjectComprehension") {
      const key = simple(c.key);
      const value = simple(c.value);
      return { ...c, key, value, body: [...this.body(c.body), ...tail] };
    }
    const term = simple(c.term);
    return { ...c, term, body: [...this.body(c.body), ...tail] };
  }

  /** A part of a head made simple; the statements that it needs go into `tail`. */
  headTerm(term: Term, tail: Expr[]): Term {
    const flat = this.calls(term, [], tail);
    return needsEvaluation(flat) ? this.hoist(flat, [], tail) : flat;
  }

  /** A part of a rule's name becomes a variable or stays a scalar. */
  headKey(term: Term, tail: Expr[]): Term {
    const flat = this.calls(term, [], tail);
    return isScalar(flat) || (flat.kind === "Var" && !isRootName(flat.name)) ? flat : this.hoist(flat, [], tail);
  }

  // ---- references and comprehensions in arguments, after safety ----

  ordered(body: Body): Expr[] {
    const flat: Expr[] = [];
    for (const expr of body) this.orderedStatement(expr, flat);
    return flat;
  }

  private orderedStatement(expr: Expr, flat: Expr[]): void {
    const b = expr.body;
    if (b.kind === "SomeDecl") return;
    if (b.kind === "Every") {
      const domain = this.argument(b.domain, expr.with, flat);
      flat.push({ ...expr, body: { ...b, domain, body: this.ordered(b.body) } });
      return;
    }
    const body = this.scopes(b, (inner) => this.ordered(inner)) ?? this.orderedTerm(b as Term, expr.with, flat);
    flat.push(body === b ? expr : { ...expr, body });
  }

  private orderedTerm(term: Term, modifiers: readonly With[], support: Expr[]): Term {
    // `eq(#n, f(x))` keeps its call; both sides of any `eq` keep terms that can be matched without a local in between.
    if (isCallOf(term, "eq") || term.kind !== "Call")
      return this.outermost(term, (part) => this.operand(part, modifiers, support));
    return this.operand(term, modifiers, support);
  }

  private operand(term: Term, modifiers: readonly With[], support: Expr[]): Term {
    if (term.kind === "Var") return term;
    if (term.kind === "Call" || term.kind === "Ref") {
      const args = mapList(term.args, (a) => this.argument(a, modifiers, support));
      return args === term.args ? term : { ...term, args };
    }
    if (isComprehension(term) || term.kind === "TemplateString") return this.inside(term);
    return this.argument(term, modifiers, support);
  }

  private argument(term: Term, modifiers: readonly With[], support: Expr[]): Term {
    if (term.kind === "Var") return isRootName(term.name) ? this.hoist(term, modifiers, support) : term;
    if (isScalar(term)) return term;
    if (term.kind === "Ref") return this.hoist(this.operand(term, modifiers, support), modifiers, support);
    if (isComprehension(term) || term.kind === "TemplateString") {
      return this.hoist(this.inside(term), modifiers, support);
    }
    return mapChildren(term, { term: (t) => this.argument(t, modifiers, support), body: (b) => b });
  }

  /** Closures of a comprehension or template, which stay in it. */
  private inside(term: Term): Term {
    return mapChildren(term, { term: (t) => (isComprehension(t) ? this.inside(t) : t), body: (b) => this.ordered(b) });
  }
}

/** Hoists calls, and makes the head simple. */
export function flattenCalls(rule: WorkRule): void {
  const flattener = new Flattener(rule.names);
  const shared: Expr[] = [];
  rule.args = rule.args?.map((a) => flattener.headTerm(a, shared));
  for (const [i, branch] of rule.branches.entries()) {
    const tail: Expr[] = [];
    if (i === 0) {
      rule.keys = rule.keys.map((k) => flattener.headKey(k, tail));
      rule.key = rule.key && flattener.headTerm(rule.key, tail);
    }
    const { value } = branch;
    if (value) branch.value = flattener.headTerm(value, tail);
    else if (!rule.key) branch.value = { kind: "Boolean", span: branch.source.head.span, value: true };
    branch.body = [...flattener.body(branch.body), ...shared, ...tail];
  }
}

export function flattenQueryCalls(query: WorkQuery): void {
  query.body = new Flattener(query.names).body(query.body);
}

/** Hoists references and comprehensions out of arguments. */
export function flattenOrdered(body: Body, names: NameSupply): Body {
  return new Flattener(names).ordered(body);
}
