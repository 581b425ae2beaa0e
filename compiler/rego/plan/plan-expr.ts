/** Statements of bodies: tests, equations, `not`, `and`, `or`, `every`. A statement that is not so ends the block it is in. */

import { InternalError } from "../diagnostics/index.ts";
import type { Body, Call, Every, Expr, Logical } from "../syntax/index.ts";
import type { Cursor } from "./emitter.ts";
import { bool, local, type Operand } from "./ir.ts";
import { planTerm } from "./plan-term.ts";
import { unify } from "./plan-unify.ts";
import { planWith } from "./plan-with.ts";
import type { Scope } from "./scope.ts";

export function planBody(scope: Scope, body: Body): void {
  for (const expr of body) planExpr(scope, expr);
}

export function planExpr(scope: Scope, expr: Expr): void {
  const before = scope.emitter.at;
  scope.emitter.at = expr.span;
  if (expr.with.length > 0) planWith(scope, expr);
  else planStatement(scope, expr);
  scope.emitter.at = before;
}

/** A statement whose `with` is dealt with. */
export function planStatement(scope: Scope, expr: Expr): void {
  if (expr.negated) planNot(scope, () => planPositive(scope, expr));
  else planPositive(scope, expr);
}

function planPositive(scope: Scope, expr: Expr): void {
  const { body } = expr;
  if (body.kind === "SomeDecl") throw new InternalError("`some` is rewritten by analysis");
  if (body.kind === "Every") planEvery(scope, body);
  else if (body.kind === "Not") planNot(scope, () => planBody(scope, body.body));
  else if (body.kind === "Logical") planLogical(scope, body);
  else if (body.kind === "Call") planCallStatement(scope, body);
  else if (body.kind !== "Boolean") holds(scope, planTerm(scope, body));
  else if (!body.value) scope.emitter.fail();
}

function planLogical(scope: Scope, { operator, left, right }: Logical): void {
  if (operator === "or") planOr(scope, [left, right]);
  else for (const operand of [left, right]) planOnce(scope, operand);
}

/** Anything but undefined and false holds. */
function holds(scope: Scope, value: Operand): void {
  if (value.kind === "String") return;
  scope.emitter.emit({ kind: "NotEqualStmt", a: value, b: bool(false) });
}

function planCallStatement(scope: Scope, call: Call): void {
  const name = call.operator.kind === "Var" ? call.operator.name : undefined;
  const [a, b] = call.args;
  const isReplaced = name !== undefined && scope.context.functions.has(name);
  if (a === undefined || b === undefined || isReplaced) {
    holds(scope, planTerm(scope, call));
    return;
  }
  switch (name) {
    case "eq":
    case "assign":
      unify(scope, { term: a }, { term: b });
      return;
    case "equal":
      scope.emitter.emit({ kind: "EqualStmt", a: planTerm(scope, a), b: planTerm(scope, b) });
      return;
    case "neq":
      scope.emitter.emit({ kind: "NotEqualStmt", a: planTerm(scope, a), b: planTerm(scope, b) });
      return;
    default:
      holds(scope, planTerm(scope, call));
  }
}

/**
 * A block that fails when `body` holds. Where the body iterates, the end of the block is reached whatever happens inside
 * the loop, so a local says that some element held.
 */
function planNot(scope: Scope, body: () => void): void {
  const { emitter } = scope;
  const outer = emitter.cursor;
  const inner = emitter.enter((block) => ({ kind: "NotStmt", block }));
  whetherHolds(scope, inner, body);
  emitter.cursor = outer;
}

/**
 * Plans `body` at the end of `inner` so that the end of `inner` is reached only when it holds, and once only. The cursor is
 * there afterwards. The body's variables are forgotten.
 */
function whetherHolds(scope: Scope, inner: Cursor, body: () => void): void {
  const { emitter } = scope;
  const start = inner.stmts.length;
  const found = emitter.reset();
  const attempt = emitter.enter((block) => ({ kind: "BlockStmt", blocks: [block] }));
  scope.locally(body);
  if (emitter.cursor === attempt) {
    // No loop: the block itself is the test. Breaks out of `attempt` would count one less, and nothing makes any.
    inner.stmts.splice(start, 2, ...attempt.stmts);
  } else {
    emitter.emit({ kind: "AssignVarStmt", source: bool(true), target: found });
    emitter.leave(attempt);
    emitter.cursor = inner;
    emitter.emit({ kind: "IsDefinedStmt", source: found });
  }
  emitter.cursor = inner;
}

/** Goes on, once, when `body` holds; its variables are forgotten. */
function planOnce(scope: Scope, body: Body): void {
  whetherHolds(scope, scope.emitter.cursor, () => planBody(scope, body));
}

/** Goes on, once, when one of the bodies holds; those after it are not evaluated. */
function planOr(scope: Scope, bodies: readonly Body[]): void {
  const { emitter } = scope;
  const outside = emitter.cursor;
  emitter.block((either) => {
    for (const body of bodies)
      emitter.block(() => {
        scope.locally(() => planBody(scope, body));
        emitter.leave(either);
      });
    emitter.leave(outside);
  });
}

/** `every`: there is no element for which the body fails. Undefined for a value that is not a collection. */
function planEvery(scope: Scope, every: Every): void {
  const { emitter } = scope;
  const domain = local(emitter.localOf(planTerm(scope, every.domain)));
  const outside = emitter.cursor;
  emitter.block((isCollection) => {
    for (const kind of ["IsArrayStmt", "IsObjectStmt", "IsSetStmt"] as const)
      emitter.block(() => {
        emitter.emit({ kind, source: domain });
        emitter.leave(isCollection);
      });
    emitter.leave(outside);
  });
  const missed = emitter.reset();
  emitter.block((all) => {
    const { key, value } = emitter.scan(domain);
    planNot(scope, () => {
      if (every.key !== undefined) scope.bind(every.key.name, key);
      scope.bind(every.value.name, value);
      planBody(scope, every.body);
    });
    emitter.emit({ kind: "AssignVarStmt", source: bool(true), target: missed });
    emitter.leave(all);
  });
  emitter.emit({ kind: "IsUndefinedStmt", source: missed });
}
