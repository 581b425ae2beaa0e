/**
 * Which rule depends on which. Vertices are the branches of rules, and for every node of the rule tree one for the rules at
 * it and one for all below it, so that a reference to a whole package is one edge however many rules the package has.
 * Everything here is iterative: chains of rules may be as long as they like.
 */

import { type Diagnostic, SourceFile } from "../diagnostics/index.ts";
import { type Body, eachTerm, isTerm, type Ref, type Term } from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { mayConcern, type RuleTree, type TreeNode } from "./rule-tree.ts";
import { nameOfRule } from "./text.ts";
import { comprehensionTerms, isComprehension, scopesOf } from "./walk.ts";
import type { Branch, WorkRule } from "./work.ts";

const noSpan = { file: new SourceFile("", ""), start: 0, end: 0 };

interface BranchVertex {
  readonly rule: WorkRule;
  readonly branch: Branch;
}

export class DependencyGraph {
  private readonly tree: RuleTree;
  private readonly branches: BranchVertex[] = [];
  private readonly edges: number[][] = [];
  private readonly vertexOfBranch = new Map<Branch, number>();
  /** Strongly connected components, dependencies first. */
  private components: number[][] = [];

  constructor(tree: RuleTree, rules: readonly WorkRule[]) {
    this.tree = tree;
    for (const rule of rules) {
      for (const branch of rule.branches) {
        this.vertexOfBranch.set(branch, this.branches.length);
        this.branches.push({ rule, branch });
      }
    }
    for (const { rule, branch } of this.branches) this.edges.push(rule.broken ? [] : this.edgesOfBranch(rule, branch));
    for (const node of tree.nodes) {
      const own = node.rules.flatMap((r) => r.branches.map((b) => this.vertexOfBranch.get(b) as number));
      this.edges.push(own, [this.at(node), ...[...node.children.values()].map((c) => this.below(c))]);
    }
    this.components = connectedComponents(this.edges);
  }

  /** The rules at a node. */
  private at(node: TreeNode): number {
    return this.branches.length + 2 * node.id;
  }

  /** The rules at a node and below it. */
  private below(node: TreeNode): number {
    return this.at(node) + 1;
  }

  private edgesOfBranch(rule: WorkRule, branch: Branch): number[] {
    const found = new Set<number>();
    const see = this.addingReferences(found);
    for (const t of [...(rule.args ?? []), ...rule.keys]) see(t);
    if (rule.key) see(rule.key);
    if (branch.value) see(branch.value);
    seeBody(branch.body, see);
    return [...found];
  }

  /** The rules at a node that a reference with these keys behind it may be about. */
  private addRules(node: TreeNode, left: readonly Term[], found: Set<number>): void {
    const rules = node.rules.filter((rule) => mayConcern(rule, left));
    if (rules.length === node.rules.length) found.add(this.at(node));
    else for (const vertex of rules.flatMap((rule) => this.verticesOf(rule))) found.add(vertex);
  }

  /** What adds the references of a term to `found`, those of closures in it too. */
  private addingReferences(found: Set<number>): (term: Term) => void {
    const onWay = (node: TreeNode, left: readonly Term[]): void => this.addRules(node, left, found);
    const all = (node: TreeNode): unknown => found.add(this.below(node));
    const see = (t: Term): void => {
      if (t.kind === "Var") {
        if (t.name === "data") this.tree.eachReached([], onWay, all);
      } else if (t.kind === "Ref" && t.head.kind === "Var") {
        if (t.head.name === "data") this.tree.eachReached(t.args, onWay, all);
        for (const a of t.args) see(a);
      } else if (isComprehension(t)) {
        for (const part of comprehensionTerms(t)) see(part);
        seeBody(t.body, see);
      } else {
        if (t.kind === "Call" && t.operator.kind === "Ref") see(t.operator);
        eachTerm(t, see);
      }
    };
    return see;
  }

  /** Every branch, those it depends on before it (where there is no recursion). */
  inOrder(): BranchVertex[] {
    return this.components.flat().flatMap((v) => this.branches[v] ?? []);
  }

  /** Reports recursion and marks the rules as broken. */
  checkRecursion(out: Diagnostic[]): void {
    for (const component of this.components) {
      const [first] = component as [number];
      if (component.length === 1 && !this.edges[first]?.includes(first)) continue;
      const branches = component.filter((v) => v < this.branches.length).sort((a, b) => a - b);
      if (branches.length === 0) continue;
      const members = new Set(component);
      for (const v of branches) (this.branches[v] as BranchVertex).rule.broken = true;
      // One finding a rule, as long as that is of use; a tangle of hundreds is shown by its first few.
      for (const v of branches.slice(0, 20)) this.reportCycle(v, members, out);
    }
  }

  private reportCycle(start: number, members: ReadonlySet<number>, out: Diagnostic[]): void {
    const { rule, branch } = this.branches[start] as BranchVertex;
    const path = this.shortestCycle(start, members).flatMap((v) => this.branches[v]?.rule ?? []);
    const names = path.map(nameOfRule);
    const shown = names.length > 12 ? [...names.slice(0, 6), "…", ...names.slice(-5)] : names;
    const related = path
      .slice(1, -1)
      .slice(0, 10)
      .map((r) => ({ message: `through ${nameOfRule(r)}`, span: r.source.head.span }));
    out.push(
      analyzeDiagnostic("analyze/recursion", { name: nameOfRule(rule), path: shown.join(" -> ") }, branch.source.span, {
        related,
      }),
    );
  }

