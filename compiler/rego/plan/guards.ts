/**
 * Guards: the demands of a definition on one place of the input, or on an argument, before anything else is evaluated. The
 * place equals one of some constants, or is a text that begins with one of some prefixes.
 *
 * INVARIANT: where a guard does not hold, the definition has no value, and evaluating it has no effect but the time it takes.
 * So guards are looked for among the statements at the beginning of a body that can only fail: a rule, a host's builtin or
 * a `with` in front of one may end the whole evaluation, and has to be met.
 */

import type { RuleGroup } from "../analyze/index.ts";
import {
  type Body,
  type Call,
  type Expr,
  isScalar,
  type Rule,
  type Scalar,
  scalarValue,
  type Term,
} from "../syntax/index.ts";
import type { Value } from "../value/index.ts";
import type { Context } from "./context.ts";

/** A path into the input, or into the argument of this number. */
export interface Place {
  readonly root: "input" | number;
  readonly path: readonly Scalar[];
  /** Equal for equal places. */
  readonly name: string;
}

export type Guard =
  | { readonly kind: "equal"; readonly place: Place; readonly values: readonly Value[] }
  | { readonly kind: "prefix"; readonly place: Place; readonly prefixes: readonly string[] };

/** By the kind and name of their places. */
export type Guards = ReadonlyMap<string, Guard>;

/** Native builtins without any effect, whose result depends on their arguments alone. */
const PURE =
  /^(eq|equal|neq|lt|lte|gt|gte|internal\.member_[23]|startswith|endswith|contains|glob\.match|lower|upper|count|is_[a-z]+)$/;

/** The guards that each branch of a definition has: its value is that of one of them. */
export function guardsOf(context: Context, rule: Rule): Guards {
  return common(branchesOf(rule).map((branch) => branchGuards(context, rule, branch)));
}

/** The guards that every definition of a rule has. One that is never undefined, or has arguments, has none. */
export function groupGuards(context: Context, { kind, definitions, defaultRule }: RuleGroup): Guards {
  if (kind !== "complete" || defaultRule !== undefined) return new Map();
  return common(definitions.map(({ rule }) => guardsOf(context, rule)));
}

function common([first, ...others]: readonly Guards[]): Guards {
  const all = new Map(first);
  for (const own of others) {
    for (const [name, guard] of all) {
      const other = own.get(name);
      if (other === undefined) all.delete(name);
      else all.set(name, either(guard, other));
    }
  }
  return all;
}

export function branchesOf(rule: Rule): Rule[] {
  const branches: Rule[] = [];
  for (let branch: Rule | undefined = rule; branch !== undefined; branch = branch.else) branches.push(branch);
  return branches;
}

function either(a: Guard, b: Guard): Guard {
  if (a.kind === "equal" && b.kind === "equal") return { ...a, values: [...a.values, ...b.values] };
  if (a.kind === "prefix" && b.kind === "prefix") return { ...a, prefixes: [...a.prefixes, ...b.prefixes] };
  return a;
}

/** The guards of one branch; its arguments are those of the whole definition. */
export function branchGuards(context: Context, rule: Rule, branch: Rule): Map<string, Guard> {
  const finder = new Finder(context);
  rule.head.args?.forEach((arg, i) => {
    finder.argument(arg, i);
  });
  finder.body(branch.body);
  return finder.guards;
}

class Finder {
  readonly guards = new Map<string, Guard>();
  private readonly context: Context;
  /** What variables stand for. All statements of a body hold together, so an equation counts wherever it stands. */
  private readonly places = new Map<string, Place>();

  constructor(context: Context) {
    this.context = context;
  }

  argument(arg: Term, index: number): void {
    const at = place(index, []);
    if (arg.kind === "Var") this.places.set(arg.name, at);
    else if (isScalar(arg)) this.equal(at, [scalarValue(arg)]);
  }

  body(body: Body): void {
    const pure = body.slice(0, firstImpure(this.context, body));
    for (const expr of pure) this.alias(expr);
    for (const expr of pure) this.guard(expr);
  }

  private alias({ body }: Expr): void {
    if (body.kind !== "Call" || operatorOf(body) !== "eq") return;
    const [a, b] = body.args as readonly [Term, Term];
    for (const [variable, term] of [
      [a, b],
      [b, a],
    ] as const) {
      const at = this.placeOf(term);
      if (variable.kind === "Var" && variable.name !== "input" && at !== undefined && !this.places.has(variable.name))
        this.places.set(variable.name, at);
    }
  }

