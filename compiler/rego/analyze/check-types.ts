/**
 * Infers the type of every rule, those it depends on first, and reports what can never hold. Types are upper bounds: an
 * expression is reported only if it fails for every input.
 * https://www.openpolicyagent.org/docs/policy-language#schema
 */

import type { Diagnostic, Span } from "../diagnostics/index.ts";
import {
  type Body,
  type Builtins,
  type Call,
  type Expr,
  eachTerm,
  isScalar,
  type Ref,
  type Term,
  type With,
} from "../syntax/index.ts";
import { RefChecker } from "./check-refs.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { callOfEquality } from "./flatten.ts";
import { isGenerated } from "./names.ts";
import { operatorText, refText } from "./text.ts";
import { TypeEnv } from "./type-env.ts";
import { argumentsText, typeText } from "./type-text.ts";
import {
  ANY,
  type FunctionType,
  isAny,
  isUnknown,
  keysOf,
  NO_MEMBERS,
  objectOf,
  setOf,
  type Type,
  type Unknown,
  union,
  valuesOf,
} from "./types.ts";
import { unifies, unifyTerm, unifyTerms } from "./unify-types.ts";
import { type Comprehension, isCallOf, isComprehension, scopesOf, walkLevel } from "./walk.ts";
import type { Branch, WorkRule } from "./work.ts";

/** Types that annotations give to parts of `input` and `data`, for one rule. */
export type SchemaTypes = (
  rule: WorkRule,
) => readonly { readonly root: string; readonly path: readonly Term[]; readonly type: Type }[];

export class TypeChecker {
  readonly global: TypeEnv;
  private readonly rules: TypeEnv;
  private readonly schemas: SchemaTypes;
  /** Whether a rule may have definitions that could not be read: its document may then be anything. */
  private readonly mayHaveMore: (rule: WorkRule) => boolean;
  private readonly out: Diagnostic[];
  /** Rules with a finding of this checker's own: their other branches are checked all the same. */
  private readonly faulty = new Set<WorkRule>();

  constructor(
    inputType: Type | undefined,
    schemas: SchemaTypes,
    dependents: (replaced: Ref) => Iterable<WorkRule>,
    builtins: Builtins,
    mayHaveMore: (rule: WorkRule) => boolean,
    out: Diagnostic[],
  ) {
    const known = new Map<string, TypeEnv["roots"]>();
    this.global = new TypeEnv(undefined, {
      builtins,
      dependents: (replaced) => {
        const name = refText(replaced);
        const roots = known.get(name) ?? ofAnyType(dependents(replaced));
        known.set(name, roots);
        return roots;
      },
    });
    if (inputType) this.global.put("input", [], inputType);
    this.rules = new TypeEnv(this.global);
    this.schemas = schemas;
    this.mayHaveMore = mayHaveMore;
    this.out = out;
  }

  /** Checks one branch of a rule, and notes the rule's type for those that depend on it. */
  branch(rule: WorkRule, branch: Branch): void {
    const strings = pathTerms(rule);
    if (rule.broken && !this.faulty.has(rule)) {
      if (this.mayHaveMore(rule)) return;
      this.rules.put("data", strings, UNTOLD);
      return;
    }
    const env = new TypeEnv(this.surroundings(rule));
    const found = checkBody(env, branch.body, rule.closures);
    this.out.push(...found);
    if (this.mayHaveMore(rule)) return;
    if (found.length > 0) {
      rule.broken = true;
      this.faulty.add(rule);
    }
    const ground = rule.keys.findIndex((k) => !isScalar(k));
    const fixed = ground < 0 ? rule.keys : rule.keys.slice(0, ground);
    const rest = rule.keys.slice(fixed.length);
    if (found.length > 0) {
      // A rule with a fault may have any value; that it is an object of keys is known from its name.
      this.rules.put("data", [...strings, ...rule.keys], ANY);
      return;
    }
    const type = typeOfBranch(rule, branch, env);
    const document = type && nested(env, rest, type);
    // As in OPA, a branch without a type says nothing of the rule: the others do, or else it may be anything.
    if (document) this.rules.insert([...strings, ...fixed], document);
  }

