/**
 * Orders the statements of each body so that every variable has a value when it is needed, and reports those that never
 * get one. Statements keep their order where it does not matter.
 * https://www.openpolicyagent.org/docs/policy-language#variables
 */

import { type Diagnostic, meaning, nearest, type Span } from "../diagnostics/index.ts";
import {
  type Body,
  type Call,
  type Expr,
  isTerm,
  type Mapper,
  mapChildren,
  type TemplateString,
  type Term,
} from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { callOfEquality } from "./flatten.ts";
import { isGenerated, originalName } from "./names.ts";
import { addRefOutputs, type Names, patternVars, unifiedVars } from "./unify.ts";
import {
  addExprVars,
  addVars,
  type Closure,
  eachClosure,
  isCallOf,
  isComprehension,
  operandsOf,
  walkLevel,
} from "./walk.ts";
import type { WorkQuery, WorkRule } from "./work.ts";

/** Findings after which nothing is suggested any more: each asks for a comparison with every name of the module. */
const MAX_SUGGESTED = 100;
const RESERVED = ["input", "data"];

function isSubset(vars: Iterable<string>, of: Names): boolean {
  for (const v of vars) if (!of.has(v)) return false;
  return true;
}

/** The variables that a statement binds, given those that are bound. */
function outputs(expr: Expr, safe: Names): Set<string> {
  const found = new Set<string>();
  if (expr.negated) return found;
  for (const w of expr.with) {
    const needs = new Set<string>();
    for (const a of w.target.args) addVars(a, needs, false);
    // A function's name is no variable.
    if (w.value.kind === "Ref") for (const a of w.value.args) addVars(a, needs, false);
    else addVars(w.value, needs, false);
    if (!isSubset(needs, safe)) return found;
  }
  const { body } = expr;
  if (body.kind === "SomeDecl" || body.kind === "Not" || body.kind === "Logical") return found;
  if (body.kind === "Every") addRefOutputs(body.domain, safe, found);
  else if (isCallOf(body, "eq")) {
    const call = callOfEquality(body);
    // An equation has no value.
    if (call) return isCallOf(call.call, "eq") ? found : callOutputs(call.result, call.call, safe);
    addRefOutputs(body, safe, found);
    if (body.args.length !== 2) return found;
    const refs = new Set(found);
    const assigned = new Set<string>();
    // What another statement says of an assigned name gives the right side nothing.
    if (body.infix === ":=") addVars(body.args[0] as Term, assigned, false);
    const known = { has: (v: string) => (safe.has(v) && !assigned.has(v)) || refs.has(v) };
    for (const v of unifiedVars(known, body.args[0] as Term, body.args[1] as Term)) found.add(v);
  } else addRefOutputs(body, safe, found);
  return found;
}

/** A call binds its result once its arguments are bound; references in them bind theirs as well. */
function callOutputs(result: Term, call: Call, safe: Names): Set<string> {
  const found = new Set<string>();
  addRefOutputs(call, safe, found);
  addRefOutputs(result, safe, found);
  const needs = new Set<string>();
  for (const a of call.args) patternVars(a, needs, false);
  for (const v of needs) if (!found.has(v) && !safe.has(v)) return new Set();
  patternVars(result, found, false);
  return found;
}

const NONE: ReadonlySet<string> = new Set();

interface Statement {
  readonly expr: Expr;
  /** The variables of its level. */
  readonly vars: ReadonlySet<string>;
  /** The variables of the body's level that its closures use. */
  readonly captured: ReadonlySet<string>;
}

/** A variable without a value, and where it is needed first. */
interface Unsafe {
  readonly name: string;
  readonly span: Span;
}

function closureVars(closure: Closure, into: Set<string>): void {
  for (const t of closure.terms) addVars(t, into, true);
  for (const e of closure.body) addExprVars(e, into, true);
}

