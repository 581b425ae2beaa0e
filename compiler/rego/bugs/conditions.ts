/** Statements that hold for every input, or for none. */

import { eachStatement, isCallOf, isGenerated, originsOf } from "../analyze/index.ts";
import { type Diagnostic, type Fix, rewriting } from "../diagnostics/index.ts";
import {
  builtin,
  type Call,
  type Expr,
  isConstant,
  isScalar,
  type Module,
  type Rule,
  type Scalar,
  type Term,
} from "../syntax/index.ts";
import { bugDiagnostic } from "./codes.ts";
import {
  branchesOf,
  type Looked,
  pathKey,
  placeKey,
  replacesData,
  shownText,
  wholePath,
  writtenStatements,
} from "./found.ts";

const COMPARISONS = ["eq", "equal", "neq", "lt", "lte", "gt", "gte"];

/** Builtins that have a result for every value of the types they take, and never `false`. */
const TOTAL = new Set([
  ...["abs", "array.concat", "array.reverse", "array.slice", "ceil", "concat", "count", "floor", "format_int"],
  ...["indexof", "intersection", "json.marshal", "lower", "minus", "mul", "numbers.range", "object.filter"],
  ...["object.keys", "object.remove", "object.union", "or", "and", "plus", "product", "replace", "round", "sort"],
  ...["split", "sprintf", "strings.reverse", "substring", "sum", "trim", "trim_left", "trim_prefix", "trim_right"],
  ...["trim_space", "trim_suffix", "type_name", "union", "upper"],
]);

/** What a value is at the top, and its place in Rego's order of all values. */
const KINDS = ["null", "boolean", "number", "string", "array", "object", "set"] as const;
type Kind = (typeof KINDS)[number];

const LITERALS: { readonly [K in Term["kind"]]?: Kind } = {
  Null: "null",
  Boolean: "boolean",
  Number: "number",
  String: "string",
  TemplateString: "string",
  Array: "array",
  ArrayComprehension: "array",
  Object: "object",
  ObjectComprehension: "object",
  Set: "set",
  SetComprehension: "set",
};

type Origin = (term: Term) => Term;

export function* checkConditions(looked: Looked): Iterable<Diagnostic> {
  for (const { module, rules } of looked.modules) {
    const objects = objectBodies(module);
    yield* objects.map(({ body }) => bugDiagnostic("bugs/if-object-literal", {}, body.span));
    const written = writtenStatements(module);
    for (const { span } of objects) written.delete(placeKey(span));
    // The body of a default binds what its value needs, and cannot fail.
    for (const { rule, definition } of rules) if (definition !== undefined) yield* ofRule(rule, written, looked);
  }
}

/** Bodies that are one object, `if { "a": b }`. */
function objectBodies({ rules }: Module): Expr[] {
  return rules.flatMap(branchesOf).flatMap(({ body }) => {
    const [only] = body;
    return body.length === 1 && only?.body.kind === "Object" && !only.negated ? [only] : [];
  });
}

function ofRule(rule: Rule, written: ReadonlySet<string>, looked: Looked): Diagnostic[] {
  const origins = originsOf(rule);
  // A variable of the author's own may have other values than the one it is compared with.
  const origin = (term: Term): Term =>
    (term.kind === "Var" && isGenerated(term.name) ? origins.get(term.name) : undefined) ?? term;
  const found: Diagnostic[] = [];
  eachStatement(rule, (expr) => {
    if (written.has(placeKey(expr.span))) found.push(...ofStatement(expr, origin, looked));
  });
  return found;
}

function* ofStatement(expr: Expr, origin: Origin, looked: Looked): Iterable<Diagnostic> {
  const { body, negated } = expr;
  if (body.kind === "SomeDecl" || body.kind === "Every" || body.kind === "Logical" || body.kind === "Not") return;
  if (body.kind === "Call") {
    if (!negated) yield* ofCall(body, expr, origin);
    return;
  }
  const term = isGeneratedVar(body) ? origin(body) : body;
  if (isGeneratedVar(term)) return;
  if (term.kind === "Boolean") {
    if (negated || !term.value) yield constant(expr, term.value === negated ? "never holds" : "always holds", "", []);
    return;
  }
  const what = alwaysDefined(term, looked, expr);
  if (what === undefined) return;
  const count = (sign: string): Fix[] =>
    isMade(what)
      ? rewriting(expr.with.length > 0 ? body.span : expr.span, `count(${shownText(body.span)}) ${sign} 0`)
      : [];
  if (negated) yield impossibleNot(expr, what, expr.with.length > 0 ? [] : count("=="));
  else yield constant(expr, "always holds", `: ${what}`, count(">"));
}