  /** What a rule sees: all rules, and what the schemas that hold for it say. */
  private surroundings(rule: WorkRule): TypeEnv {
    const schemas = this.schemas(rule);
    if (schemas.length === 0) return this.rules;
    const env = new TypeEnv(this.rules);
    for (const { root, path, type } of schemas) overrideType(env, root, path, type);
    return env;
  }

  /** Checks a query after all rules. */
  query(body: Body): boolean {
    const found = checkBody(new TypeEnv(this.rules), body, true);
    this.out.push(...found);
    return found.length === 0;
  }
}

/** What a rule has whose text has a fault before types are looked at. */
const UNTOLD: Type = { ...ANY };

function pathTerms(rule: WorkRule): Term[] {
  return rule.path.map((value) => ({ kind: "String", span: rule.source.span, value, raw: false }));
}

function ofAnyType(rules: Iterable<WorkRule>): TypeEnv["roots"] {
  const env = new TypeEnv();
  for (const rule of rules) env.put("data", pathTerms(rule), ANY);
  return env.roots;
}

function typeOfBranch(rule: WorkRule, branch: Branch, env: TypeEnv): Type | Unknown {
  if (rule.args) {
    for (const arg of rule.args) {
      walkLevel(arg, (t) => {
        if (t.kind === "Var" && !env.varType(t.name)) env.vars.set(t.name, ANY);
        return true;
      });
    }
    const result = branch.value && env.typeOf(branch.value);
    return { kind: "function", args: rule.args.map((a) => env.typeOf(a)), result: result ?? ANY, variadic: undefined };
  }
  if (rule.key) {
    const of = env.typeOf(rule.key);
    return of && setOf(of);
  }
  return branch.value && env.typeOf(branch.value);
}

/** A rule with variables in its name is an object of objects. */
function nested(env: TypeEnv, keys: readonly Term[], type: Type): Type | undefined {
  return keys.reduceRight<Type | undefined>((value, key) => {
    const keyType = env.typeOf(key);
    return value && keyType && objectOf([], { key: keyType, value });
  }, type);
}

/** Puts a schema's type where the environment may know a document around it. */
function overrideType(env: TypeEnv, root: string, path: readonly Term[], type: Type): void {
  for (let length = 0; length < path.length; length++) {
    const prefix = path.slice(0, length);
    const known = env.typeOfRef(root, prefix);
    if (known?.kind === "object") {
      env.put(root, prefix, replaceAt(known, path.slice(length), type));
      return;
    }
  }
  env.put(root, path, type);
}

function replaceAt(object: Type | Unknown, path: readonly Term[], type: Type): Type {
  const [key, ...others] = path;
  if (key?.kind !== "String") return type;
  const known = object?.kind === "object" ? object : objectOf([], { key: ANY, value: ANY });
  const text = JSON.stringify(key.value);
  const before = known.properties.get(text);
  const property = {
    name: key.value,
    keyType: { kind: "string" } as const,
    type: replaceAt(before?.type, others, type),
  };
  return objectOf([...known.properties, [text, property]], known.rest);
}

/**
 * Checks a body from its first statement to its last, and leaves the types that it learns in `env`. `closures` says whether
 * there may be any in it.
 */
export function checkBody(env: TypeEnv, body: Body, closures: boolean, isInside = false): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const expr of body) checkStatement(env, expr, closures, isInside, found);
  return found;
}

function checkStatement(
  outer: TypeEnv,
  expr: Expr,
  hasClosures: boolean,
  isInside: boolean,
  found: Diagnostic[],
): void {
  const env = expr.with.length > 0 ? environmentUnder(outer, expr.with) : outer;
  const closures = hasClosures ? checkClosures(env, expr, isInside) : [];
  const refs = new RefChecker(env).check(expr);
  const own = checkWith(env, expr) ?? checkCall(env, expr);
  // A statement with a fault inside has no type to speak of.
  const isExplained = closures.length > 0 || refs.length > 0;
  found.push(...closures, ...refs);
  if (own && !(isExplained && own.aboutUnknown)) found.push(own.finding);
}

