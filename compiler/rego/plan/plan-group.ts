/** Calls of the functions that give documents. */

import type { RuleDefinition, RuleGroup } from "../analyze/index.ts";
import { isScalar, scalarValue, type Term } from "../syntax/index.ts";
import { compareValues } from "../value/index.ts";
import { DATA, INPUT, local, type Operand } from "./ir.ts";
import { keysAsked } from "./plan-keyed.ts";
import { planSteps } from "./plan-ref.ts";
import { planTerm } from "./plan-term.ts";
import type { Scope } from "./scope.ts";

/** A function of input and data only. */
export function callDocument(scope: Scope, func: string): Operand {
  const result = scope.emitter.local();
  scope.emitter.emit({ kind: "CallStmt", func, args: [local(INPUT), local(DATA)], result });
  return local(result);
}

/**
 * Calls the function of a group. Of a general ref head only those definitions count that can have the known keys: others may
 * even depend on this one.
 */
export function callGroup(scope: Scope, group: RuleGroup, args: readonly Term[]): Operand {
  return callDocument(scope, scope.policy.groupFunction(scope.context, group, possibleDefinitions(group, args)));
}

/** The value at a path of a group's document. A partial object is asked for the first keys alone, where it can be. */
export function planGroupRef(scope: Scope, group: RuleGroup, args: readonly Term[]): Operand {
  const possible = possibleDefinitions(group, args);
  const definitions = possible?.map((i) => group.definitions[i] as RuleDefinition) ?? group.definitions;
  const count = group.kind === "partial-object" ? keysAsked(scope, definitions, args) : 0;
  if (count === 0) return planSteps(scope, callGroup(scope, group, args), args);
  const { emitter, policy, context } = scope;
  const keys = args.slice(0, count).map((key) => planTerm(scope, key));
  const result = emitter.local();
  const func = policy.keyedFunction(context, group, count, possible);
  emitter.emit({ kind: "CallStmt", func, args: [local(INPUT), local(DATA), ...keys], result });
  return planSteps(scope, local(result), args.slice(count));
}

function possibleDefinitions(group: RuleGroup, args: readonly Term[]): readonly number[] | undefined {
  if (group.kind !== "partial-object") return undefined;
  const possible = group.definitions.flatMap((d, i) => (d.keys.every((key, k) => mayEqual(key, args[k])) ? [i] : []));
  return possible.length === group.definitions.length ? undefined : possible;
}

function mayEqual(key: Term, arg: Term | undefined): boolean {
  if (arg === undefined || !isScalar(key) || !isScalar(arg)) return true;
  return compareValues(scalarValue(key), scalarValue(arg)) === 0;
}