function constant(expr: Expr, holds: string, because: string, fixes: readonly Fix[]): Diagnostic {
  const params = { condition: shownText(expr.span), holds, because };
  return bugDiagnostic("bugs/constant-condition", params, expr.span, fixes.length === 0 ? {} : { fixes });
}

function impossibleNot(expr: Expr, because: string, fixes: readonly Fix[]): Diagnostic {
  const params = { condition: shownText(expr.span), because };
  return bugDiagnostic("bugs/impossible-not", params, expr.span, fixes.length === 0 ? {} : { fixes });
}

/** Whether it is a collection that rules or a comprehension make, and that may be empty. */
const isMade = (what: string): boolean => what.endsWith("when it is empty, too");

/** Why a term is neither false nor undefined; `undefined` where it may be. */
function alwaysDefined(term: Term, { partial }: Looked, expr: Expr): string | undefined {
  const path = wholePath(term);
  const made = path === undefined ? undefined : partial.get(pathKey(path));
  if (made !== undefined) return replacesData(expr) ? undefined : `the ${made} is defined when it is empty, too`;
  const kind = LITERALS[term.kind];
  if (kind === undefined) return undefined;
  if (term.kind.endsWith("Comprehension")) return `the ${kind} is defined when it is empty, too`;
  return term.kind === "TemplateString" || isConstant(term) ? `a value of type ${kind} is not false` : undefined;
}

function isGeneratedVar(term: Term): boolean {
  return term.kind === "Var" && isGenerated(term.name);
}

function* ofCall(call: Call, expr: Expr, origin: Origin): Iterable<Diagnostic> {
  const name = COMPARISONS.find((n) => isCallOf(call, n));
  if (name !== undefined && call.infix !== undefined && call.infix !== ":=") {
    const holds = comparison(name, call.args.map(origin));
    if (holds !== undefined) yield constant(expr, `${holds.always ? "always" : "never"} holds`, holds.because, []);
    return;
  }
  if (call.operator.kind !== "Var" || !TOTAL.has(call.operator.name)) return;
  const fixes = call.operator.name === "count" ? rewriting(call.span, `${shownText(call.span)} > 0`) : [];
  yield bugDiagnostic(
    "bugs/unassigned-return-value",
    { name: call.infix ?? call.operator.name },
    call.span,
    fixes.length === 0 ? {} : { fixes },
  );
}

/** What a comparison is for every input. Where the kinds of its sides differ, the order is that of the kinds. */
function comparison(name: string, sides: readonly Term[]): { always: boolean; because: string } | undefined {
  const [left, right] = sides as readonly [Term, Term];
  if (isScalar(left) && isScalar(right)) {
    const order = compare(left, right);
    return order === undefined ? undefined : { always: holdsFor(name, order), because: "" };
  }
  const [a, b] = [kindOf(left), kindOf(right)];
  // Sides of two kinds that are to be equal do not compile.
  if (a === undefined || b === undefined || a === b || name === "eq" || name === "equal") return undefined;
  const because = `: ${article(a)} is compared with ${article(b)}`;
  return { always: holdsFor(name, KINDS.indexOf(a) - KINDS.indexOf(b)), because };
}

function article(kind: Kind): string {
  return `${/^[ao]/.test(kind) ? "an" : "a"} ${kind}`;
}

function holdsFor(name: string, order: number): boolean {
  if (name === "neq") return order !== 0;
  if (name === "lt") return order < 0;
  if (name === "lte") return order <= 0;
  if (name === "gt") return order > 0;
  return name === "gte" ? order >= 0 : order === 0;
}

/** `undefined` for numbers that a float may not tell apart. */
function compare(a: Scalar, b: Scalar): number | undefined {
  const [x, y] = [LITERALS[a.kind] as Kind, LITERALS[b.kind] as Kind];
  if (x !== y) return KINDS.indexOf(x) - KINDS.indexOf(y);
  if (a.kind === "Number" && b.kind === "Number") {
    const difference = Number(a.text) - Number(b.text);
    return difference === 0 && a.text !== b.text ? undefined : difference;
  }
  if (a.kind === "String" && b.kind === "String") return a.value === b.value ? 0 : a.value < b.value ? -1 : 1;
  return a.kind === "Boolean" && b.kind === "Boolean" ? Number(a.value) - Number(b.value) : 0;
}

/** What a term is, where it says so itself or is the result of a builtin. */
function kindOf(term: Term): Kind | undefined {
  if (term.kind !== "Call") return LITERALS[term.kind];
  const kind = term.operator.kind === "Var" ? builtin(term.operator.name)?.result?.kind : undefined;
  return KINDS.find((known) => known === kind);
}
