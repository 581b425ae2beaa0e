/**
 * Resolves names: imports and rules of the package become full paths (`data.pkg.p`, `input.x`), names that the
 * rule declares stay, wildcards get a name each, and the expressions of template strings become closures of their own.
 * https://www.openpolicyagent.org/docs/policy-language#packages
 */

import type { Diagnostic, Span } from "../diagnostics/index.ts";
import {
  type Body,
  builtin,
  type Call,
  type Every,
  type Expr,
  isJson,
  isScalar,
  type Mapper,
  mapChildren,
  mapList,
  notedJson,
  type Ref,
  type Rule,
  type SomeDecl,
  type Term,
  type Var,
  type With,
} from "../syntax/index.ts";
import { balancedChain } from "./chains.ts";
import { analyzeDiagnostic, spoils } from "./codes.ts";
import {
  checkImports,
  type Exports,
  type Global,
  Globals,
  globalsOf,
  type MayName,
  noGaps,
  ruleName,
} from "./globals.ts";
import { checkAssignments, checkHeadAssignments, isRootName } from "./root-names.ts";
import { importText, operatorText } from "./text.ts";
import { addVars, builtinOf, dottedName, isCallOf, isComprehension, scopesOf } from "./walk.ts";
import { type Branch, NameSupply, type Unit, type WorkRule } from "./work.ts";

/** Adds the variables that `:=` and `some` declare in a body, the scopes of its statements included, comprehensions not. */
function addDeclared(body: Body, into: Set<string>): void {
  for (const expr of body) {
    const b = expr.body;
    if (isCallOf(b, "assign") && b.args.length === 2) addVars(b.args[0] as Term, into, true);
    else if (b.kind === "SomeDecl") {
      for (const v of b.vars) into.add(v.name);
      if (b.key) addVars(b.key, into, true);
      if (b.value) addVars(b.value, into, true);
    } else for (const scope of scopesOf(b)) addDeclared(scope.body, into);
  }
}

function declaredIn(body: Body): Set<string> {
  const names = new Set<string>();
  addDeclared(body, names);
  return names;
}

/** Resolves the names of one rule or query. */
export class Resolver {
  private readonly globals: Globals;
  private readonly names: NameSupply;
  private readonly out: Diagnostic[];
  /** The names of each open scope that are not globals there, innermost last. */
  private readonly locals: ReadonlySet<string>[] = [];
  /** As in a WorkRule. */
  readonly called = new Set<string>();
  closures = false;
  private readonly mapper: Mapper = { term: (t) => this.term(t), body: (b) => this.closure(b) };

  constructor(globals: Globals, names: NameSupply, out: Diagnostic[]) {
    this.globals = globals;
    this.names = names;
    this.out = out;
  }

  within<X>(names: ReadonlySet<string>, f: () => X): X {
    this.locals.push(names);
    const result = f();
    this.locals.pop();
    return result;
  }

  private globalOf(name: string): Global | undefined {
    const found = this.globals.get(name);
    if (!found || this.locals.some((scope) => scope.has(name))) return undefined;
    found.used = true;
    return found;
  }

  private wildcard(v: Var): Var {
    return v.name === "_" ? { ...v, name: this.names.fresh("_") } : v;
  }

  private variable(v: Var): Term {
    const found = this.globalOf(v.name);
    if (!found) return this.wildcard(v);
    const head: Var = { kind: "Var", span: v.span, name: found.root };
    return found.path.length === 0 ? head : { kind: "Ref", span: v.span, head, args: strings(found.path, v.span) };
  }

  private ref(ref: Ref): Ref {
    const head = this.term(ref.head);
    const args = mapList(ref.args, this.mapper.term);
    if (head.kind === "Ref") return { ...ref, head: head.head, args: [...head.args, ...args] };
    return head === ref.head && args === ref.args ? ref : { ...ref, head, args };
  }

  /** A sign is a call of its name, as in OPA: beside a rule `lt`, or an import of that name, `<` calls the rule. */
  private operator(call: Call): Ref | Var {
    const { operator } = call;
    const head = operator.kind === "Var" ? operator : operator.head;
    if (head.kind === "Var" && this.locals.some((scope) => scope.has(head.name))) return operator;
    const name = dottedName(operator);
    if (head.kind === "Var" && (this.globals.get(head.name, name) !== undefined || isRootName(head.name))) {
      const full = this.ref(
        operator.kind === "Var" ? { kind: "Ref", span: operator.span, head: operator, args: [] } : operator,
      );
      if (call.infix !== undefined) {
        const parts = { sign: call.infix, function: operatorText(full) };
        this.out.push(analyzeDiagnostic("analyze/captured-operator", parts, call.span));
      }
      return full;
    }
    return name === undefined || operator.kind === "Var" ? operator : { kind: "Var", span: operator.span, name };
  }

