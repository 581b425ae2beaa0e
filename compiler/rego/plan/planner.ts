/**
 * Checked policy → IR. One plan an entrypoint or query, one function a rule group, made when the first reference to it is
 * planned; the work list keeps chains of rules, however long, from nesting here. Names, order and constants depend on
 * nothing but the policy's content: not on the order of modules, nor of the rules in them.
 */

import type { CheckedPolicy, RuleDefinition, RuleGroup } from "../analyze/index.ts";
import { type Diagnostic, didYouMean, InternalError, type Span } from "../diagnostics/index.ts";
import type { Scalar, Term } from "../syntax/index.ts";
import type { Value } from "../value/index.ts";
import { overlap, References } from "./affected.ts";
import { planDiagnostic } from "./codes.ts";
import { type Context, Contexts, type Override } from "./context.ts";
import { type DocumentNode, nodeAt, pathText } from "./documents.ts";
import { Emitter, PlanLimit } from "./emitter.ts";
import type { BuiltinDecl, Func, Operand, Plan, Policy } from "./ir.ts";
import { sortedDefinitions } from "./order.ts";
import { planDocumentBody } from "./plan-document.ts";
import { planQuery, planReference, planResult } from "./plan-entry.ts";
import { isTable, planKeyed, planTable } from "./plan-keyed.ts";
import { planGroup } from "./plan-rules.ts";
import { type PolicyPlan, Scope } from "./scope.ts";

export interface Planned {
  readonly policy: Policy;
  /** With an error among them, `policy` is incomplete. */
  readonly diagnostics: readonly Diagnostic[];
}

/** By name (`app/authz/allow`), or with a name of its own for what is at `path`, below which a rule defines something. */
export type Entrypoint = string | { readonly name: string; readonly path: readonly Scalar[]; readonly span: Span };

/** A rule with at least this many definitions gets an index. Fewer are asked one after the other in less time. */
export const INDEX_FROM = 8;

export interface PlanOptions {
  /** Calls of `trace` reach the host, as calls of `portcullis.trace`. Else they only ask whether the note is a string. */
  readonly traced?: boolean;
  /** Rules with at least this many definitions get an index, for which plan JSON has no words. Default: no rule does. */
  readonly indexFrom?: number | undefined;
  /**
   * A reference to a partial object by a known key evaluates the object for this key: what its rules say of others is not met.
   * Default: the whole object is evaluated.
   */
  readonly keyed?: boolean;
  /** JSON that is written out is a constant, for which plan JSON has no words. Default: it is built where it stands. */
  readonly constants?: boolean;
}

/** Plans these entrypoints (in this order, each once) and all queries of the policy. */
export function planPolicy(
  checked: CheckedPolicy,
  entrypoints: readonly Entrypoint[],
  options: PlanOptions = {},
): Planned {
  const planner = new Planner(checked, options);
  for (const entrypoint of new Set(entrypoints)) {
    if (typeof entrypoint === "string") planner.entrypoint(entrypoint);
    else planner.attempt(() => planner.plans.push(planReference(planner, planner.base, entrypoint)));
  }
  for (const query of checked.queries)
    planner.attempt(() => planner.plans.push(planQuery(planner, planner.base, query)));
  planner.finish();
  return { policy: planner.policy(), diagnostics: planner.diagnostics };
}

class Planner implements PolicyPlan {
  readonly diagnostics: Diagnostic[] = [];
  readonly plans: Plan[] = [];
  readonly base: Context;
  readonly indexFrom: number;
  private readonly files: readonly string[];
  private readonly references: References;
  private readonly contexts: Contexts;
  private readonly strings: string[] = [];
  private readonly stringIndexes = new Map<string, number>();
  private readonly constants: Value[] = [];
  private readonly builtins = new Map<string, BuiltinDecl>();
  private readonly funcs: Func[] = [];
  private readonly requested = new Set<string>();
  private readonly work: (() => Func)[] = [];
  /** Numbers of the comprehensions that have an index. */
  private readonly indexes = new Map<Term, number>();
  private readonly sorted = new Map<RuleGroup, readonly RuleDefinition[]>();

  /** Rules, as entrypoints name them. */
  private readonly names: readonly string[];

  readonly traced: boolean;
  readonly foldsJson: boolean;
  readonly keyed: boolean;

  constructor(checked: CheckedPolicy, options: PlanOptions) {
    this.traced = options.traced ?? false;
    this.indexFrom = options.indexFrom ?? Number.POSITIVE_INFINITY;
    this.keyed = options.keyed ?? false;
    this.foldsJson = options.constants ?? false;
    this.names = checked.groups.map(({ path }) => path.join("/"));
    const packages = checked.modules.map((m) => m.package.path.args.map((a) => (a.kind === "String" ? a.value : "")));
    this.contexts = new Contexts(checked.groups, packages);
    this.base = this.contexts.base;
    this.references = new References(this.base.documents);
    this.files = [...new Set(checked.modules.map((m) => m.span.file.name))].sort();
  }