export class SafetyChecker {
  private readonly found: Unsafe[] = [];
  /** Variables that only a template string names. */
  private readonly undeclared: Unsafe[] = [];
  /** Variables that an unsafe statement would assign: another variable is why they have no value. */
  private readonly assigned = new Set<string>();
  private readonly hasClosures: boolean;

  /** `closures` says whether there may be any in what is ordered. */
  constructor(closures: boolean) {
    this.hasClosures = closures;
  }

  /** Orders a body whose surroundings bind `outer`. */
  body(body: Body, outer: ReadonlySet<string>): Body {
    const safe = new Set(outer);
    const ordered: Statement[] = [];
    let rest: Statement[] = [];
    // Most statements stand where they can be evaluated.
    for (const s of this.statements(body, outer)) {
      const bound = this.ready(s, safe);
      if (!bound) rest.push(s);
      else {
        ordered.push(s);
        for (const v of bound) safe.add(v);
      }
    }
    if (rest.length > 0) rest = this.later(rest, safe, ordered);
    for (const s of rest) this.reportUnsafe(s, safe);
    return [...this.withClosures(ordered, outer), ...rest.map((s) => s.expr)];
  }

  /** Moves what can be evaluated from `waiting` to `ordered`, over and over; gives back the others. */
  private later(waiting: readonly Statement[], safe: Set<string>, ordered: Statement[]): Statement[] {
    const mentions = new Map<string, Statement[]>();
    for (const s of waiting) {
      for (const v of new Set([...s.vars, ...s.captured])) mentions.set(v, [...(mentions.get(v) ?? []), s]);
    }
    // Only statements that the new variables may have made ready are looked at again.
    const open = new Set(waiting);
    let rest = [...waiting];
    for (let progress = true; progress && rest.length > 0; ) {
      const left: Statement[] = [];
      for (const s of rest) {
        const bound = open.delete(s) ? this.ready(s, safe) : undefined;
        if (!bound) {
          left.push(s);
          continue;
        }
        ordered.push(s);
        for (const v of bound) {
          if (safe.has(v)) continue;
          safe.add(v);
          for (const other of mentions.get(v) ?? []) open.add(other);
        }
      }
      progress = left.length < rest.length;
      rest = left;
    }
    return rest;
  }

  /** The statements, with the bodies of their closures ordered. */
  private withClosures(ordered: readonly Statement[], outer: ReadonlySet<string>): Expr[] {
    if (!this.hasClosures) return ordered.map((s) => s.expr);
    const inner = new Set(outer);
    return ordered.map(({ expr, vars }) => {
      const result = this.closures(expr, inner);
      for (const v of vars) inner.add(v);
      return result;
    });
  }

  /** What a statement binds, once it can be evaluated. */
  private ready(s: Statement, safe: Names): ReadonlySet<string> | undefined {
    // INVARIANT: closures see variables that were bound before their statement, never those that it binds itself.
    if (!isSubset(s.captured, safe) || this.isClosedOverItself(s, safe)) return undefined;
    // It binds variables of its own level only.
    if (isSubset(s.vars, safe)) return NONE;
    const bound = outputs(s.expr, safe);
    for (const v of s.vars) if (!safe.has(v) && !bound.has(v)) return undefined;
    return bound;
  }

  /** A call or reference whose closures use what its references look up, and nothing else: OPA never finds an order for it. */
  private isClosedOverItself({ expr, captured }: Statement, safe: Names): boolean {
    if (captured.size === 0) return false;
    if (isCallOf(expr.body, "eq") && callOfEquality(expr.body) === undefined) return false;
    const looked = outputs(expr, safe);
    return looked.size === captured.size && isSubset(captured, looked);
  }

