/**
 * Very large rules and documents in parts: a function of WebAssembly can only be so large, and engines take more than
 * linear time over it. Each part is a function of its own, and their values are joined in the end.
 */

import type { RuleDefinition, RuleGroup } from "../analyze/checked.ts";
import type { Rule } from "../rego/ast.ts";
import type { DocumentNode } from "./documents.ts";
import { Emitter } from "./emitter.ts";
import { DATA, type Func, INPUT, type Local, local, type Operand } from "./ir.ts";
import { type Naming, planGroup } from "./plan-rules.ts";
import { Scope } from "./scope.ts";

/** Expressions of a function that is not split. */
const LARGE = 1_000;
/** Expressions of a part. */
const PART = 400;

/** The items in order, in parts of about the same weight; one part where they are not large. */
function inParts<T>(items: readonly T[], weightOf: (item: T) => number): (readonly T[])[] {
  const weights = items.map(weightOf);
  if (weights.reduce((sum, w) => sum + w, 0) <= LARGE) return [items];
  const parts: T[][] = [];
  let room = 0;
  for (const [i, item] of items.entries()) {
    const weight = weights[i] as number;
    if (weight > room) {
      parts.push([]);
      room = PART;
    }
    (parts.at(-1) as T[]).push(item);
    room -= weight;
  }
  return parts;
}

function weightOf({ rule }: RuleDefinition): number {
  let weight = 0;
  for (let branch: Rule | undefined = rule; branch !== undefined; branch = branch.else) {
    weight += 2 + branch.body.length;
  }
  return weight;
}

/** The parts of a group that is too large for one function, each evaluated by a function; `undefined` for any other group. */
export function partFunctions(
  scope: Scope,
  group: RuleGroup,
  definitions: readonly RuleDefinition[],
  naming: Naming,
): readonly string[] | undefined {
  // The documents of keys at several depths grow into one another: what a part gives could not be told from its own objects.
  if (definitions.some((d) => d.keys.length > 1 || (d.addsToSet && group.kind === "partial-object"))) return undefined;
  const parts = inParts(definitions, weightOf);
  if (parts.length === 1) return undefined;
  const own = { ...group, defaultRule: undefined };
  return parts.map((part, i) => {
    const name = `${naming.name}/${i}`;
    scope.policy.part(name, () => planGroup(scope.policy, scope.context, own, part, { name, path: [] }));
    return name;
  });
}

/** Calls a part. */
export function callPart(scope: Scope, func: string, params: readonly Local[] = []): Operand {
  const result = scope.emitter.local();
  scope.emitter.emit({ kind: "CallStmt", func, args: [INPUT, DATA, ...params].map(local), result });
  return local(result);
}

/** Adds the values of the parts to the collection that is the result. */
export function collectParts(
  scope: Scope,
  parts: readonly string[],
  add: (key: Operand, value: Operand) => void,
): void {
  const { emitter } = scope;
  for (const part of parts) {
    emitter.newBlock();
    const { key, value } = emitter.scan(callPart(scope, part));
    add(key, value);
  }
}

/** The functions that give parts of the object of these documents; `undefined` where one is enough for all. */
export function documentParts(
  scope: Scope,
  children: readonly (readonly [string, DocumentNode])[],
  name: string,
  plan: (scope: Scope, part: readonly (readonly [string, DocumentNode])[], object: Local) => void,
): readonly string[] | undefined {
  const parts = inParts(children, () => 2);
  if (parts.length === 1) return undefined;
  return parts.map((part, i) => {
    const func = `${name}/${i}`;
    scope.policy.part(func, (): Func => {
      const emitter = new Emitter(2);
      const result = emitter.local();
      plan(new Scope(emitter, scope.policy, scope.context), part, result);
      emitter.newBlock();
      emitter.emit({ kind: "ReturnLocalStmt", source: result });
      return { name: func, path: [], params: [INPUT, DATA], result, blocks: emitter.blocks };
    });
    return func;
  });
}
