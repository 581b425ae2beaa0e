/**
 * `expr with target as value`. The statement runs inside WithStmts; the rest of the body must not, so its solutions are
 * carried out: as locals when there is at most one, as a list when it iterates.
 */

import { assert } from "../diagnostics/index.ts";
import { type Expr, isTerm, type Ref, type With } from "../syntax/index.ts";
import { type Override, REPLACEMENTS, type Replacement } from "./context.ts";
import { nodeAt, pathText } from "./documents.ts";
import type { Cursor } from "./emitter.ts";
import { bool, DATA, INPUT, type Local, local, type Operand } from "./ir.ts";
import { functionPath } from "./plan-call.ts";
import { planStatement } from "./plan-expr.ts";
import { planTerm } from "./plan-term.ts";
import { unpack } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { addUnbound } from "./terms.ts";

/** One `with`: a change of a value, of plans, or of both. */
interface Change {
  readonly local: Local;
  readonly path: readonly string[];
  readonly value: Operand | undefined;
  readonly override: Override;
}

export function planWith(scope: Scope, expr: Expr): void {
  const { emitter } = scope;
  // All values are those of outside, whatever the ones before them change.
  const changes = expr.with.map((w) => planChange(scope, w));
  const names = new Set<string>();
  if (isTerm(expr.body) && !expr.negated) addUnbound(scope, expr.body, names);
  const kept = keepReplacements(scope, changes);
  const rows = emitter.local();
  const start = emitter.cursor.stmts.length;
  emitter.emit({ kind: "MakeArrayStmt", capacity: 0, target: rows });
  const outer = emitter.cursor;
  const context = scope.context;
  for (const { local: target, path, value } of [...changes, ...kept]) {
    if (value === undefined) continue;
    const texts = path.map((name) => scope.policy.string(name));
    emitter.enter((block) => ({ kind: "WithStmt", local: target, path: texts, value, block }));
  }
  const inner = emitter.cursor;
  scope.context = scope.policy.contextUnder(
    context,
    changes.map((c) => c.override),
  );
  const carried = carry(scope, inner, expr, names, rows);
  scope.context = context;
  emitter.cursor = outer;
  if (carried !== undefined) {
    outer.stmts.splice(start, 1);
    for (const [name, op] of carried) scope.bind(name, op);
  } else unpack(scope, rows, [...names]);
}

/** `with data as …` must not take away the values that outer `with`s put in place of functions. */
function keepReplacements(scope: Scope, changes: readonly Change[]): Pick<Change, "local" | "path" | "value">[] {
  const isLost = changes.some((c) => c.local === DATA && c.path.length === 0);
  if (!isLost) return [];
  const own = changes.filter((c) => c.path[0] === REPLACEMENTS);
  if (!scope.context.replaces) return own;
  return [
    { local: DATA, path: [REPLACEMENTS], value: scope.emitter.dot(local(DATA), scope.string(REPLACEMENTS)) },
    ...own,
  ];
}

/** Plans the statement; its bindings if it has one solution, undefined if `rows` has them. */
function carry(
  scope: Scope,
  inner: Cursor,
  expr: Expr,
  names: ReadonlySet<string>,
  rows: Local,
): (readonly [string, Operand])[] | undefined {
  const { emitter } = scope;
  return scope.locally(() => {
    planStatement(scope, { ...expr, with: [] });
    const bound = [...names].map((name) => [name, scope.variable(name)] as const);
    if (emitter.cursor === inner) return bound;
    const row = emitter.array([...bound.map(([, op]) => op), bool(true)]);
    emitter.emit({ kind: "ArrayAppendStmt", value: row, array: rows });
    return undefined;
  });
}

function planChange(scope: Scope, w: With): Change {
  const { target } = w;
  assert(target.head.kind === "Var", "a with target begins with a name");
  const name = target.head.name;
  if (name === "input") {
    const override = { removes: undefined, replaces: undefined };
    return { local: INPUT, path: functionPath(target), value: planTerm(scope, w.value), override };
  }
  const path = functionPath(target);
  const isFunction = name !== "data" || nodeAt(scope.context.all, path)?.group?.kind === "function";
  if (!isFunction) {
    const override = { removes: path, replaces: undefined };
    return { local: DATA, path, value: planTerm(scope, w.value), override };
  }
  const full = name === "data" ? pathText(path) : name;
  const by = replacementOf(w);
  const override = { removes: undefined, replaces: { name: full, by } };
  const value = by.kind === "value" ? planTerm(scope, w.value) : undefined;
  return { local: DATA, path: [REPLACEMENTS, full], value, override };
}

/** A value that is a Ref names a function. */
function replacementOf(w: With): Replacement {
  if (w.value.kind !== "Ref") return { kind: "value" };
  const ref: Ref = w.value;
  assert(ref.head.kind === "Var", "a function's name begins with a name");
  return ref.head.name === "data"
    ? { kind: "function", path: functionPath(ref) }
    : { kind: "builtin", name: ref.head.name };
}
