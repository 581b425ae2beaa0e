/**
 * Comprehension indexes, as OPA's page on performance has them: `[x | some x in input.xs; x.port == port]` in a loop that binds
 * `port` asks all of `input.xs` in each turn. Its plan is a look-up instead, in an object of the results of all ports, which a
 * function makes once an evaluation.
 *
 * For a comprehension of an object, the function keeps rows of keys and values: two values for one key are a conflict where the
 * object is asked for.
 *
 * INVARIANT: whatever the function evaluates and the comprehension would not, which is what stands behind the test of a value
 * that no turn asks for, can only fail. Neither prints, nor asks the host.
 */

import { addExprVars, addVars, eachClosureOfTerm, eachExprDeep } from "../analyze/index.ts";
import {
  type ArrayComprehension,
  type Expr,
  eachTerm,
  type ObjectComprehension,
  type SetComprehension,
  type Term,
} from "../syntax/index.ts";
import type { Context } from "./context.ts";
import { nodeAt } from "./documents.ts";
import { Emitter } from "./emitter.ts";
import { DATA, type Func, INPUT, local, type Operand } from "./ir.ts";
import { planBody } from "./plan-expr.ts";
import { planTerm } from "./plan-term.ts";
import { unpack } from "./rows.ts";
import { Scope } from "./scope.ts";
import { isSilent } from "./silent-builtins.ts";

type Indexed = ArrayComprehension | SetComprehension | ObjectComprehension;

/** A local that no policy can name. */
const KEY = "#key";

/** A test of the body that compares a value of the comprehension's own with a variable from outside. */
interface Key {
  readonly expr: Expr;
  readonly own: Term;
  readonly variable: string;
}

/** The comprehension by its index; `undefined` where it has none, or where asking once is all there is. */
export function planIndexedComprehension(scope: Scope, term: Indexed): Operand | undefined {
  if (!Number.isFinite(scope.policy.indexFrom) || !isInLoop(scope)) return undefined;
  const keys = keysOf(scope, term);
  if (keys === undefined) return undefined;
  const { emitter } = scope;
  const func = scope.policy.indexFunction(scope.context, term, (name) => planIndex(scope, term, keys, name));
  const key = groupKey(
    scope,
    keys.map(({ variable }) => scope.variable(variable)),
  );
  const target = emitter.local();
  const lookUp = (into: number): void => {
    const index = emitter.local();
    emitter.emit({ kind: "CallStmt", func, args: [local(INPUT), local(DATA)], result: index });
    emitter.emit({ kind: "DotStmt", source: local(index), key, target: into });
  };
  if (term.kind === "ObjectComprehension") {
    emitter.emit({ kind: "MakeObjectStmt", target });
    emitter.block(() =>
      scope.locally(() => {
        const rows = emitter.local();
        lookUp(rows);
        const value = unpack(scope, rows, [KEY]);
        emitter.emit({ kind: "ObjectInsertOnceStmt", key: scope.variable(KEY), value, object: target });
      }),
    );
    return local(target);
  }
  emitter.block((either) => {
    emitter.block(() => {
      lookUp(target);
      emitter.leave(either);
    });
    makeEmpty(scope, term, target);
  });
  return local(target);
}

/** What a comprehension makes of each solution. */
function headOf(term: Indexed): readonly Term[] {
  return term.kind === "ObjectComprehension" ? [term.key, term.value] : [term.term];
}

function isInLoop({ emitter }: Scope): boolean {
  for (let block = emitter.cursor; block.outer !== undefined; block = block.outer)
    if (block.outer.stmts.at(-1)?.kind === "ScanStmt") return true;
  return false;
}

/** The tests by which results can be told apart. Nothing else of the comprehension may come from outside. */
function keysOf(scope: Scope, term: Indexed): readonly Key[] | undefined {
  const { body } = term;
  const results = headOf(term);
  const isOutside = (name: string): boolean => name !== "input" && name !== "data" && scope.isBound(name);
  const keys: Key[] = [];
  /** Variables of the comprehension that have a value where the statement begins. */
  const own = new Set<string>();
  const used = new Set<string>();
  for (const result of results) addVars(result, used, true);
  for (const expr of body) {
    const key = keyIn(expr, own, isOutside);
    if (key !== undefined && !keys.some(({ variable }) => variable === key.variable)) {
      keys.push(key);
      addVars(key.own, used, true);
      addVars(key.own, own, false);
      continue;
    }
    addExprVars(expr, used, true);
    if (!expr.negated) addExprVars(expr, own, false);
  }
  const [first] = keys;
  if (first === undefined || [...used].some(isOutside)) return undefined;
  if (!cannotBeNoticed(scope.context, body)) return undefined;
  const behind = body.slice(body.indexOf(first.expr));
  const head: Expr[] = [];
  for (const result of results) eachClosureOfTerm(result, (closure) => head.push(...closure.body));
  if (!onlyFails(scope.context, [...behind, ...head], results)) return undefined;
  return keys;
}