/** What `with` puts in the place of a document may be of another type than the document is. */
function environmentUnder(env: TypeEnv, modifiers: readonly With[]): TypeEnv {
  const { vars } = env;
  let around = env;
  const replaced: [root: string, path: readonly Term[], type: Type][] = [];
  for (const { target, value } of modifiers) {
    const root = target.head.kind === "Var" ? target.head.name : "";
    if (root !== "input" && root !== "data") continue;
    if (root === "data") around = new TypeEnv(around, { vars, roots: env.dependents(target) });
    const before = env.typeOf(target.args.length > 0 ? target : target.head);
    if (before?.kind === "function") continue;
    // What may be anything already stays so, and most inputs are large.
    const given = env.typeOf(value);
    // A value with a fault, which has no type, may be anything.
    const type = before && isAny(before) ? before : ((given && union(before, given)) ?? ANY);
    replaced.push([root, target.args, type]);
  }
  // INVARIANT: innermost, so that a replaced document has the type of its replacement, not of its rules.
  const layer = new TypeEnv(around, { vars });
  for (const [root, path, type] of replaced) layer.put(root, path, type);
  return layer;
}

function checkClosures(env: TypeEnv, expr: Expr, isInside: boolean): Diagnostic[] {
  const found: Diagnostic[] = [];
  const comprehension = (c: Comprehension): void => {
    // OPA checks those inside of it a second time, without what the statements around them say of variables. First here: the
    // types that remain are those of the other time.
    const again = isInside ? [] : c.body.flatMap((statement) => checkClosures(new TypeEnv(env), statement, true));
    const inner = new TypeEnv(env);
    const findings = checkBody(inner, c.body, true, true);
    env.closures.set(c, findings.length === 0 ? inner : undefined);
    found.push(...(findings.length === 0 ? again : findings));
  };
  const see = (term: Term): void =>
    walkLevel(term, (t) => {
      if (isComprehension(t)) comprehension(t);
      return true;
    });
  eachTerm(expr, see);
  // In other scopes only comprehensions are checked: a statement there that never holds may be meant.
  const inside = (statement: Expr): void => {
    for (const { body } of scopesOf(statement.body)) {
      for (const e of body) {
        eachTerm(e, see);
        inside(e);
      }
    }
  };
  inside(expr);
  return found;
}

interface Finding {
  readonly finding: Diagnostic;
  /** It rests on a type that is not known, so that another finding explains it. */
  readonly aboutUnknown: boolean;
}

function checkWith(env: TypeEnv, expr: Expr): Finding | undefined {
  for (const w of expr.with) {
    const target =
      w.target.args.length === 0 && w.target.head.kind === "Var"
        ? env.typeOfFunction(w.target.head)
        : env.typeOf(w.target);
    if (target?.kind !== "function" || w.value.kind !== "Ref") continue;
    const value =
      w.value.args.length === 0 && w.value.head.kind === "Var" ? env.typeOfFunction(w.value.head) : env.typeOf(w.value);
    if (value?.kind !== "function" || unifies(target, value)) continue;
    const name = operatorText(w.target.args.length === 0 && w.target.head.kind === "Var" ? w.target.head : w.target);
    const params = {
      name,
      problem: "arity mismatch",
      have: `(${argumentsText(value.args)})`,
      want: `(${argumentsText(target.args)})`,
    };
    return { finding: analyzeDiagnostic("analyze/builtin-arguments", params, w.span), aboutUnknown: false };
  }
  return undefined;
}

function checkCall(env: TypeEnv, expr: Expr): Finding | undefined {
  const { body } = expr;
  if (body.kind !== "Call") return undefined;
  const bound = callOfEquality(body);
  if (bound) {
    const { call, result } = bound;
    return checkMembership(env, call, call.span) ?? checkArguments(env, call, result, call.span);
  }
  if (isCallOf(body, "eq") && body.args.length === 2) return checkEquality(env, body, expr);
  return checkMembership(env, body, expr.span) ?? checkArguments(env, body, undefined, expr.span);
}