  policy(): Policy {
    const builtins = [...this.builtins.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return {
      strings: this.strings,
      constants: this.constants,
      builtins,
      files: this.files,
      plans: this.plans,
      funcs: this.funcs,
    };
  }

  /** Runs a part of planning; a limit that it meets is a finding, and the other parts go on. */
  attempt(part: () => unknown): void {
    try {
      part();
    } catch (e) {
      if (!(e instanceof PlanLimit)) throw e;
      this.diagnostics.push(e.diagnostic);
    }
  }

  entrypoint(name: string): void {
    const node = nodeAt(this.base.documents, name.split("/"));
    if (node === undefined) {
      this.diagnostics.push(
        planDiagnostic("plan/unknown-entrypoint", { entrypoint: name }, undefined, didYouMean(name, this.names)),
      );
    } else if (node.group?.kind === "function" && node.children.size === 0) {
      this.diagnostics.push(
        planDiagnostic("plan/function-entrypoint", { entrypoint: name }, node.group.definitions[0]?.rule.head.span),
      );
    } else this.attempt(() => this.plans.push(planResult(this, this.base, name, node)));
  }

  /** Plans functions until none is missing. */
  finish(): void {
    // The list grows while it is walked.
    for (const make of this.work) this.attempt(() => this.funcs.push(make()));
  }

  string(value: string): number {
    const known = this.stringIndexes.get(value);
    if (known !== undefined) return known;
    const index = this.strings.length;
    this.strings.push(value);
    this.stringIndexes.set(value, index);
    return index;
  }

  constant(value: Value): Operand {
    return { kind: "Constant", index: this.constants.push(value) - 1 };
  }

  builtin(name: string, arity: number): void {
    const known = this.builtins.get(name);
    if (known !== undefined && known.arity !== arity)
      throw new InternalError(`${name} is called with ${arity} and ${known.arity} arguments`);
    this.builtins.set(name, { name, arity });
  }

  groupFunction(from: Context, group: RuleGroup, definitions?: readonly number[]): string {
    const context = this.contextOf(from, group);
    const { name, all } = this.chosen(context, group, definitions);
    const path = definitions === undefined ? [`g${context.id}`, ...group.path] : [];
    this.request(name, () => planGroup(this, context, group, all, { name, path }));
    return name;
  }

  keyedFunction(from: Context, group: RuleGroup, count: number, definitions?: readonly number[]): string {
    const context = this.contextOf(from, group);
    const { name, all } = this.chosen(context, group, definitions);
    const table = isTable(all, count) ? `${name}[*]` : undefined;
    this.groupFunction(from, group, definitions);
    if (table !== undefined) this.request(table, () => planTable(this, context, all, table));
    const keyed = name + "[]".repeat(count);
    this.request(keyed, () => planKeyed(this, context, all, keyed, { count, whole: name, table }));
    return keyed;
  }

  private contextOf(from: Context, group: RuleGroup): Context {
    return this.isAffected(from, group) ? from : this.base;
  }

  /** The definitions of a group, or these of them, in the order in which they are planned, and the name of their function. */
  private chosen(
    { id }: Context,
    group: RuleGroup,
    definitions: readonly number[] | undefined,
  ): { readonly name: string; readonly all: readonly RuleDefinition[] } {
    const whole = `g${id}.${pathText(group.path)}`;
    if (definitions === undefined) return { name: whole, all: this.definitions(group) };
    // Indexes are those of the group; planning follows the order that does not depend on it.
    const chosen = new Set(definitions.map((i) => group.definitions[i] as RuleDefinition));
    const sorted = [...this.definitions(group).entries()].filter(([, d]) => chosen.has(d));
    return { name: `${whole}/${sorted.map(([i]) => i).join(",")}`, all: sorted.map(([, d]) => d) };
  }

  documentFunction(from: Context, at: DocumentNode): string {
    const context = this.isDocumentAffected(from, at) ? from : this.base;
    const node = nodeAt(context.documents, at.path) as DocumentNode;
    const name = `g${context.id}.${pathText(node.path)}`;
    // A function and the documents below its name share a path.
    const unique = node.group === undefined ? name : `${name}/`;
    this.request(unique, () => {
      const emitter = new Emitter(2);
      const result = emitter.local();
      planDocumentBody(new Scope(emitter, this, context), node, result, unique);
      emitter.newBlock();
      emitter.emit({ kind: "ReturnLocalStmt", source: result });
      return { name: unique, path: [], params: [0, 1], result, blocks: emitter.blocks };
    });
    return unique;
  }

  indexFunction({ id }: Context, comprehension: Term, make: (name: string) => Func): string {
    const number = this.indexes.get(comprehension) ?? this.indexes.size;
    this.indexes.set(comprehension, number);
    const name = `g${id} index ${number}`;
    this.request(name, () => make(name));
    return name;
  }

  part(name: string, make: () => Func): void {
    this.request(name, make);
  }

  private isAffected(context: Context, group: RuleGroup): boolean {
    if (context === this.base) return false;
    return this.references.isAffected(context, group);
  }

  private isDocumentAffected(context: Context, node: DocumentNode): boolean {
    if (context === this.base) return false;
    if (node.path.length === 0 && context.replaces) return true;
    if (context.removed.some((removed) => overlap(removed, node.path))) return true;
    const below: DocumentNode[] = [node];
    for (let next = below.pop(); next !== undefined; next = below.pop()) {
      if (next.group !== undefined && this.isAffected(context, next.group)) return true;
      below.push(...next.children.values());
    }
    return false;
  }

  contextUnder(context: Context, overrides: readonly Override[]): Context {
    return this.contexts.under(context, overrides);
  }

  contextWithoutReplacements(context: Context): Context {
    return this.contexts.withoutReplacements(context);
  }

  private request(name: string, make: () => Func): void {
    if (this.requested.has(name)) return;
    this.requested.add(name);
    this.work.push(make);
  }

  private definitions(group: RuleGroup): readonly RuleDefinition[] {
    const known = this.sorted.get(group);
    if (known !== undefined) return known;
    const sorted = sortedDefinitions(group.definitions);
    this.sorted.set(group, sorted);
    return sorted;
  }
}
