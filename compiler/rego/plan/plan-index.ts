/** Plans an index: a look-up of a place in a table of constants, and the one branch that it chooses. */

import type { RuleDefinition } from "../analyze/index.ts";
import type { Rule } from "../syntax/index.ts";
import type { Value } from "../value/index.ts";
import type { DocumentNode } from "./documents.ts";
import { branchesOf, branchGuards, groupGuards, guardsOf, type Place } from "./guards.ts";
import { INPUT, type Local, local, type Operand } from "./ir.ts";
import { planTerm } from "./plan-term.ts";
import { type IndexNode, indexOf, type Table } from "./rule-index.ts";
import type { Scope } from "./scope.ts";

/** The index of a rule's definitions. */
export function definitionIndex(scope: Scope, definitions: readonly RuleDefinition[]): IndexNode<RuleDefinition> {
  const { context, policy } = scope;
  if (definitions.length < policy.indexFrom) return { kind: "items", items: definitions };
  const items = definitions.map((item) => ({ item, guards: guardsOf(context, item.rule) }));
  return indexOf(items, { from: policy.indexFrom, isOrdered: false });
}

/** The documents below a name. */
export type Children = readonly (readonly [name: string, child: DocumentNode])[];

/** The index of the documents below a name: `p.a := 1 if …`, `p.b := 2 if …` is a table over what they are about. */
export function childIndex(scope: Scope, children: Children): IndexNode<Children[number]> {
  const { context, policy } = scope;
  if (children.length < policy.indexFrom) return { kind: "items", items: children };
  const items = children.map((item) => {
    const { group } = item[1];
    return { item, guards: group === undefined ? new Map() : groupGuards(context, group) };
  });
  return indexOf(items, { from: policy.indexFrom, isOrdered: false });
}

/** The index of the branches of one definition, of which the first that holds counts. */
export function branchIndex(scope: Scope, rule: Rule): IndexNode<Rule> {
  const { context, policy } = scope;
  const branches = branchesOf(rule);
  if (branches.length < policy.indexFrom) return { kind: "items", items: branches };
  const items = branches.map((item) => ({ item, guards: branchGuards(context, rule, item) }));
  return indexOf(items, { from: policy.indexFrom, isOrdered: true });
}

/** `plan` plans items one after the other, at the cursor; where one fails, its block must be its own. */
export function planIndexed<T>(
  scope: Scope,
  node: IndexNode<T>,
  params: readonly Local[],
  plan: (items: readonly T[]) => void,
): void {
  switch (node.kind) {
    case "items":
      plan(node.items);
      return;
    case "sequence":
      for (const next of node.nodes) planIndexed(scope, next, params, plan);
      return;
    case "equal":
    case "prefix":
      // Where the place is not there, no guard of it holds: the block fails.
      scope.emitter.block(() => {
        const index = branchOf(scope, node, placeValue(scope, node.place, params));
        scope.emitter.choose(index, node.branches.length, (i) => {
          planIndexed(scope, node.branches[i] as IndexNode<T>, params, plan);
        });
      });
  }
}

function placeValue(scope: Scope, { root, path }: Place, params: readonly Local[]): Operand {
  const start = root === "input" ? INPUT : (params[root] as Local);
  return path.reduce<Operand>((at, key) => scope.emitter.dot(at, planTerm(scope, key)), local(start));
}

/** The number of the branch that a value leaves; fails where it leaves none. */
function branchOf(scope: Scope, table: Table<unknown>, value: Operand): Operand {
  const { emitter, policy } = scope;
  const constant = policy.constant({
    kind: "object",
    entries: table.entries.map(([key, branch]) => [key, number(branch)]),
  });
  if (table.kind === "equal") return emitter.dot(constant, value);
  const target = emitter.local();
  emitter.emit({ kind: "PrefixStmt", source: constant, text: value, target });
  return local(target);
}

function number(value: number): Value {
  return { kind: "number", text: String(value) };
}