/** `x in xs` is no error where xs cannot hold x, but it can never be true. */
function checkMembership(env: TypeEnv, { operator, args }: Call, span: Span): Finding | undefined {
  const name = operator.kind === "Var" ? operator.name : "";
  const arity = name === "internal.member_2" ? 2 : name === "internal.member_3" ? 3 : 0;
  if (arity === 0 || args.length < arity) return undefined;
  const collection = env.typeOf(args[arity - 1] as Term);
  const values = valuesOf(collection);
  if (values === undefined) return undefined;
  const key = arity === 3 ? checkMember(env, args[0] as Term, keysOf(collection), span) : undefined;
  return key ?? checkMember(env, args[arity - 2] as Term, values, span);
}

function checkMember(env: TypeEnv, term: Term, of: Type | Unknown, span: Span): Finding | undefined {
  if (isUnknown(of)) return undefined;
  const have = env.typeOf(term);
  if ((isUnknown(have) || unifies(have, of)) && unifyTerm(env, term, of)) return undefined;
  const params = { left: typeText(have), right: typeText(of) };
  return { finding: analyzeDiagnostic("analyze/match-error", params, span), aboutUnknown: have === undefined };
}

function checkEquality(env: TypeEnv, call: Call, expr: Expr): Finding | undefined {
  const [a, b] = call.args as readonly [Term, Term];
  // A scalar that rewriting gave a name stands where a collection is looked into (`some k, v in true`). Nothing is found
  // there, and it is no error.
  if (a.kind === "Var" && isGenerated(a.name) && isScalar(b) && !env.varType(a.name)) {
    env.vars.set(a.name, NO_MEMBERS);
    return undefined;
  }
  const left = env.typeOf(a);
  const right = env.typeOf(b);
  if (unifyTerms(env, a, b, left, right)) return undefined;
  const params = { left: typeText(left), right: typeText(right) };
  return {
    finding: analyzeDiagnostic("analyze/match-error", params, expr.span),
    aboutUnknown: left === undefined || right === undefined,
  };
}

/** What may be anything may be called, as in OPA: a function with a fault in it, and a document that follows from the input. */
function checkCalledDocument(type: Type | Unknown, { operator }: Call, span: Span): Finding | undefined {
  if (operator.kind === "Var" || isAny(type)) return undefined;
  const finding = analyzeDiagnostic("analyze/undefined-function", { name: operatorText(operator) }, span);
  return { finding, aboutUnknown: false };
}

function checkArguments(env: TypeEnv, call: Call, result: Term | undefined, span: Span): Finding | undefined {
  const signature = env.typeOfFunction(call.operator);
  if (signature?.kind !== "function") {
    const finding = checkCalledDocument(signature, call, span);
    // What a rule gives that could not be read may be anything: nothing that follows from it is a finding.
    if (signature === UNTOLD && result !== undefined) unifyTerm(env, result, ANY);
    return finding;
  }
  const given = result ? [...call.args, result] : call.args;
  const wanted = (i: number): Type | Unknown =>
    i < signature.args.length ? signature.args[i] : (signature.variadic ?? signature.result);
  const before = given.map((arg) => env.typeOf(arg));
  const fits = (arg: Term, i: number): boolean =>
    (isUnknown(before[i]) || unifies(before[i], wanted(i))) && unifyTerm(env, arg, wanted(i));
  const bad = given.findIndex((arg, i) => !fits(arg, i));
  if (bad < 0) return undefined;
  const have = given.map((a) => env.typeOf(a));
  const aboutResult = bad >= call.args.length;
  const shown = aboutResult ? have : have.slice(0, call.args.length);
  const want = aboutResult ? [...signature.args, signature.result] : signature.args;
  const params = {
    name: operatorText(call.operator),
    problem: "invalid argument(s)",
    have: `(${argumentsText(shown)})`,
    want: `(${argumentsText(want, (signature as FunctionType).variadic)})`,
  };
  return {
    finding: analyzeDiagnostic("analyze/builtin-arguments", params, span),
    aboutUnknown: have[bad] === undefined,
  };
}
