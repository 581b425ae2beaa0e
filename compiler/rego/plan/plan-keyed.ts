/**
 * Partial objects that are asked by key, as OPA evaluates them: `limit[input.user][input.day]` evaluates the definitions with these
 * keys in place of theirs. What they say of other users and days is not evaluated, so a contradiction there denies no one else.
 *
 * In a loop this would take as long as the object is large, each turn. There, where all keys are asked, a table takes the
 * object's place: the object, and the keys for which definitions disagree. Asked for one of these, the definitions are evaluated
 * with it, and end the evaluation. The optimiser chooses, and takes the whole object where its value is known.
 */

import type { RuleDefinition } from "../analyze/index.ts";
import { isScalar, type Term } from "../syntax/index.ts";
import type { Context } from "./context.ts";
import { type Cursor, Emitter } from "./emitter.ts";
import { bool, DATA, type Func, INPUT, local, type Operand } from "./ir.ts";
import { planPartialObject } from "./plan-object.ts";
import { isLarge } from "./plan-parts.ts";
import { planChain } from "./plan-rules.ts";
import { planTerm } from "./plan-term.ts";
import { type PolicyPlan, Scope } from "./scope.ts";
import { hasUnbound } from "./terms.ts";

/** The first of the parameters that the keys are. */
const KEY = 2;

/** Begins the name of a parameter that a definition has no key for. */
const BELOW = "#below";

/**
 * How many of the first keys of a reference are known when it is asked, as far as the object has keys, and others of the object
 * need not be. 0: the whole is asked for.
 */
export function keysAsked(scope: Scope, definitions: readonly RuleDefinition[], args: readonly Term[]): number {
  if (!scope.policy.keyed || isLarge(definitions)) return 0;
  const depth = Math.max(...definitions.map((d) => pathOf(d).length));
  const unknown = args.findIndex((key) => !isKnown(scope, key));
  const known = args.slice(0, Math.min(depth, unknown < 0 ? args.length : unknown));
  // Behind the last key that tells what is evaluated, a look-up does.
  return known.findLastIndex((key, i) => definitions.some((d) => !isScalar(key) || !isScalar(pathOf(d)[i] ?? key))) + 1;
}

function isKnown(scope: Scope, key: Term): boolean {
  return key.kind === "Var" ? scope.isBound(key.name) : key.kind === "Ref" || !hasUnbound(scope, key);
}

/** The keys that lead to a definition's value, which may be a set. */
function pathOf({ keys, addsToSet }: RuleDefinition): readonly Term[] {
  return addsToSet ? keys.slice(0, -1) : keys;
}

/** The function of input, data and the first `count` keys. */
export function planKeyed(
  policy: PolicyPlan,
  context: Context,
  definitions: readonly RuleDefinition[],
  name: string,
  { count, ...keyed }: NonNullable<Func["keyed"]> & { readonly count: number },
): Func {
  const params = Array.from({ length: count }, (_, i) => KEY + i);
  const emitter = new Emitter(KEY + count);
  const scope = new Scope(emitter, policy, context);
  const object = emitter.local();
  // Keys are arguments like any other. What lies below a definition's value may be asked with it.
  const own = definitions.map((d) => {
    const path = pathOf(d);
    const args = params.map((_, i): Term => path[i] ?? { kind: "Var", name: `${BELOW}${i}`, span: d.rule.span });
    return { ...d, rule: { ...d.rule, head: { ...d.rule.head, args } } };
  });
  planPartialObject(scope, own, object, undefined, params);
  emitter.newBlock();
  const result = emitter.local();
  emitter.block(() => {
    const path = params.slice(0, -1).reduce<Operand>((at, key) => emitter.dot(at, local(key)), local(object));
    emitter.emit({ kind: "DotStmt", source: path, key: local(params.at(-1) as number), target: result });
  });
  emitter.newBlock();
  emitter.emit({ kind: "ReturnLocalStmt", source: result });
  return { name, path: [], params: [INPUT, DATA, ...params], result, blocks: emitter.blocks, keyed };
}

/** Whether the object can be a table by the first `count` keys. */
export function isTable(definitions: readonly RuleDefinition[], count: number): boolean {
  return definitions.every((d) => d.keys.length === count && !d.addsToSet && !d.isDefault);
}

/**
 * The function that gives the table: the list of the object and of the object of keys with more than one value. Several keys are
 * one there: the list of them.
 */
export function planTable(
  policy: PolicyPlan,
  context: Context,
  definitions: readonly RuleDefinition[],
  name: string,
): Func {
  const emitter = new Emitter(2);
  const scope = new Scope(emitter, policy, context);
  const [object, disputed, result] = [emitter.local(), emitter.local(), emitter.local()];
  for (const target of [object, disputed]) emitter.emit({ kind: "MakeObjectStmt", target });
  const insert = (key: Operand, value: Operand): void =>
    emitter.block((both) => {
      emitter.block(() => {
        emitter.emit({ kind: "NotEqualStmt", a: emitter.dot(local(object), key), b: value });
        emitter.emit({ kind: "ObjectInsertStmt", key, value: bool(true), object: disputed });
        emitter.leave(both);
      });
      emitter.emit({ kind: "ObjectInsertStmt", key, value, object });
    });
  for (const { rule, keys } of definitions) {
    const own: Cursor = emitter.newBlock();
    planChain(scope, rule, [], own, (value) => {
      const [key, ...more] = keys.map((k) => planTerm(scope, k)) as [Operand, ...Operand[]];
      insert(more.length === 0 ? key : emitter.array([key, ...more]), value);
    });
  }
  emitter.newBlock();
  const pair = emitter.array([local(object), local(disputed)]);
  emitter.emit({ kind: "AssignVarStmt", source: pair, target: result });
  emitter.emit({ kind: "ReturnLocalStmt", source: result });
  return { name, path: [], params: [INPUT, DATA], result, blocks: emitter.blocks, once: true };
}
