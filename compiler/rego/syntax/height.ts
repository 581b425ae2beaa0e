/** How high a tree is. Walks with a list of its own: what is asked is whether a stack of calls would carry the tree. */

import type { Node } from "./ast.ts";
import { children } from "./visit.ts";

/** A part that lies more than `most` levels below a node, if there is one. An `else` is on the level of its rule. */
export function partBelow(node: Node, most: number): Node | undefined {
  const open: (readonly [Node, number])[] = [[node, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, level] = next;
    if (level > most) return at;
    for (const child of children(at)) open.push([child, isOneWithParent(child) ? level : level + 1]);
  }
  return undefined;
}

/** The branches of a rule lie beside each other, and a statement of `and` or `or` is no higher than its operands make it. */
function isOneWithParent({ kind }: Node): boolean {
  return kind === "Rule" || kind === "Logical";
}
