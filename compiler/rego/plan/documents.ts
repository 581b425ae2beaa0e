/**
 * The virtual documents as a tree: packages and rule names are its branches, rule groups its leaves. References into `data`
 * walk it; a path outside it is base data.
 */

import type { RuleGroup } from "../analyze/index.ts";
import { assert } from "../diagnostics/index.ts";

export interface DocumentNode {
  readonly path: readonly string[];
  /** The rules whose document this is. Nodes with a group other than a function have no children. */
  group: RuleGroup | undefined;
  /** Sorted by name. */
  readonly children: ReadonlyMap<string, DocumentNode>;
}

interface Growing extends DocumentNode {
  readonly children: Map<string, Growing>;
}

/** `packages` gives empty packages their (empty) documents. */
export function documentTree(groups: readonly RuleGroup[], packages: readonly (readonly string[])[]): DocumentNode {
  const root: Growing = { path: [], group: undefined, children: new Map() };
  const at = (path: readonly string[]): Growing => {
    let node = root;
    for (let i = 0; i < path.length; i++) {
      const name = path[i] as string;
      let next = node.children.get(name);
      if (next === undefined) {
        next = { path: path.slice(0, i + 1), group: undefined, children: new Map() };
        node.children.set(name, next);
      }
      node = next;
    }
    return node;
  };
  for (const path of packages) at(path);
  for (const group of groups) {
    const node = at(group.path);
    assert(node.group === undefined, `two groups for data.${group.path.join(".")}`);
    node.group = group;
  }
  sortChildren(root);
  return root;
}

/** Order of names, not of appearance: plans must not depend on the order of modules. */
function sortChildren(root: Growing): void {
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.children.size === 0) continue;
    const sorted = [...node.children].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    node.children.clear();
    for (const [name, child] of sorted) {
      node.children.set(name, child);
      stack.push(child);
    }
  }
}

/** The node at a path, if there is one. */
export function nodeAt(root: DocumentNode, path: readonly string[]): DocumentNode | undefined {
  let node: DocumentNode | undefined = root;
  for (const name of path) node = node?.children.get(name);
  return node;
}

/** Whether a node's document is a value: a rule's, or the documents below. A function is neither. */
export function hasDocument(node: DocumentNode): boolean {
  return node.group === undefined || node.group.kind !== "function" || node.children.size > 0;
}

/** `data.app["a b"].p`: unique for every path. */
export function pathText(path: readonly string[]): string {
  return (
    "data" +
    path.map((name) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)).join("")
  );
}
