/**
 * What `:=`, `some` and `every` declare, from the top of each body down: a declaration holds from its place on, for its
 * body and the closures in it, and its name must be new in its body.
 * https://www.openpolicyagent.org/docs/policy-language#variables
 */

import type { Diagnostic, Span } from "../diagnostics/index.ts";
import {
  type Body,
  type Call,
  type Every,
  type Expr,
  type ExprBody,
  type Mapper,
  mapChildren,
  mapList,
  mapStatement,
  type SomeDecl,
  type Term,
  type Var,
} from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { isGenerated } from "./names.ts";
import { equals } from "./resolve.ts";
import { isRootName } from "./root-names.ts";
import { operatorText } from "./text.ts";
import { iteratedVars, patternVars } from "./unify.ts";
import { addExprVars, addVars, type Comprehension, isCallOf, isComprehension, walkLevel } from "./walk.ts";
import type { NameSupply } from "./work.ts";

type Occurrence = "argument" | "seen" | "assigned" | "declared";

interface Entry {
  local: string;
  occurrence: Occurrence;
  /** How often it occurs; a variable that occurs once is not used. */
  count: number;
}

interface Called {
  readonly call: Call;
  readonly statement: Span | undefined;
  readonly scopes: Set<Scope>;
}

type AssignmentCode = "analyze/negated-assignment" | "analyze/and-assignment" | "analyze/or-assignment";

export type Scope = Map<string, Entry>;

const above: Record<Exclude<Occurrence, "argument">, string> = {
  seen: "referenced",
  assigned: "assigned",
  declared: "declared",
};

/** How a term is called in "cannot assign to …". */
const kindNames: Record<Term["kind"], string> = {
  Null: "null",
  Boolean: "boolean",
  Number: "number",
  String: "string",
  Var: "var",
  Ref: "ref",
  Call: "call",
  Array: "array",
  Object: "object",
  Set: "set",
  ArrayComprehension: "arraycomprehension",
  SetComprehension: "setcomprehension",
  ObjectComprehension: "objectcomprehension",
  TemplateString: "templatestring",
  Constant: "constant",
};

export class Declarer {
  private readonly names: NameSupply;
  private readonly strict: boolean;
  private readonly out: Diagnostic[];
  /** How many findings there were before its own. */
  private readonly before: number;
  private readonly scopes: Scope[];
  /** By the name before its sign or parenthesis: the first call of each, and the scopes that have calls of it. */
  private readonly called = new Map<string, Called>();
  private readonly mapper: Mapper = { term: (t) => this.term(t), body: (b) => b };

  constructor(names: NameSupply, strict: boolean, out: Diagnostic[], outermost: Scope = new Map()) {
    this.names = names;
    this.strict = strict;
    this.out = out;
    this.before = out.length;
    this.scopes = [outermost];
  }

  private get scope(): Scope {
    return this.scopes.at(-1) as Scope;
  }

  private find(name: string): Entry | undefined {
    for (let i = this.scopes.length - 1; i >= 0; i--) {
      const entry = this.scopes[i]?.get(name);
      if (entry) return entry;
    }
    return undefined;
  }

  private within<X>(f: () => X): X {
    this.scopes.push(new Map());
    const result = f();
    this.scopes.pop();
    return result;
  }

  /** A new variable of the innermost scope; `undefined`, with a finding, when its name is taken there. */
  private declare(v: Var, occurrence: "assigned" | "declared", at: Var["span"] = v.span): Var | undefined {
    if (v.name.includes("#")) return v;
    const taken = this.scope.get(v.name);
    if (taken) {
      this.out.push(
        taken.occurrence === "argument"
          ? analyzeDiagnostic("analyze/redeclared-argument", { name: v.name }, at)
          : analyzeDiagnostic("analyze/redeclared-var", { name: v.name, how: above[taken.occurrence] }, at),
      );
      return undefined;
    }
    if (this.called.get(v.name)?.scopes.has(this.scope)) {
      this.out.push(analyzeDiagnostic("analyze/redeclared-var", { name: v.name, how: above.seen }, at));
      return undefined;
    }
    const local = this.names.fresh(v.name);
    this.scope.set(v.name, { local, occurrence, count: 1 });
    return { ...v, name: local };
  }

  // ---- terms ----

  term(term: Term): Term {
    if (term.kind === "Var") return this.variable(term);
    if (isComprehension(term)) return this.comprehension(term);
    if (term.kind === "Call") this.checkOperator(term);
    return mapChildren(term, this.mapper);
  }

  private variable(v: Var): Var {
    if (v.name.includes("#") || isRootName(v.name)) return v;
    const entry = this.find(v.name);
    if (!entry) {
      this.checkCalled(v.name);
      this.scope.set(v.name, { local: v.name, occurrence: "seen", count: 1 });
      return v;
    }
    entry.count++;
    return entry.local === v.name ? v : { ...v, name: entry.local };
  }

