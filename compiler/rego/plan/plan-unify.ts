/**
 * `a = b`: binds an unbound side, compares bound ones. Both sides may be patterns; pairs of their parts wait until one
 * side of each has a value. https://www.openpolicyagent.org/docs/policy-language#unification-
 */

import { assert, InternalError } from "../diagnostics/index.ts";
import { type ArrayTerm, isConstant, isScalar, type ObjectTerm, type Term, termKey } from "../syntax/index.ts";
import { bool, local, type Operand } from "./ir.ts";
import { planTerm } from "./plan-term.ts";
import type { Scope } from "./scope.ts";
import { addUnbound, hasUnbound, isEvaluable } from "./terms.ts";

/** A part of an equation: still a term, or a value at hand. */
export type Side = { readonly term: Term } | { readonly op: Operand };

type Pair = readonly [Side, Side];

export function unify(scope: Scope, a: Side, b: Side): void {
  const queue: Pair[] = [[a, b]];
  let waiting = 0;
  for (let pair = queue.shift(); pair !== undefined; pair = queue.shift()) {
    if (step(scope, pair[0], pair[1], queue)) {
      waiting = 0;
      continue;
    }
    queue.push(pair);
    waiting++;
    if (waiting < queue.length) continue;
    // `[v.a, xs[v]]`: `v.a` is evaluated first, when `v` has no value yet. It is undefined then, as it is to OPA.
    never(scope, ...queue.flat());
    return;
  }
}

/** Deals with one pair; false when it has to wait for others. */
function step(scope: Scope, a: Side, b: Side, queue: Pair[]): boolean {
  const x = unboundVar(scope, a);
  const y = unboundVar(scope, b);
  if (x !== undefined && x === y) return queue.length === 0 ? unbindable(x) : true;
  if (x !== undefined && canEvaluate(scope, b)) {
    return bindTo(scope, x, evaluate(scope, b));
  }
  if (y !== undefined && canEvaluate(scope, a)) {
    return bindTo(scope, y, evaluate(scope, a));
  }
  if (x !== undefined || y !== undefined) return false;
  if ("term" in a && "term" in b && literals(scope, a.term, b.term, queue)) return true;
  if ("term" in a && isPattern(scope, a.term) && canEvaluate(scope, b)) return destructure(scope, a.term, b, queue);
  if ("term" in b && isPattern(scope, b.term) && canEvaluate(scope, a)) return destructure(scope, b.term, a, queue);
  if (canEvaluate(scope, a) && canEvaluate(scope, b)) {
    scope.emitter.emit({ kind: "EqualStmt", a: evaluate(scope, a), b: evaluate(scope, b) });
    return true;
  }
  return never(scope, a, b);
}

/** Evaluating the value may have bound the variable: `x = xs[x]`. */
function bindTo(scope: Scope, name: string, value: Operand): true {
  if (scope.isBound(name)) scope.emitter.emit({ kind: "EqualStmt", a: scope.variable(name), b: value });
  else scope.bind(name, value);
  return true;
}

function unbindable(name: string): never {
  throw new InternalError(`variable ${name} equals only itself`);
}

function unboundVar(scope: Scope, side: Side): string | undefined {
  return "term" in side && side.term.kind === "Var" && !scope.isBound(side.term.name) ? side.term.name : undefined;
}

const canEvaluate = (scope: Scope, side: Side): boolean => "op" in side || isEvaluable(scope, side.term);

const evaluate = (scope: Scope, side: Side): Operand => ("op" in side ? side.op : planTerm(scope, side.term));

/** Arrays and objects to take apart: those that bind something, or are not constants. */
function isPattern(scope: Scope, term: Term): term is ArrayTerm | ObjectTerm {
  if (term.kind !== "Array" && term.kind !== "Object") return false;
  if (isConstant(term)) return false;
  if (term.kind === "Array") return true;
  // Computed keys may turn out equal; such an object has to be built to know its size.
  return hasUnbound(scope, term) || (term.entries.every(([key]) => isScalar(key)) && distinctKeys(term));
}

function distinctKeys(term: ObjectTerm): boolean {
  return new Set(term.entries.map(([key]) => termKey(key))).size === term.entries.length;
}

/** Two literals: part by part, without building either. */
function literals(scope: Scope, a: Term, b: Term, queue: Pair[]): boolean {
  if (a.kind === "Array" && b.kind === "Array") {
    if (a.items.length !== b.items.length) return never(scope, { term: a }, { term: b });
    a.items.forEach((item, i) => {
      queue.push([{ term: item }, { term: b.items[i] as Term }]);
    });
    return true;
  }
  if (a.kind !== "Object" || b.kind !== "Object" || isEvaluable(scope, a) || isEvaluable(scope, b)) return false;
  const other = new Map(b.entries.map(([k, v]) => [termKey(k), v]));
  const isSame = a.entries.length === b.entries.length && a.entries.every(([k]) => other.has(termKey(k)));
  if (!isSame) {
    // Safety has seen to it that keys which are written differently are constants, and so differ.
    assert(
      [...a.entries, ...b.entries].every(([k]) => isConstant(k)),
      "keys of unified objects are known",
    );
    return never(scope, { term: a }, { term: b });
  }
  for (const [k, v] of a.entries) queue.push([{ term: v }, { term: other.get(termKey(k)) as Term }]);
  return true;
}

function destructure(scope: Scope, pattern: ArrayTerm | ObjectTerm, side: Side, queue: Pair[]): boolean {
  const { emitter } = scope;
  const isOpen = pattern.kind === "Object" && pattern.entries.some(([key]) => !isEvaluable(scope, key));
  // A key gets no value from the object; OPA finds none under one that has no value yet, as in `[{k: 1}, k]`.
  if (isOpen || ("term" in side && isOtherKind(pattern, side.term))) return never(scope, { term: pattern }, side);
  const source = evaluate(scope, side);
  emitter.emit(pattern.kind === "Array" ? { kind: "IsArrayStmt", source } : { kind: "IsObjectStmt", source });
  const parts: readonly (readonly [Operand | Term, Term])[] =
    pattern.kind === "Array" ? pattern.items.map((item, i) => [integer(scope, i), item]) : pattern.entries;
  const length = emitter.local();
  emitter.emit({ kind: "LenStmt", source, target: length });
  emitter.emit({ kind: "EqualStmt", a: local(length), b: integer(scope, parts.length) });
  for (const [key, part] of parts) {
    const at = "span" in key ? planTerm(scope, key as Term) : (key as Operand);
    queue.push([{ term: part }, { op: emitter.dot(source, at) }]);
  }
  return true;
}

/** Whether a literal can never equal the pattern. */
function isOtherKind(pattern: Term, term: Term): boolean {
  return (
    (isScalar(term) || term.kind === "Array" || term.kind === "Object" || term.kind === "Set") &&
    term.kind !== pattern.kind
  );
}

function integer(scope: Scope, value: number): Operand {
  const target = scope.emitter.local();
  scope.emitter.emit({ kind: "MakeNumberIntStmt", value, target });
  return local(target);
}

/** The two can never be equal. The rest is planned all the same, so its variables need some value. */
function never(scope: Scope, ...sides: readonly Side[]): true {
  scope.emitter.fail();
  const names = new Set<string>();
  for (const side of sides) if ("term" in side) addUnbound(scope, side.term, names);
  for (const name of names) scope.bind(name, bool(false));
  return true;
}