  term(term: Term): Term {
    if (term.kind === "Var") return this.variable(term);
    if (term.kind === "Ref") return this.ref(term);
    if (term.kind === "Call") {
      const operator = this.operator(term);
      if (operator.kind === "Var") this.called.add(operator.name);
      const args = mapList(term.args, this.mapper.term);
      return operator === term.operator && args === term.args ? term : { ...term, operator, args };
    }
    if (isComprehension(term)) return this.within(declaredIn(term.body), () => mapChildren(term, this.mapper));
    if (term.kind !== "TemplateString") {
      return isJson(term) ? term : notedJson(mapChildren(term, this.mapper));
    }
    return { ...term, parts: term.parts.map((p) => (typeof p === "string" ? p : this.templatePart(p))) };
  }

  /** A part that may be undefined becomes the set of its values. */
  private templatePart(written: Expr): Expr {
    const expr = this.expr(written);
    const term = expr.body as Term;
    if (expr.with.length === 0 && (isScalar(term) || (term.kind === "Var" && !isRootName(term.name)))) return expr;
    const { span } = expr;
    const called = term.kind === "Call" ? builtinOf(term) : undefined;
    if (called !== undefined && builtin(called)?.relation)
      this.out.push(analyzeDiagnostic("analyze/relation-in-template", { name: called }, term.span));
    const value: Var = { kind: "Var", span, name: this.names.generated() };
    const body: Body = [{ ...expr, body: equals(value, term, span) }];
    this.called.add("eq");
    this.closures = true;
    return { ...expr, with: [], body: { kind: "SetComprehension", span, term: value, body } };
  }

  body(body: Body): Body {
    return mapList(body, (e) => this.expr(e));
  }

  private closure(body: Body): Body {
    this.closures = true;
    return this.body(body);
  }

  private expr(written: Expr): Expr {
    const expr = balancedChain(written);
    const { body } = expr;
    if (body.kind === "SomeDecl") return { ...expr, body: this.some(body), with: expr.with.map((w) => this.with(w)) };
    if (body.kind === "Every") return { ...expr, body: this.every(body), with: expr.with.map((w) => this.with(w)) };
    if (expr.with.length === 0) return mapChildren(expr, this.mapper);
    const mapped = mapChildren({ ...expr, with: [] }, this.mapper);
    return { ...mapped, with: expr.with.map((w) => this.with(w)) };
  }

  private some(decl: SomeDecl): SomeDecl {
    const mapped = mapChildren({ kind: "Expr", span: decl.span, negated: false, with: [], body: decl }, this.mapper)
      .body as SomeDecl;
    return { ...mapped, vars: decl.vars.map((v) => this.wildcard(v)) };
  }

  private every(every: Every): Every {
    const own = new Set(every.key ? [every.key.name, every.value.name] : [every.value.name]);
    // As in OPA, the names are those of the collection, too, where it has them: `every x in x` reads no rule `x`.
    return this.within(own, () => ({
      ...every,
      // A key without a name is not a key.
      key: every.key?.name === "_" ? undefined : every.key,
      value: this.wildcard(every.value),
      domain: this.term(every.domain),
      body: this.closure(every.body),
    }));
  }

  private with(w: With): With {
    const target = this.ref(w.target);
    return { ...w, target, value: this.term(w.value) };
  }
}

function strings(parts: readonly string[], span: Span): Term[] {
  return parts.map((value) => ({ kind: "String", span, value, raw: false }));
}

/** The statement's term `left = right`. */
export function equals(left: Term, right: Term, span: Span): Call {
  const operator: Var = { kind: "Var", span, name: "eq" };
  return { kind: "Call", span, operator, args: [left, right], infix: "=", parenthesized: false };
}

/** Adds the variables of an argument that it binds: not those of object keys, sets, calls and closures. */
function addArgumentVars(term: Term, into: Set<string>): void {
  if (term.kind === "Var") into.add(term.name);
  else if (term.kind === "Array") for (const item of term.items) addArgumentVars(item, into);
  else if (term.kind === "Object") for (const [, value] of term.entries) addArgumentVars(value, into);
}

