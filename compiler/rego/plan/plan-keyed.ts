/**
 * Partial objects that are asked for one key, as OPA evaluates them: `limit[input.user]` evaluates the definitions with this key in
 * place of theirs. What they say of other users is not evaluated, so a contradiction there denies no one else.
 *
 * In a loop this would take as long as the object is large, each turn. There, where the keys are one deep, a table takes the
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

/** The parameter that the key is. */
const KEY = 2;

/** Whether a reference to the object gives a key that is known when it is asked, and others of the object need not be. */
export function isAskedByKey(scope: Scope, definitions: readonly RuleDefinition[], key: Term | undefined): key is Term {
  if (key === undefined || !scope.policy.keyed || isLarge(definitions)) return false;
  if (key.kind === "Var" ? !scope.isBound(key.name) : key.kind !== "Ref" && hasUnbound(scope, key)) return false;
  return definitions.some((d) => !isScalar(key) || !isScalar(d.keys[0] as Term));
}

/** The function of input, data and a key. */
export function planKeyed(
  policy: PolicyPlan,
  context: Context,
  definitions: readonly RuleDefinition[],
  name: string,
  keyed: Func["keyed"],
): Func {
  const emitter = new Emitter(KEY + 1);
  const scope = new Scope(emitter, policy, context);
  const object = emitter.local();
  // The key is an argument like any other.
  const own = definitions.map((d) => ({
    ...d,
    rule: { ...d.rule, head: { ...d.rule.head, args: [d.keys[0] as Term] } },
  }));
  planPartialObject(scope, own, object, undefined, [KEY]);
  emitter.newBlock();
  const result = emitter.local();
  emitter.block(() => emitter.emit({ kind: "DotStmt", source: local(object), key: local(KEY), target: result }));
  emitter.newBlock();
  emitter.emit({ kind: "ReturnLocalStmt", source: result });
  return { name, path: [], params: [INPUT, DATA, KEY], result, blocks: emitter.blocks, keyed };
}

/** Whether the object can be a table. */
export function isTable(definitions: readonly RuleDefinition[]): boolean {
  return definitions.every((d) => d.keys.length === 1 && !d.addsToSet && !d.isDefault);
}

/** The function that gives the table: the list of the object and of the object of keys with more than one value. */
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
    planChain(scope, rule, [], own, (value) => insert(planTerm(scope, keys[0] as Term), value));
  }
  emitter.newBlock();
  const pair = emitter.array([local(object), local(disputed)]);
  emitter.emit({ kind: "AssignVarStmt", source: pair, target: result });
  emitter.emit({ kind: "ReturnLocalStmt", source: result });
  return { name, path: [], params: [INPUT, DATA], result, blocks: emitter.blocks, once: true };
}