  /**
   * Functions are not values: where a variable with the name before a call is in scope, the call would be one of the variable.
   * `statement` is the place of a call that is a statement.
   */
  private checkOperator(call: Call, statement?: Span): void {
    const name = calledName(call);
    if (name === undefined) return;
    if (this.find(name)) {
      this.shadowed(call, statement);
      return;
    }
    const known = this.called.get(name);
    if (known) known.scopes.add(this.scope);
    else this.called.set(name, { call, statement, scopes: new Set([this.scope]) });
  }

  /** A variable of the outermost level holds for all of it, also for calls above the place where it is met. */
  private checkCalled(name: string): void {
    const above = this.scopes.length === 1 ? this.called.get(name) : undefined;
    if (above?.call.operator.kind === "Var" && above.call.operator.name === name)
      this.shadowed(above.call, above.statement);
  }

  private shadowed(call: Call, statement: Span | undefined): void {
    this.out.push(shadowedCall(call, statement));
  }

  private comprehension(c: Comprehension): Comprehension {
    const used = new Set<string>();
    if (c.kind === "ObjectComprehension") {
      addVars(c.key, used, true);
      addVars(c.value, used, true);
    } else addVars(c.term, used, true);
    return this.within(() => {
      const body = this.body(c.body, used);
      if (c.kind === "ObjectComprehension") return { ...c, key: this.term(c.key), value: this.term(c.value), body };
      return { ...c, term: this.term(c.term), body };
    });
  }

  // ---- statements ----

  /** A body in the innermost scope. `used` are the names in its owner: a head, a comprehension's term. */
  body(body: Body, used: ReadonlySet<string>): Body {
    const result: Expr[] = [];
    for (const expr of body) {
      const declared = this.statement(expr);
      if (declared) result.push(declared);
    }
    // As in OPA: the first body with a finding is the last that is asked for what it does not use.
    if (this.out.length === this.before) this.checkUnused(body, result, used);
    return result;
  }

  private statement(expr: Expr): Expr | undefined {
    const b = expr.body;
    if (isCallOf(b, "assign") && b.args.length === 2) return this.assignment(expr, b);
    if (b.kind === "SomeDecl") {
      if (b.domain) return this.readsItself(b) ? undefined : this.someIn(expr, b);
      for (const v of b.vars) if (!this.declare(v, "declared", b.span)) break;
      return undefined;
    }
    if (b.kind === "Every") return this.everyStatement(expr, b);
    if (b.kind === "Not") {
      const body = this.operand(b.body, b.braces !== undefined, "analyze/negated-assignment");
      return this.modified(expr, { ...b, body });
    }
    if (b.kind === "Logical") {
      const code = b.operator === "and" ? "analyze/and-assignment" : "analyze/or-assignment";
      const left = this.operand(b.left, b.leftBraces !== undefined, code);
      return this.modified(expr, { ...b, left, right: this.operand(b.right, b.rightBraces !== undefined, code) });
    }
    return this.plain(expr, b);
  }

  private modified(expr: Expr, body: ExprBody): Expr {
    const modifiers = this.modifiers(expr);
    return body === expr.body && modifiers === expr.with ? expr : { ...expr, body, with: modifiers };
  }

  private modifiers(expr: Expr): Expr["with"] {
    return mapList(expr.with, (w) => mapChildren(w, this.mapper));
  }

  /** Only a body in braces may declare; in any other, a variable would be lost where it is assigned. */
  private operand(body: Body, explicit: boolean, code: AssignmentCode): Body {
    if (explicit) return this.within(() => this.body(body, new Set()));
    return body.map((expr) => {
      if (!isCallOf(expr.body, "assign") || expr.body.args.length !== 2) return this.statement(expr) ?? expr;
      this.out.push(analyzeDiagnostic(code, {}, expr.span));
      return expr;
    });
  }

  private plain(expr: Expr, b: ExprBody): Expr {
    if (b.kind === "Call") this.checkOperator(b, expr.span);
    return this.modified(expr, b.kind === "Call" ? mapChildren(b, this.mapper) : mapStatement(b, this.mapper));
  }

  private assignment(expr: Expr, call: Call): Expr {
    if (expr.negated) {
      this.out.push(analyzeDiagnostic("analyze/negated-assignment", {}, expr.span));
      return expr;
    }
    const right = this.term(call.args[1] as Term);
    const modifiers = this.modifiers(expr);
    const left = this.target(call.args[0] as Term);
    const operator: Var = { kind: "Var", span: call.operator.span, name: "eq" };
    return { ...expr, body: { ...call, operator, args: [left, right] }, with: modifiers };
  }

  private target(term: Term): Term {
    if (term.kind === "Var") return this.declare(term, "assigned") ?? term;
    if (term.kind === "Array") return { ...term, items: term.items.map((i) => this.target(i)) };
    if (term.kind === "Object") {
      return { ...term, entries: term.entries.map(([k, v]) => [this.term(k), this.target(v)] as const) };
    }
    this.out.push(analyzeDiagnostic("analyze/cannot-assign", { what: kindNames[term.kind] }, term.span));
    return term;
  }

