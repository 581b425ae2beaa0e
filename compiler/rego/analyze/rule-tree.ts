/**
 * All rules by the ground prefix of their names, scalars that are not strings included (`p[1] := …`). Packages are nodes,
 * too, so that one walk finds everything that a reference may reach.
 */

import { isScalar, numberKey, type Ref, type Term } from "../syntax/index.ts";
import type { Unit, WorkRule } from "./work.ts";

export interface TreeNode {
  readonly id: number;
  /** As in a path; scalars that are not strings as their text. */
  readonly name: string;
  readonly parent: TreeNode | undefined;
  readonly children: Map<string, TreeNode>;
  readonly rules: WorkRule[];
  /** The modules of the package that this node is. */
  readonly units: Unit[];
}

/** How a scalar is kept in `children`: a string as itself after a dot, so that `"1"` and `1` differ. */
export function keyOf(term: Term): string | undefined {
  if (term.kind === "String") return `.${term.value}`;
  if (term.kind === "Number") return `=${numberKey(term.text)}`;
  if (term.kind === "Boolean") return `=${term.value}`;
  return term.kind === "Null" ? "=null" : undefined;
}

export class RuleTree {
  readonly nodes: TreeNode[] = [];
  readonly root = this.add(undefined, "data");

  constructor(units: readonly Unit[], rules: readonly WorkRule[]) {
    for (const unit of units) this.ensure(unit.path).units.push(unit);
    for (const rule of rules) this.nodeOfRule(rule).rules.push(rule);
  }

  private add(parent: TreeNode | undefined, name: string): TreeNode {
    const node: TreeNode = { id: this.nodes.length, name, parent, children: new Map(), rules: [], units: [] };
    this.nodes.push(node);
    return node;
  }

  private child(node: TreeNode, key: string, name: string): TreeNode {
    let child = node.children.get(key);
    if (!child) {
      child = this.add(node, name);
      node.children.set(key, child);
    }
    return child;
  }

  private ensure(path: readonly string[]): TreeNode {
    let node = this.root;
    for (const part of path) node = this.child(node, `.${part}`, part);
    return node;
  }

  /** The node at a rule's ground prefix. */
  nodeOfRule(rule: WorkRule): TreeNode {
    let node = this.ensure(rule.path);
    for (const key of rule.keys) {
      const k = keyOf(key);
      if (k === undefined) break;
      node = this.child(node, k, k.slice(1));
    }
    return node;
  }

  find(path: readonly string[]): TreeNode | undefined {
    let node: TreeNode | undefined = this.root;
    for (const part of path) node = node?.children.get(`.${part}`);
    return node;
  }

  /** The node at exactly the path of a ground reference to `data`. */
  findRef(ref: Ref): TreeNode | undefined {
    let node: TreeNode | undefined = this.root;
    for (const arg of ref.args) {
      const key = keyOf(arg);
      if (key === undefined) return undefined;
      node = node?.children.get(key);
    }
    return node;
  }

  /** The rules of a function's path; any rule of the path when it is no function. */
  rulesAt(ref: Ref): readonly WorkRule[] {
    if (ref.head.kind !== "Var" || ref.head.name !== "data") return [];
    return this.findRef(ref)?.rules ?? [];
  }

  /**
   * What a reference to `data` may reach: `onWay` for every node with rules that it goes through, with the keys that are left,
   * `all` for every node where it ends, whose rules and descendants it may all read.
   */
  eachReached(args: readonly Term[], onWay: OnWay, all: (node: TreeNode) => void): void {
    reach(this.root, args, 0, onWay, all);
  }

  pathOfNode(node: TreeNode): string[] {
    const path: string[] = [];
    for (let n: TreeNode | undefined = node; n?.parent; n = n.parent) path.unshift(n.name);
    return path;
  }
}

type OnWay = (node: TreeNode, left: readonly Term[]) => void;

/** Whether a reference that goes on with these keys may be about what a rule at the node defines: `p[x].a` is not about `p[x].b`. */
export function mayConcern(rule: WorkRule, left: readonly Term[]): boolean {
  const own = rule.keys.slice(rule.keys.findIndex((key) => keyOf(key) === undefined));
  return (
    isGroundName(rule) ||
    own.every((key, i) => {
      const [a, b] = [keyOf(key), left[i] && keyOf(left[i])];
      return a === undefined || b === undefined || a === b;
    })
  );
}

function reach(
  from: TreeNode,
  args: readonly Term[],
  first: number,
  onWay: OnWay,
  all: (node: TreeNode) => void,
): void {
  let node = from;
  for (let i = first; i < args.length; i++) {
    const arg = args[i] as Term;
    const key = keyOf(arg);
    if (key === undefined) {
      if (isGround(arg)) return;
      for (const child of node.children.values()) {
        if (child.rules.length > 0) onWay(child, args.slice(i + 1));
        reach(child, args, i + 1, onWay, all);
      }
      return;
    }
    const child = node.children.get(key);
    if (!child) return;
    if (child.rules.length > 0) onWay(child, args.slice(i + 1));
    node = child;
  }
  all(node);
}

/** Whether a term is a constant, so that it can be no rule's name unless it is a scalar. */
function isGround(term: Term): boolean {
  if (isScalar(term) || term.kind === "Constant") return true;
  if (term.kind === "Array" || term.kind === "Set") return term.items.every(isGround);
  return term.kind === "Object" && term.entries.every(([k, v]) => isGround(k) && isGround(v));
}

/** Whether a rule's name has no variable: `p`, `p.q`, `p[1]`. */
export function isGroundName(rule: WorkRule): boolean {
  return rule.keys.every(isScalar);
}
