/**
 * The context of a plan: the overrides of the `with`s around it, as far as they change plans. These are documents that base
 * data replaces, and functions with a replacement. (An override of `input`, or of data where no rule is, changes values only.)
 * Every function is planned once for each context that it is called in.
 *
 * A function replaced by a *value* finds it in `data`, under a key that no policy can write: values, unlike plans, are
 * only known at evaluation.
 */

import type { RuleGroup } from "../analyze/index.ts";
import { type DocumentNode, documentTree, nodeAt, pathText } from "./documents.ts";

/** The key of `data` that holds replacement values. */
export const REPLACEMENTS = "\u0000with";

export type Replacement =
  | { readonly kind: "function"; readonly path: readonly string[] }
  | { readonly kind: "builtin"; readonly name: string }
  | { readonly kind: "value" };

export interface Context {
  readonly id: number;
  readonly documents: DocumentNode;
  /** And those that base data replaces: their functions can be called all the same. */
  readonly all: DocumentNode;
  /** By full function name: `data.app.f`, `count`. */
  readonly functions: ReadonlyMap<string, Replacement>;
  /** Whether `data` may hold REPLACEMENTS. */
  readonly replaces: boolean;
  /** Paths that base data replaces. */
  readonly removed: readonly (readonly string[])[];
}

export interface Override {
  /** Documents at and below this path are base data. */
  readonly removes: readonly string[] | undefined;
  readonly replaces: { readonly name: string; readonly by: Replacement } | undefined;
}

/** Makes contexts and knows the ones made: equal contexts are one. */
export class Contexts {
  readonly base: Context;
  private readonly groups: readonly RuleGroup[];
  private readonly packages: readonly (readonly string[])[];
  private readonly all: DocumentNode;
  private readonly known = new Map<string, Context>();

  constructor(groups: readonly RuleGroup[], packages: readonly (readonly string[])[]) {
    this.groups = groups;
    this.packages = packages;
    this.all = documentTree(groups, packages);
    this.base = this.make([], new Map(), false);
  }

  /** The context below `outer` with more overrides; `outer` itself when they change no plan. */
  under(outer: Context, overrides: readonly Override[]): Context {
    const removed = [...outer.removed];
    const functions = new Map(outer.functions);
    let replaces = outer.replaces;
    for (const o of overrides) {
      if (o.removes !== undefined && nodeAt(outer.documents, o.removes) !== undefined) removed.push(o.removes);
      if (o.replaces === undefined) continue;
      functions.set(o.replaces.name, o.replaces.by);
      replaces ||= o.replaces.by.kind === "value";
    }
    return this.make(removed, functions, replaces);
  }

  /** The body of a function that replaces another is a fresh start: no function is replaced in it. */
  withoutReplacements(context: Context): Context {
    return this.make(context.removed, new Map(), context.replaces);
  }

  private make(
    removed: readonly (readonly string[])[],
    functions: ReadonlyMap<string, Replacement>,
    replaces: boolean,
  ): Context {
    const paths = [...new Map(removed.map((p) => [pathText(p), p]))].sort(([a], [b]) => (a < b ? -1 : 1));
    const mocks = [...functions].sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify([paths.map(([text]) => text), mocks, replaces]);
    const found = this.known.get(key);
    if (found !== undefined) return found;
    const gone = (path: readonly string[]) => paths.some(([, p]) => p.every((name, i) => path[i] === name));
    const { all } = this;
    const documents =
      paths.length === 0
        ? all
        : documentTree(
            this.groups.filter((g) => !gone(g.path)),
            this.packages.filter((p) => !gone(p)),
          );
    const made = { id: this.known.size, documents, all, functions, replaces, removed: paths.map(([, p]) => p) };
    this.known.set(key, made);
    return made;
  }
}