  private statements(body: Body, outer: ReadonlySet<string>): Statement[] {
    const level = new Set<string>();
    const parts = body.map((expr) => {
      const vars = new Set<string>();
      addLevelVars(expr, vars);
      for (const v of vars) level.add(v);
      return { expr, vars };
    });
    if (!this.hasClosures) return parts.map(({ expr, vars }) => ({ expr, vars, captured: NONE }));
    return parts.map(({ expr, vars }) => {
      const inside = new Set<string>();
      eachClosure(expr, (c) => closureVars(c, inside));
      const captured = new Set([...inside].filter((v) => level.has(v) && !outer.has(v)));
      return { expr, vars, captured };
    });
  }

  private reportUnsafe(s: Statement, safe: Names): void {
    const bound = outputs(s.expr, safe);
    for (const name of s.vars) if (!safe.has(name) && !bound.has(name)) this.found.push({ name, span: s.expr.span });
    const itself = this.isClosedOverItself(s, safe);
    for (const name of s.captured) if (itself || !safe.has(name)) this.found.push({ name, span: s.expr.span });
    const { body } = s.expr;
    if (isCallOf(body, "eq") && body.infix === ":=") addVars(body.args[0] as Term, this.assigned, false);
  }

  /** Orders the bodies of a statement's closures. */
  private closures(expr: Expr, outer: ReadonlySet<string>): Expr {
    if (expr.body.kind === "Every") {
      const { key, value, body } = expr.body;
      const own = new Set(outer).add(value.name);
      if (key) own.add(key.name);
      return { ...expr, body: { ...expr.body, body: this.body(body, own) } };
    }
    if (expr.body.kind === "Not") return { ...expr, body: { ...expr.body, body: this.body(expr.body.body, outer) } };
    if (expr.body.kind === "Logical") {
      const left = this.body(expr.body.left, outer);
      return { ...expr, body: { ...expr.body, left, right: this.body(expr.body.right, outer) } };
    }
    let found = false;
    eachClosure(expr, () => {
      found = true;
    });
    if (!found) return expr;
    const mapper: Mapper = {
      term: (t) => {
        if (t.kind === "TemplateString") this.checkParts(t, outer);
        if (!isComprehension(t)) return mapChildren(t, mapper);
        const body = this.body(t.body, outer);
        this.checkTerms(t.kind === "ObjectComprehension" ? [t.key, t.value] : [t.term], t.body, outer, expr.span);
        return { ...t, body };
      },
      body: (b) => b,
    };
    return mapChildren(expr, mapper);
  }

  /** The term of a comprehension needs variables of its body or from outside. */
  private checkTerms(terms: readonly Term[], body: Body, outer: ReadonlySet<string>, at: Span): void {
    const level = new Set<string>();
    for (const e of body) addLevelVars(e, level);
    const needs = new Set<string>();
    for (const t of terms) addVars(t, needs, true);
    for (const name of needs) if (!level.has(name) && !outer.has(name)) this.found.push({ name, span: at });
  }

  /** A part shows what is bound around its template: it binds no variable, whose values would be several. */
  private checkParts({ parts }: TemplateString, outer: ReadonlySet<string>): void {
    for (const part of parts) {
      if (typeof part === "string" || part.body.kind !== "SetComprehension") continue;
      const shown = new Set<string>();
      for (const e of part.body.body) addLevelVars(e, shown);
      for (const name of shown)
        if (!isGenerated(name) && !outer.has(name)) this.undeclared.push({ name, span: part.span });
    }
  }

  /** A variable of a part of the head. */
  headVar(name: string, part: Term): void {
    let { span } = part;
    walkLevel(part, (t) => {
      if (t.kind === "Var" && t.name === name) ({ span } = t);
      return true;
    });
    this.found.push({ name, span });
  }