function checkArgument(term: Term, out: Diagnostic[]): void {
  if (term.kind === "Var" && isRootName(term.name)) {
    out.push(analyzeDiagnostic("analyze/shadows-root", { what: "args", name: term.name, kind: "variable" }, term.span));
  } else if (term.kind === "Ref" && term.head.kind === "Var") {
    // An argument is a pattern: it does not look anything up.
    out.push(analyzeDiagnostic("analyze/unsafe-var", { name: term.head.name, scope: "" }, term.span));
  } else if (term.kind === "Array") for (const item of term.items) checkArgument(item, out);
  else if (term.kind === "Object") for (const [, value] of term.entries) checkArgument(value, out);
}

function resolveRule(unit: Unit, source: Rule, globals: Globals, out: Diagnostic[]): WorkRule {
  const names = new NameSupply();
  const before = out.length;
  const name = ruleName(source);
  if (isRootName(name))
    out.push(analyzeDiagnostic("analyze/shadows-root", { what: "rules", name, kind: "rule" }, source.span));
  // `p() := 1` takes nothing, so it is a rule like any other; only calls of it are refused.
  const written = source.head.args?.length ? source.head.args : undefined;
  const own = new Set<string>();
  for (const arg of written ?? []) {
    addArgumentVars(arg, own);
    checkArgument(arg, out);
  }
  const resolver = new Resolver(globals, names, out);
  // Arguments are patterns, not expressions: only calls and references inside of them are resolved.
  const argument = (t: Term): Term => {
    if (t.kind === "Var") return t.name === "_" ? { ...t, name: names.fresh("_") } : t;
    return t.kind === "Array" || t.kind === "Object"
      ? mapChildren(t, { term: argument, body: (b) => b })
      : resolver.term(t);
  };
  const args = resolver.within(own, () => written?.map(argument));
  const branches: Branch[] = [];
  let keys: Term[] = [];
  let key: Term | undefined;
  for (let branch: Rule | undefined = source; branch; branch = branch.else) {
    const { head, body } = branch;
    resolver.within(own, () =>
      resolver.within(declaredIn(body), () => {
        if (branch === source) {
          keys = head.ref.args.map((a) => resolver.term(a));
          key = head.key && resolver.term(head.key);
        }
        const value = head.value && resolver.term(head.value);
        branches.push({ source: branch as Rule, value, body: resolver.body(body), final: [] });
      }),
    );
  }
  // A rule called `assign` takes `:=`, which then declares nothing.
  for (const { source: branch } of globals.get("assign", "assign") !== undefined ? [] : branches) {
    if (resolver.closures) checkHeadAssignments(branch.head, out);
    checkAssignments(branch.body, resolver.closures, out);
  }
  const fixed = keys.findIndex((k) => k.kind !== "String");
  const ground = fixed < 0 ? keys : keys.slice(0, fixed);
  const whole = [name, ...ground.map((k) => (k.kind === "String" ? k.value : ""))];
  return {
    unit,
    source,
    names,
    isDefault: source.isDefault,
    name: whole,
    path: [...unit.path, ...whole],
    keys: keys.slice(ground.length),
    args,
    key,
    branches,
    called: resolver.called,
    closures: resolver.closures,
    prints: false,
    broken: spoils(out, before),
  };
}

/** The rules of a module with their names resolved, each handed to `next` before the one behind it is resolved. */
export function resolveModule(
  unit: Unit,
  exports: Exports,
  strict: boolean,
  next: (rule: WorkRule) => WorkRule,
  out: Diagnostic[],
  mayName: MayName = noGaps,
): WorkRule[] {
  checkImports(unit.module, out);
  const globals = globalsOf(unit, exports, mayName);
  const rules = unit.module.rules.map((rule) => next(resolveRule(unit, rule, globals, out)));
  // What could not be read may use any import.
  if (strict && !("unread" in unit.module)) {
    for (const imp of globals.unused(unit.module.imports))
      out.push(analyzeDiagnostic("analyze/unused-import", { import: importText(imp) }, imp.span));
  }
  return rules;
}

/** A query sees no package: only full paths, builtins and variables of its own. */
export function resolveQuery(body: Body, names: NameSupply): Body {
  const resolver = new Resolver(new Globals([], noGaps), names, []);
  return resolver.within(declaredIn(body), () => resolver.body(body));
}