  private guard({ body }: Expr): void {
    if (body.kind !== "Call") return;
    const [a, b, c] = body.args as readonly (Term | undefined)[];
    const name = operatorOf(body);
    if (a === undefined || b === undefined) return;
    if (name === "eq" || name === "equal") {
      if (isScalar(b)) this.equal(this.placeOf(a), [scalarValue(b)]);
      if (isScalar(a)) this.equal(this.placeOf(b), [scalarValue(a)]);
    } else if (name === "internal.member_2") {
      const members = scalarsIn(b);
      if (members !== undefined) this.equal(this.placeOf(a), members);
    } else if (name === "startswith" && b.kind === "String") {
      this.prefix(this.placeOf(a), b.value);
    } else if (name === "glob.match" && a.kind === "String" && c !== undefined) {
      this.prefix(this.placeOf(c), (/^[^*?[\]{}\\]*/.exec(a.value) as RegExpExecArray)[0]);
    }
  }

  private equal(at: Place | undefined, values: readonly Value[]): void {
    if (at !== undefined) this.add({ kind: "equal", place: at, values });
  }

  private prefix(at: Place | undefined, prefix: string): void {
    if (at !== undefined && prefix !== "") this.add({ kind: "prefix", place: at, prefixes: [prefix] });
  }

  /** Keeps one guard per place: the one that matches fewer values. */
  private add(guard: Guard): void {
    const name = `${guard.kind} ${guard.place.name}`;
    const known = this.guards.get(name);
    if (known === undefined || sizeOf(guard) < sizeOf(known)) this.guards.set(name, guard);
  }

  private placeOf(term: Term): Place | undefined {
    if (term.kind === "Var") return term.name === "input" ? place("input", []) : this.places.get(term.name);
    if (term.kind !== "Ref" || !term.args.every(isScalar)) return undefined;
    const head = this.placeOf(term.head);
    return head === undefined ? undefined : place(head.root, [...head.path, ...term.args]);
  }
}

function sizeOf(guard: Guard): number {
  return guard.kind === "equal" ? guard.values.length : -Math.max(...guard.prefixes.map((p) => p.length));
}

function place(root: Place["root"], path: readonly Scalar[]): Place {
  return { root, path, name: JSON.stringify([root, ...path.map(scalarValue)]) };
}

/** The members of a set or an array of scalars. */
function scalarsIn(term: Term): readonly Value[] | undefined {
  if (term.kind === "Set" || term.kind === "Array")
    return term.items.every(isScalar) ? term.items.map(scalarValue) : undefined;
  if (term.kind !== "Constant" || (term.value.kind !== "set" && term.value.kind !== "array")) return undefined;
  return term.value.items.every((v) => v.kind !== "array" && v.kind !== "object" && v.kind !== "set")
    ? term.value.items
    : undefined;
}

/** The name of a builtin; functions of the policy have references. */
function operatorOf({ operator }: Call): string | undefined {
  return operator.kind === "Var" ? operator.name : undefined;
}

/** The number of the first statement that can do more than fail. */
function firstImpure(context: Context, body: Body): number {
  const at = body.findIndex((expr) => !isPure(context, expr));
  return at < 0 ? body.length : at;
}

function isPure(context: Context, { body, negated, with: modifiers }: Expr): boolean {
  if (negated || modifiers.length > 0) return false;
  if (body.kind === "SomeDecl") return true;
  return body.kind !== "Every" && body.kind !== "Not" && body.kind !== "Logical" && isPureTerm(context, body);
}

function isPureTerm(context: Context, term: Term): boolean {
  switch (term.kind) {
    case "Null":
    case "Boolean":
    case "Number":
    case "String":
    case "Constant":
      return true;
    case "Var":
      return term.name !== "data";
    case "Ref":
      return isPureTerm(context, term.head) && term.args.every((a) => isPureTerm(context, a));
    case "Array":
    case "Set":
      return term.items.every((t) => isPureTerm(context, t));
    case "Object":
      return term.entries.every(([k, v]) => isPureTerm(context, k) && isPureTerm(context, v));
    case "Call": {
      const name = operatorOf(term);
      // A builtin that a `with` replaces is a function of the policy.
      if (name === undefined || !PURE.test(name) || context.functions.has(name)) return false;
      return term.args.every((a) => isPureTerm(context, a));
    }
    case "ArrayComprehension":
    case "SetComprehension":
    case "ObjectComprehension":
    case "TemplateString":
      return false;
  }
}