  /**
   * Reports each unsafe variable once, where it is first needed, but not those that are unsafe only because of another. If
   * only generated names are unsafe, reports the expression.
   */
  finish(scope: () => string, suggestions: () => Iterable<string>, out: Diagnostic[]): boolean {
    for (const { name, span } of this.undeclared)
      out.push(analyzeDiagnostic("analyze/undeclared-var", { name: originalName(name) }, span));
    if (this.found.length === 0) return this.undeclared.length > 0;
    const first = new Map<string, Span>();
    for (const { name, span } of this.found) {
      const before = first.get(name);
      if (!before || span.start < before.start) first.set(name, span);
    }
    const all = [...first].filter(([name]) => !isGenerated(name));
    const causes = all.filter(([name]) => !this.assigned.has(name));
    const written = causes.length > 0 ? causes : all;
    for (const [local, span] of written) {
      const name = originalName(local);
      const isTold = name === "_" || out.length >= MAX_SUGGESTED;
      const near = isTold ? undefined : nearest(name, suggestions());
      const help = comparedHint(span, name);
      const hint = near ? meaning(near) : help === undefined ? {} : { help };
      out.push(analyzeDiagnostic("analyze/unsafe-var", { name, scope: scope() }, span, hint));
    }
    if (written.length === 0) {
      const places = new Map([...first.values()].map((span) => [span.start, span]));
      for (const span of places.values())
        out.push(analyzeDiagnostic("analyze/unsafe-expression", { scope: scope() }, span));
    }
    return true;
  }
}

/** The variables of a statement at its level, with those that operands without braces need; function names do not count. */
function addLevelVars(expr: Expr, into: Set<string>): void {
  const add = (term: Term): void => addVars(term, into, false);
  const { body } = expr;
  if (body.kind === "Every") add(body.domain);
  else if (isTerm(body)) add(body);
  for (const operand of operandsOf(body)) {
    const needs = new Set<string>();
    for (const e of operand) addLevelVars(e, needs);
    // Generated names are bound inside: no author wrote them outside.
    for (const name of needs) if (!isGenerated(name)) into.add(name);
  }
  for (const w of expr.with) {
    for (const a of w.target.args) add(a);
    if (w.value.kind === "Ref") for (const a of w.value.args) add(a);
    else add(w.value);
  }
}

/** What findings say of names: in which rule one is, and which others its author may have meant. */
interface Surroundings {
  readonly scopeOf: (rule: WorkRule) => string;
  readonly namesFor: (rule: WorkRule) => Iterable<string>;
}

/** Orders the bodies of a rule. */
export function checkRuleSafety(rule: WorkRule, around: Surroundings, out: Diagnostic[]): void {
  const args = new Set<string>(RESERVED);
  for (const a of rule.args ?? []) addVars(a, args, true);
  for (const [i, branch] of rule.branches.entries()) {
    const checker = new SafetyChecker(rule.closures);
    const level = new Set(args);
    for (const e of branch.body) addLevelVars(e, level);
    const keys = i === 0 ? [...rule.keys, ...(rule.key ? [rule.key] : [])] : [];
    for (const part of branch.value ? [branch.value, ...keys] : keys) {
      const needs = new Set<string>();
      addVars(part, needs, true);
      for (const name of needs) if (!level.has(name)) checker.headVar(name, part);
    }
    branch.body = checker.body(branch.body, args);
    const names = (): Iterable<string> => [
      ...around.namesFor(rule),
      ...[...level].map(originalName).filter((n) => n !== "" && n !== "_"),
    ];
    if (checker.finish(() => around.scopeOf(rule), names, out)) rule.broken = true;
  }
}

export function checkQuerySafety(query: WorkQuery, out: Diagnostic[]): void {
  const checker = new SafetyChecker(true);
  query.body = checker.body(query.body, new Set(RESERVED));
  if (
    checker.finish(
      () => "",
      () => [],
      out,
    )
  )
    query.broken = true;
}

/** A comparison at the beginning of a line may have been meant to give the name its value. */
function comparedHint({ file, start }: Span, name: string): string | undefined {
  const line = file.lineText(file.positionAt(start).line).trimStart();
  return line.startsWith(name) && /^\s*==/.test(line.slice(name.length))
    ? `\`${name} := …\` gives it a value`
    : undefined;
}
