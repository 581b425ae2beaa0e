/**
 * Very large rules and documents in parts: a function of WebAssembly can only be so large, and engines take more than
 * linear time over it. Each part is a function of its own, and their values are joined in the end.
 */

import type { RuleDefinition, RuleGroup } from "../analyze/index.ts";
import type { Rule } from "../syntax/index.ts";
import { Emitter } from "./emitter.ts";
import { DATA, type Func, INPUT, type Local, local, type Operand } from "./ir.ts";
import { type Children, childIndex, definitionIndex, planIndexed } from "./plan-index.ts";
import { type Naming, planGroup } from "./plan-rules.ts";
import type { IndexNode } from "./rule-index.ts";
import { Scope } from "./scope.ts";

/** Expressions of a function that is not split. */
const LARGE = 1_000;
/** Expressions of a part. */
const PART = 400;

/** The items in order, in parts of about the same weight; one part where they are not large. */
function inParts<T>(items: readonly T[], weightOf: (item: T) => number, whole = LARGE): (readonly T[])[] {
  const weights = items.map(weightOf);
  if (weights.reduce((sum, w) => sum + w, 0) <= whole) return [items];
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

/** Whether a group of these definitions is evaluated in parts. */
export function isLarge(definitions: readonly RuleDefinition[]): boolean {
  return inParts(definitions, weightOf).length > 1;
}

/** Names of the functions of parts, and which of them have to be asked. */
export type Parts = IndexNode<string>;

/** The parts of a group that is too large for one function, each evaluated by a function; `undefined` for any other group. */
export function partFunctions(
  scope: Scope,
  group: RuleGroup,
  definitions: readonly RuleDefinition[],
  naming: Naming,
): Parts | undefined {
  // The documents of keys at several depths grow into one another: the answer of a part could not be told from its own objects.
  if (definitions.some((d) => d.keys.length > 1 || (d.addsToSet && group.kind === "partial-object"))) return undefined;
  const parts = inParts(definitions, weightOf);
  if (parts.length === 1) return undefined;
  const own = { ...group, defaultRule: undefined };
  let made = 0;
  const plan = (part: readonly RuleDefinition[]): string => {
    const name = `${naming.name}/${made++}`;
    scope.policy.part(name, () => planGroup(scope.policy, scope.context, own, part, { name, path: [] }));
    return name;
  };
  return (
    partsOfIndex(definitionIndex(scope, definitions), definitions, weightOf, plan) ?? {
      kind: "items",
      items: parts.map(plan),
    }
  );
}

/** The index over parts: neighbouring branches of a table share one. `undefined` where it would not divide them. */
function partsOfIndex<T>(
  node: IndexNode<T>,
  all: readonly T[],
  weight: (item: T) => number,
  plan: (part: readonly T[]) => string,
): Parts | undefined {
  if (node.kind === "items")
    return node.items.length === all.length
      ? undefined
      : { kind: "items", items: inParts(node.items, weight, PART).map(plan) };
  if (node.kind === "sequence") {
    const nodes = node.nodes.map((n) => partsOfIndex(n, all, weight, plan));
    return nodes.some((n) => n === undefined) ? undefined : { kind: "sequence", nodes: nodes as Parts[] };
  }
  const branches = node.branches.map((b) => new Set(itemsOf(b)));
  const groups = inParts(branches, (b) => [...b].reduce((sum, item) => sum + weight(item), 0), PART);
  // In the order of all. Asking of each item whether a branch has it would take as long as items times branches.
  const place = new Map(all.map((item, i) => [item, i]));
  const at = (item: T): number => place.get(item) as number;
  const members = groups.map((group) =>
    [...new Set(group.flatMap((branch) => [...branch]))].sort((a, b) => at(a) - at(b)),
  );
  if (members.some((m) => m.length === all.length)) return undefined;
  const partOf = groups.flatMap((group, part) => group.map(() => part));
  return {
    ...node,
    entries: node.entries.map(([value, branch]) => [value, partOf[branch] as number]),
    branches: members.map((m) => ({ kind: "items", items: [plan(m)] })),
  };
}

function itemsOf<T>(node: IndexNode<T>): T[] {
  if (node.kind === "items") return [...node.items];
  return (node.kind === "sequence" ? node.nodes : node.branches).flatMap(itemsOf);
}

/** Calls a part. */
export function callPart(scope: Scope, func: string, params: readonly Local[] = []): Operand {
  const result = scope.emitter.local();
  scope.emitter.emit({ kind: "CallStmt", func, args: [INPUT, DATA, ...params].map(local), result });
  return local(result);
}

/** Adds the values of the parts to the collection that is the result. */
export function collectParts(scope: Scope, parts: Parts, add: (key: Operand, value: Operand) => void): void {
  const { emitter } = scope;
  emitter.newBlock();
  planIndexed(scope, parts, [], (names) => {
    for (const name of names) {
      emitter.block(() => {
        const { key, value } = emitter.scan(callPart(scope, name));
        add(key, value);
      });
    }
  });
}

/** The functions that give parts of the object of these documents; `undefined` where one is enough for all. */
export function documentParts(
  scope: Scope,
  children: Children,
  name: string,
  planPart: (scope: Scope, part: Children, object: Local) => void,
): Parts | undefined {
  const weight = (): number => 2;
  const parts = inParts(children, weight);
  if (parts.length === 1) return undefined;
  let made = 0;
  const plan = (part: Children): string => {
    const func = `${name}/${made++}`;
    scope.policy.part(func, (): Func => {
      const emitter = new Emitter(2);
      const result = emitter.local();
      planPart(new Scope(emitter, scope.policy, scope.context), part, result);
      emitter.newBlock();
      emitter.emit({ kind: "ReturnLocalStmt", source: result });
      return { name: func, path: [], params: [INPUT, DATA], result, blocks: emitter.blocks };
    });
    return func;
  };
  return partsOfIndex(childIndex(scope, children), children, weight, plan) ?? { kind: "items", items: parts.map(plan) };
}
