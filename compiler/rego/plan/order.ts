/**
 * An order of definitions by their content alone: modules and rules may come in any order. Where all of them say the same, the first
 * that holds ends the search; so those that look cheap stand first. A hint: where the look is wrong, it costs time.
 */

import type { RuleDefinition } from "../analyze/index.ts";
import { type Call, children, isJson, type Node } from "../syntax/index.ts";

/** What a node takes by itself, where a look at a value is one. */
const [LOOP, CALL, MATCH] = [32, 8, 256];
const LOOPS: ReadonlySet<Node["kind"]> = new Set([
  "Every",
  "ArrayComprehension",
  "SetComprehension",
  "ObjectComprehension",
]);

export function sortedDefinitions(definitions: readonly RuleDefinition[]): readonly RuleDefinition[] {
  if (definitions.length < 2) return definitions;
  const keyed = definitions.map((d) => [effort(d.rule), fingerprint(d), d] as const);
  keyed.sort(([m, a], [n, b]) => m - n || (a < b ? -1 : a > b ? 1 : 0));
  return keyed.map(([, , d]) => d);
}

function effort(node: Node): number {
  let sum = ownEffort(node);
  if ((node.kind !== "Array" && node.kind !== "Object") || !isJson(node))
    for (const child of children(node)) sum += effort(child);
  return sum;
}

function ownEffort(node: Node): number {
  if (node.kind === "Call") return callEffort(node);
  // A variable may stand for each key in turn; where it has a value by then, this is too much.
  const isLoop = node.kind === "Ref" ? node.args.some(({ kind }) => kind === "Var") : LOOPS.has(node.kind);
  return isLoop ? LOOP : 1;
}

function callEffort({ infix, operator }: Call): number {
  if (infix !== undefined) return 1;
  return operator.kind === "Var" && /^(?:regex|glob)\./.test(operator.name) ? MATCH : CALL;
}

/** The definition as text, without locations. Names are unique within a rule, not beyond. */
function fingerprint(definition: RuleDefinition): string {
  return JSON.stringify(definition, (key, value: unknown) => (key === "span" ? undefined : value));
}