  /** Whether a variable that `some … in xs` binds stands in `xs`, which is a finding: it would be another variable there. */
  private readsItself({ key, value, domain, span }: SomeDecl): boolean {
    const bound = new Set<string>();
    for (const term of [key, value]) if (term) patternVars(term, bound);
    const read = new Set<string | undefined>();
    walkLevel(domain as Term, (part) => {
      if (part.kind === "Var") read.add(part.name);
      if (part.kind === "Call") read.add(calledName(part));
      return part.kind !== "TemplateString";
    });
    const both = [...bound].filter((name) => read.has(name)).sort();
    for (const name of both) this.out.push(analyzeDiagnostic("analyze/read-in-domain", { name }, span));
    return both.length > 0;
  }

  /** `some k, v in xs` is `v = xs[k]`, with what it gives a value and `xs` does not have declared. */
  private someIn(expr: Expr, decl: SomeDecl): Expr {
    const domain = this.term(decl.domain as Term);
    const outside = new Set<string>();
    addVars(decl.domain as Term, outside, true);
    const declared = iteratedVars({ ...decl, value: decl.value as Term }, outside, expr.with);
    for (const name of [...declared].sort()) {
      if (!outside.has(name)) this.declare({ kind: "Var", span: decl.span, name }, "declared");
    }
    const { span } = decl;
    // No key was written, so its local stands for no text.
    const nowhere = { ...span, end: span.start };
    const key: Term = decl.key ? this.term(decl.key) : { kind: "Var", span: nowhere, name: this.names.generated() };
    const element: Term =
      domain.kind === "Ref"
        ? { ...domain, args: [...domain.args, key] }
        : { kind: "Ref", span: domain.span, head: domain, args: [key] };
    const value = this.term(decl.value as Term);
    return this.modified(expr, equals(value, element, span));
  }

  private everyStatement(expr: Expr, every: Every): Expr {
    const outside = this.term(every.domain);
    return this.within(() => {
      const key = every.key && this.declare(every.key, "declared", every.span);
      const value = this.declare(every.value, "declared", every.span) ?? every.value;
      const body = this.body(every.body, new Set());
      // As in OPA, what is declared inside holds for the collection and `with`, too: they come before it, and cannot read it.
      const domain = this.term(outside);
      return { ...expr, body: { ...every, key, value, domain, body }, with: this.modifiers(expr) };
    });
  }

  // ---- unused variables ----

  private checkUnused(written: Body, rewritten: Body, used: ReadonlySet<string>): void {
    if (this.scope.size === 0) return;
    const entries = [...this.scope];
    if (this.strict) {
      for (const [name, { occurrence, count }] of entries) {
        if (occurrence !== "assigned" || count > 1 || used.has(name)) continue;
        const at = written.find((e) => assigns(e, name)) ?? written[0];
        this.out.push(analyzeDiagnostic("analyze/unused-assignment", { name }, at?.span));
      }
      if (this.out.length > this.before) return;
    }
    const declared = entries.filter(([name, e]) => e.occurrence === "declared" && !used.has(name));
    if (declared.length === 0) return;
    const mentioned = new Set<string>();
    for (const e of rewritten) addExprVars(e, mentioned, true);
    for (const [name, { local }] of declared) {
      if (mentioned.has(local)) continue;
      const at = written.find((e) => declares(e, name)) ?? written[0];
      this.out.push(analyzeDiagnostic("analyze/unused-declaration", { name }, at?.span));
    }
  }

  /** The local of a name in the outermost scope, for the head. */
  localOf(name: string): string | undefined {
    return this.scopes[0]?.get(name)?.local;
  }

  /** Whether a call in the head is one of a local. */
  callsLocal(call: Call): boolean {
    const name = calledName(call);
    return name !== undefined && this.localOf(name) !== undefined;
  }

  countOf(name: string): number {
    return this.scopes[0]?.get(name)?.count ?? 0;
  }
}

/** The first part of the name before a call; `undefined` where rewriting made the call, or where it is one of a rule. */
function calledName({ operator, args }: Call): string | undefined {
  const head = operator.kind === "Var" ? operator : operator.head;
  if (head.kind !== "Var" || isRootName(head.name)) return undefined;
  if (args[0]?.kind === "Var" && isGenerated(args[0].name)) return undefined;
  const dot = head.name.indexOf(".");
  return dot < 0 ? head.name : head.name.slice(0, dot);
}

/** The finding on a call of a variable's name. */
export function shadowedCall(call: Call, statement: Span | undefined): Diagnostic {
  const name = operatorText(call.operator);
  const sign = call.infix === undefined ? {} : { help: `\`${call.infix}\` calls \`${name}\`: rename the variable` };
  if (statement === undefined) return analyzeDiagnostic("analyze/shadowed-function", { name }, call.span, sign);
  return analyzeDiagnostic("analyze/undefined-function", { name }, statement, sign);
}

function assigns(expr: Expr, name: string): boolean {
  const b = expr.body;
  if (!isCallOf(b, "assign")) return false;
  const vars = new Set<string>();
  addVars(b.args[0] as Term, vars, false);
  return vars.has(name);
}

function declares(expr: Expr, name: string): boolean {
  return expr.body.kind === "SomeDecl" && expr.body.vars.some((v) => v.name === name);
}