function keyIn(expr: Expr, own: ReadonlySet<string>, isOutside: (name: string) => boolean): Key | undefined {
  const { body } = expr;
  if (expr.negated || expr.with.length > 0 || body.kind !== "Call" || body.operator.kind !== "Var") return undefined;
  if (body.operator.name !== "eq" && body.operator.name !== "equal") return undefined;
  const [a, b] = body.args as readonly [Term, Term];
  for (const [value, variable] of [
    [a, b],
    [b, a],
  ] as const) {
    if (variable.kind !== "Var" || !isOutside(variable.name)) continue;
    const from = value.kind === "Ref" ? value.head : value;
    const isKnown = from.kind === "Var" && (own.has(from.name) || (value.kind === "Ref" && from.name === "input"));
    if (isKnown) return { expr, own: value, variable: variable.name };
  }
  return undefined;
}

/** Whether evaluating these more often, or less often, cannot be noticed. */
function cannotBeNoticed(context: Context, body: readonly Expr[]): boolean {
  return everyTerm(body, [], (term) => {
    if (term.kind !== "Call" || term.operator.kind !== "Var") return true;
    const { name } = term.operator;
    return !context.functions.has(name) && isSilent(name);
  });
}

/** Whether these can fail and do nothing else: no rule or function is called that may have two values. */
function onlyFails(context: Context, body: readonly Expr[], terms: readonly Term[]): boolean {
  let holds = true;
  eachExprDeep(body, (expr) => {
    holds &&= expr.with.length === 0;
  });
  return (
    holds &&
    everyTerm(body, terms, (term) => {
      if (term.kind === "ObjectComprehension") return false;
      if (term.kind === "Call") return term.operator.kind === "Var";
      if (term.kind === "Var") return term.name !== "data";
      if (term.kind !== "Ref" || term.head.kind !== "Var" || term.head.name !== "data") return true;
      return isBaseData(context, term.args);
    })
  );
}

/** Whether a path of `data` leads past all rules. */
function isBaseData(context: Context, args: readonly Term[]): boolean {
  let node = context.documents;
  for (const arg of args) {
    if (arg.kind !== "String") return node.children.size === 0 && node.group === undefined;
    const next = nodeAt(node, [arg.value]);
    if (next === undefined) return node.group === undefined;
    node = next;
  }
  return false;
}

/** Whether `holds` holds for every term of these, closures and heads of references included. */
function everyTerm(body: readonly Expr[], terms: readonly Term[], holds: (term: Term) => boolean): boolean {
  let all = true;
  const visit = (term: Term): void => {
    all &&= holds(term);
    // The `data` at the head of a path is no document of its own.
    if (term.kind === "Ref" && term.head.kind === "Var") term.args.forEach(visit);
    else eachTerm(term, visit);
  };
  for (const term of terms) visit(term);
  eachExprDeep(body, (expr) => eachTerm(expr, visit));
  return all;
}

/** An object: for each value of the keys, the collection that the comprehension is then, or the rows of its object. */
function planIndex(outer: Scope, term: Indexed, keys: readonly Key[], name: string): Func {
  const emitter = new Emitter(2);
  const scope = new Scope(emitter, outer.policy, outer.context);
  const result = emitter.local();
  emitter.emit({ kind: "MakeObjectStmt", target: result });
  emitter.newBlock();
  const values = new Map<Key, Operand>();
  for (const expr of term.body) {
    const key = keys.find((k) => k.expr === expr);
    if (key === undefined) planBody(scope, [expr]);
    else values.set(key, planTerm(scope, key.own));
  }
  const key = groupKey(scope, [...values.values()]);
  const results = headOf(term).map((result) => planTerm(scope, result));
  const value = term.kind === "ObjectComprehension" ? emitter.array(results) : (results[0] as Operand);
  const target = emitter.local();
  emitter.block((either) => {
    emitter.block(() => {
      emitter.emit({ kind: "DotStmt", source: local(result), key, target });
      emitter.leave(either);
    });
    makeEmpty(scope, term, target);
    emitter.emit({ kind: "ObjectInsertStmt", key, value: local(target), object: result });
  });
  if (term.kind === "SetComprehension") emitter.emit({ kind: "SetAddStmt", value, set: target });
  else emitter.emit({ kind: "ArrayAppendStmt", value, array: target });
  emitter.newBlock();
  emitter.emit({ kind: "ReturnLocalStmt", source: result });
  return { name, path: [], params: [INPUT, DATA], result, blocks: emitter.blocks, once: true };
}

function groupKey({ emitter }: Scope, values: readonly Operand[]): Operand {
  return values.length === 1 ? (values[0] as Operand) : emitter.array(values);
}

function makeEmpty({ emitter }: Scope, { kind }: Indexed, target: number): void {
  if (kind === "SetComprehension") emitter.emit({ kind: "MakeSetStmt", target });
  else emitter.emit({ kind: "MakeArrayStmt", capacity: 0, target });
}