  private shortestCycle(start: number, members: ReadonlySet<number>): number[] {
    const cameFrom = new Map<number, number>();
    const queue = [start];
    for (let i = 0; i < queue.length; i++) {
      const v = queue[i] as number;
      for (const w of this.edges[v] as number[]) {
        if (w === start) {
          const path = [start];
          for (let u = v; u !== start; u = cameFrom.get(u) as number) path.push(u);
          path.push(start);
          return path.reverse();
        }
        if (!members.has(w) || cameFrom.has(w)) continue;
        cameFrom.set(w, v);
        queue.push(w);
      }
    }
    return [start];
  }

  // ---- for tooling ----

  /** What is reachable from some vertices, where `next` says where a vertex leads. */
  private closure(from: Iterable<number>, next: (vertex: number) => readonly number[]): Set<number> {
    const seen = new Set(from);
    const queue = [...seen];
    for (let v = queue.pop(); v !== undefined; v = queue.pop()) {
      for (const w of next(v)) {
        if (seen.has(w)) continue;
        seen.add(w);
        queue.push(w);
      }
    }
    return seen;
  }

  /** The edges turned round, once they are asked for. */
  private turned: number[][] | undefined;

  private dependentsOf(vertex: number): readonly number[] {
    if (!this.turned) {
      const turned: number[][] = this.edges.map(() => []);
      for (const [from, edges] of this.edges.entries()) for (const to of edges) (turned[to] as number[]).push(from);
      this.turned = turned;
    }
    return this.turned[vertex] as number[];
  }

  /** The rules that read, directly or through others, a document of rules or a part of it. */
  dependents(document: Ref): Set<WorkRule> {
    const node = this.tree.findRef(document);
    if (!node) return new Set();
    const nodes = [node];
    for (const n of nodes) nodes.push(...n.children.values());
    const readers = nodes.flatMap((n) =>
      n.rules.flatMap((rule) => this.verticesOf(rule)).flatMap((v) => this.dependentsOf(v)),
    );
    const start = [...nodes.flatMap((n) => [this.at(n), this.below(n)]), ...readers];
    return this.rulesAmong(this.closure(start, (vertex) => this.dependentsOf(vertex)));
  }

  private verticesOf(rule: WorkRule): number[] {
    return rule.branches.map((b) => this.vertexOfBranch.get(b) as number);
  }

  private rulesAmong(vertices: Iterable<number>): Set<WorkRule> {
    const rules = new Set<WorkRule>();
    for (const v of vertices) {
      const found = this.branches[v];
      if (found) rules.add(found.rule);
    }
    return rules;
  }

  directReferences(rule: WorkRule): Set<WorkRule> {
    const start = new Set(this.verticesOf(rule).flatMap((v) => this.edges[v] as number[]));
    return this.rulesAmong(this.closure(start, (v) => (v < this.branches.length ? [] : (this.edges[v] as number[]))));
  }

  reachable(paths: readonly (readonly string[])[], bodies: readonly Body[]): Set<WorkRule> {
    const start = new Set<number>();
    for (const path of paths) {
      const args: Term[] = path.map((value) => ({ kind: "String", span: noSpan, value, raw: false }));
      this.tree.eachReached(
        args,
        (n, left) => this.addRules(n, left, start),
        (n) => start.add(this.below(n)),
      );
    }
    const see = this.addingReferences(start);
    for (const body of bodies) seeBody(body, see);
    // A rule comes with all of its branches.
    const next = (v: number): readonly number[] => {
      const found = this.branches[v];
      return found ? [...(this.edges[v] as number[]), ...this.verticesOf(found.rule)] : (this.edges[v] as number[]);
    };
    return this.rulesAmong(this.closure(start, next));
  }
}

/** Calls `see` on all terms of a body and of the scopes in it. */
function seeBody(body: Body, see: (term: Term) => void): void {
  for (const expr of body) {
    const b = expr.body;
    if (b.kind === "Every") see(b.domain);
    for (const scope of scopesOf(b)) seeBody(scope.body, see);
    if (isTerm(b)) see(b);
    for (const w of expr.with) {
      see(w.target);
      see(w.value);
    }
  }
}

/** Tarjan's algorithm with a stack of its own. Each component comes after those that it depends on. */
function connectedComponents(edges: readonly (readonly number[])[]): number[][] {
  const n = edges.length;
  const index = new Int32Array(n).fill(-1);
  const low = new Int32Array(n);
  const onStack = new Uint8Array(n);
  const nextEdge = new Int32Array(n);
  const stack: number[] = [];
  const components: number[][] = [];
  let counter = 0;
  for (let root = 0; root < n; root++) {
    if (index[root] !== -1) continue;
    const work = [root];
    while (work.length > 0) {
      const v = work.at(-1) as number;
      if (index[v] === -1) {
        index[v] = low[v] = counter++;
        stack.push(v);
        onStack[v] = 1;
      }
      const out = edges[v] as readonly number[];
      let descended = false;
      while ((nextEdge[v] as number) < out.length) {
        const w = out[nextEdge[v] as number] as number;
        (nextEdge[v] as number)++;
        if (index[w] === -1) {
          work.push(w);
          descended = true;
          break;
        }
        if (onStack[w]) low[v] = Math.min(low[v] as number, index[w] as number);
      }
      if (descended) continue;
      work.pop();
      const parent = work.at(-1);
      if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[v] as number);
      if (low[v] !== index[v]) continue;
      const component: number[] = [];
      for (let w = stack.pop() as number; ; w = stack.pop() as number) {
        onStack[w] = 0;
        component.push(w);
        if (w === v) break;
      }
      components.push(component);
    }
  }
  return components;
}
