/**
 * Gives every variable a name of its own. First what `:=`, `some`, `every` and arguments declare, from the top of each body
 * down, for a declaration holds from its place on; then what remains, which belongs to the outermost level it occurs at.
 * https://www.openpolicyagent.org/docs/policy-language#variables
 */

import type { Diagnostic } from "../base/diagnostic.ts";
import type { Body, Call, Every, Expr, ExprBody, SomeDecl, Term, Var } from "../rego/ast.ts";
import { report } from "./codes.ts";
import { originalName } from "./names.ts";
import { equals, isRootName } from "./resolve.ts";
import { operatorText } from "./text.ts";
import {
  addExprVars,
  addVars,
  type Comprehension,
  isCallOf,
  isComprehension,
  type Mapper,
  mapExpr,
  mapExprBody,
  mapParts,
  mapWith,
} from "./walk.ts";
import type { NameSupply, WorkQuery, WorkRule } from "./work.ts";

type Occurrence = "argument" | "seen" | "assigned" | "declared";

interface Entry {
  local: string;
  occurrence: Occurrence;
  /** How often it occurs; a variable that occurs once is not used. */
  count: number;
}

type Scope = Map<string, Entry>;

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
  private readonly scopes: Scope[];
  private readonly mapper: Mapper = { term: (t) => this.term(t), body: (b) => b };

  constructor(names: NameSupply, strict: boolean, out: Diagnostic[], outermost: Scope = new Map()) {
    this.names = names;
    this.strict = strict;
    this.out = out;
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
          ? report("analyze/redeclared-argument", { name: v.name }, at)
          : report("analyze/redeclared-var", { name: v.name, how: above[taken.occurrence] }, at),
      );
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
    return mapParts(term, this.mapper);
  }

  private variable(v: Var): Var {
    if (v.name.includes("#") || isRootName(v.name)) return v;
    const entry = this.find(v.name);
    if (!entry) {
      this.scope.set(v.name, { local: v.name, occurrence: "seen", count: 1 });
      return v;
    }
    entry.count++;
    return { ...v, name: entry.local };
  }

  private checkOperator(call: Call): void {
    const head = call.operator.kind === "Var" ? call.operator : call.operator.head;
    if (call.infix !== undefined || head.kind !== "Var") return;
    const entry = this.find(head.name);
    if (entry && entry.local !== head.name) {
      this.out.push(report("analyze/shadowed-function", { name: operatorText(call.operator) }, call.span));
    }
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

  /** A body in the innermost scope. `used` are names that what the body belongs to uses: a head, a comprehension's term. */
  body(body: Body, used: ReadonlySet<string>): Body {
    const findings = this.out.length;
    const result: Expr[] = [];
    for (const expr of body) {
      const declared = this.statement(expr);
      if (declared) result.push(declared);
    }
    if (this.out.length === findings) this.checkUnused(body, result, used);
    return result;
  }

  private statement(expr: Expr): Expr | undefined {
    const b = expr.body;
    if (isCallOf(b, "assign") && b.args.length === 2) return this.assignment(expr, b);
    if (b.kind === "SomeDecl") {
      if (b.domain) return this.someIn(expr, b);
      for (const v of b.vars) if (!this.declare(v, "declared", b.span)) break;
      return undefined;
    }
    if (b.kind === "Every") return this.everyStatement(expr, b);
    return this.plain(expr, b);
  }

  private plain(expr: Expr, b: ExprBody): Expr {
    // A statement that calls a shadowed name calls no function; what it would call is named as undefined later.
    const body = b.kind === "Call" ? mapParts(b, this.mapper) : mapExprBody(b, this.mapper);
    return { ...expr, body, with: expr.with.map((w) => mapWith(w, this.mapper)) };
  }

  private assignment(expr: Expr, call: Call): Expr {
    if (expr.negated) {
      this.out.push(report("analyze/negated-assignment", {}, expr.span));
      return expr;
    }
    const right = this.term(call.args[1] as Term);
    const modifiers = expr.with.map((w) => mapWith(w, this.mapper));
    const left = this.target(call.args[0] as Term);
    const operator: Var = { kind: "Var", span: call.operator.span, name: "eq" };
    return { ...expr, body: { ...call, operator, args: [left, right] }, with: modifiers };
  }

  private target(term: Term): Term {
    switch (term.kind) {
      case "Var":
        return this.declare(term, "assigned") ?? term;
      case "Array":
        return { ...term, items: term.items.map((i) => this.target(i)) };
      case "Object":
        return { ...term, entries: term.entries.map(([k, v]) => [this.term(k), this.target(v)] as const) };
      default:
        this.out.push(report("analyze/cannot-assign", { what: kindNames[term.kind] }, term.span));
        return term;
    }
  }

  /** `some k, v in xs` is `v = xs[k]`, with the variables of `k` and `v` that `xs` does not have declared. */
  private someIn(expr: Expr, decl: SomeDecl): Expr {
    const domain = this.term(decl.domain as Term);
    const outside = new Set<string>();
    addVars(decl.domain as Term, outside, true);
    const declared = new Set<string>();
    if (decl.key) addPatternVars(decl.key, declared, true);
    if (decl.value) addPatternVars(decl.value, declared, false);
    for (const name of [...declared].sort()) {
      if (!outside.has(name)) this.declare({ kind: "Var", span: decl.span, name }, "declared");
    }
    const { span } = decl;
    const key: Term = decl.key ? this.term(decl.key) : { kind: "Var", span, name: this.names.generated() };
    const element: Term =
      domain.kind === "Ref"
        ? { ...domain, args: [...domain.args, key] }
        : { kind: "Ref", span: domain.span, head: domain, args: [key] };
    const value = this.term(decl.value as Term);
    return { ...expr, body: equals(value, element, span), with: expr.with.map((w) => mapWith(w, this.mapper)) };
  }

  private everyStatement(expr: Expr, every: Every): Expr {
    const domain = this.term(every.domain);
    const modifiers = expr.with.map((w) => mapWith(w, this.mapper));
    return this.within(() => {
      const key = every.key && this.declare(every.key, "declared", every.span);
      const value = this.declare(every.value, "declared", every.span) ?? every.value;
      const body = this.body(every.body, new Set());
      return { ...expr, body: { ...every, key, value, domain, body }, with: modifiers };
    });
  }

  // ---- unused variables ----

  private checkUnused(written: Body, rewritten: Body, used: ReadonlySet<string>): void {
    const entries = [...this.scope];
    if (this.strict) {
      for (const [name, { occurrence, count }] of entries) {
        if (occurrence !== "assigned" || count > 1 || used.has(name)) continue;
        const at = written.find((e) => assigns(e, name)) ?? written[0];
        this.out.push(report("analyze/unused-assignment", { name }, at?.span));
      }
    }
    const declared = entries.filter(([name, e]) => e.occurrence === "declared" && !used.has(name));
    if (declared.length === 0) return;
    const mentioned = new Set<string>();
    for (const e of rewritten) addExprVars(e, mentioned, true);
    for (const [name, { local }] of declared) {
      if (mentioned.has(local)) continue;
      const at = written.find((e) => declares(e, name)) ?? written[0];
      this.out.push(report("analyze/unused-declaration", { name }, at?.span));
    }
  }

  /** The local of a name in the outermost scope, for the head. */
  localOf(name: string): string | undefined {
    return this.scopes[0]?.get(name)?.local;
  }

  countOf(name: string): number {
    return this.scopes[0]?.get(name)?.count ?? 0;
  }
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

/** The variables that matching a pattern binds; in a key, those of a reference's arguments, too. */
function addPatternVars(term: Term, into: Set<string>, isKey: boolean): void {
  switch (term.kind) {
    case "Var":
      into.add(term.name);
      break;
    case "Array":
    case "Set":
      for (const item of term.items) addPatternVars(item, into, isKey);
      break;
    case "Object":
      for (const [k, v] of term.entries) {
        if (isKey) addPatternVars(k, into, isKey);
        addPatternVars(v, into, isKey);
      }
      break;
    case "Ref":
      if (isKey) for (const a of term.args) addPatternVars(a, into, isKey);
      break;
    default:
  }
}

/** The comprehensions of a head declare on their own, before the body does. */
function declareHeadComprehensions(term: Term, rule: WorkRule, strict: boolean, out: Diagnostic[]): Term {
  if (isComprehension(term)) return new Declarer(rule.names, strict, out).term(term);
  return mapParts(term, { term: (t) => declareHeadComprehensions(t, rule, strict, out), body: (b) => b });
}

/** Puts the locals of the body into the head. */
function renameHead(term: Term, declarer: Declarer): Term {
  const m: Mapper = {
    term: (t) => {
      if (t.kind === "Var") return { ...t, name: declarer.localOf(t.name) ?? t.name };
      return mapParts(t, m);
    },
    body: (b) => b.map((e) => mapExpr(e, m)),
  };
  return m.term(term);
}

function declareArguments(rule: WorkRule, scope: Scope): void {
  const m: Mapper = {
    term: (t) => {
      switch (t.kind) {
        case "Var": {
          if (t.name.includes("#") || isRootName(t.name)) return t;
          const entry = scope.get(t.name);
          if (entry) entry.count++;
          else scope.set(t.name, { local: rule.names.fresh(t.name), occurrence: "argument", count: 1 });
          return { ...t, name: scope.get(t.name)?.local as string };
        }
        case "Array":
          return mapParts(t, m);
        case "Object":
          return { ...t, entries: t.entries.map(([k, v]) => [k, m.term(v)] as const) };
        default:
          return t;
      }
    },
    body: (b) => b,
  };
  rule.args = rule.args?.map(m.term);
}

function checkArguments(args: readonly Term[], out: Diagnostic[]): void {
  for (const arg of args) {
    if (arg.kind === "Call") out.push(report("analyze/call-in-arguments", {}, arg.span));
    else if (arg.kind === "Array") checkArguments(arg.items, out);
    else if (arg.kind === "Object") {
      checkArguments(
        arg.entries.map(([, v]) => v),
        out,
      );
    }
  }
}

/** Names the variables of a rule. */
export function nameVariables(rule: WorkRule, strict: boolean, out: Diagnostic[]): void {
  const findings = out.length;
  const argumentScope: Scope = new Map();
  checkArguments(rule.args ?? [], out);
  declareArguments(rule, argumentScope);
  const unusedArgs = new Set(argumentScope.keys());
  const parts = rule.key ? [...rule.keys, rule.key] : rule.keys;
  const headUsed = new Set<string>();
  for (const t of parts) addVars(t, headUsed, true);
  rule.keys = rule.keys.map((t) => declareHeadComprehensions(t, rule, strict, out));
  rule.key = rule.key && declareHeadComprehensions(rule.key, rule, strict, out);
  for (const [i, branch] of rule.branches.entries()) {
    const used = new Set(headUsed);
    if (branch.value) {
      addVars(branch.value, used, true);
      branch.value = declareHeadComprehensions(branch.value, rule, strict, out);
    }
    const scope: Scope = new Map([...argumentScope].map(([name, e]) => [name, { ...e }]));
    const declarer = new Declarer(rule.names, strict, out, scope);
    branch.body = declarer.body(branch.body, used);
    branch.value = branch.value && renameHead(branch.value, declarer);
    if (i === 0) {
      rule.keys = rule.keys.map((t) => renameHead(t, declarer));
      rule.key = rule.key && renameHead(rule.key, declarer);
    }
    for (const name of unusedArgs) {
      if (used.has(name) || declarer.countOf(name) > 1) unusedArgs.delete(name);
    }
  }
  if (strict) {
    for (const name of unusedArgs) out.push(report("analyze/unused-argument", { name }, rule.source.head.span));
  }
  if (out.length > findings) rule.broken = true;
  else ownVariables(rule);
}

export function nameQueryVariables(query: WorkQuery, strict: boolean, out: Diagnostic[]): void {
  const findings = out.length;
  query.body = new Declarer(query.names, strict, out).body(query.body, new Set());
  if (out.length > findings) query.broken = true;
  else query.body = new Owner(query.names).level(query.body, []).body;
}

/** Gives variables that nothing declares to the outermost level that mentions them, so that closures beside each other differ. */
class Owner {
  private readonly names: NameSupply;
  private readonly taken = new Set<string>();
  private readonly levels: Map<string, string>[] = [];
  private readonly mapper: Mapper = { term: (t) => this.term(t), body: (b) => this.level(b, []).body };

  constructor(names: NameSupply) {
    this.names = names;
  }

  private find(name: string): string | undefined {
    for (let i = this.levels.length - 1; i >= 0; i--) {
      const local = this.levels[i]?.get(name);
      if (local !== undefined) return local;
    }
    return undefined;
  }

  /** A body and the terms that are evaluated with it. */
  level(body: Body, terms: readonly Term[]): { body: Body; terms: Term[] } {
    const mentioned = new Set<string>();
    for (const t of terms) addVars(t, mentioned, false);
    for (const e of body) addExprVars(e, mentioned, false);
    const own = new Map<string, string>();
    for (const name of mentioned) {
      if (name.includes("#") || isRootName(name) || this.find(name) !== undefined) continue;
      own.set(name, this.taken.has(name) ? this.names.fresh(name) : name);
      this.taken.add(name);
    }
    this.levels.push(own);
    const result = { body: body.map((e) => mapExpr(e, this.mapper)), terms: terms.map((t) => this.term(t)) };
    this.levels.pop();
    return result;
  }

  private term(term: Term): Term {
    if (term.kind === "Var") return { ...term, name: this.find(term.name) ?? term.name };
    if (term.kind === "ObjectComprehension") {
      const { body, terms } = this.level(term.body, [term.key, term.value]);
      return { ...term, key: terms[0] as Term, value: terms[1] as Term, body };
    }
    if (isComprehension(term)) {
      const { body, terms } = this.level(term.body, [term.term]);
      return { ...term, term: terms[0] as Term, body };
    }
    return mapParts(term, this.mapper);
  }
}

function ownVariables(rule: WorkRule): void {
  const owner = new Owner(rule.names);
  for (const [i, branch] of rule.branches.entries()) {
    // The first branch owns what is evaluated in the head: arguments, parts of the name, the key of a set.
    const parts = i === 0 ? [rule.args ?? [], rule.keys, rule.key ? [rule.key] : []] : [[], [], []];
    const value = branch.value ? [branch.value] : [];
    const { body, terms } = owner.level(branch.body, [...value, ...parts.flat()]);
    branch.body = body;
    if (branch.value) branch.value = terms.shift();
    if (i > 0) continue;
    if (rule.args) rule.args = terms.splice(0, rule.args.length);
    rule.keys = terms.splice(0, rule.keys.length);
    if (rule.key) rule.key = terms.shift();
  }
}

/** For queries: the variables an author can see, in order of first appearance. */
export function visibleVariables(body: Body): { name: string; local: string }[] {
  const seen = new Set<string>();
  for (const e of body) addExprVars(e, seen, false);
  const result: { name: string; local: string }[] = [];
  for (const local of seen) {
    const name = originalName(local);
    if (name !== "" && name !== "_" && !isRootName(local)) result.push({ name, local });
  }
  return result;
}
