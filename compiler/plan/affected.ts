/**
 * The rule groups that an override changes: those that refer to a replaced document or function, and those that refer to
 * such a group. All others have one plan, in every context. Errs towards "changed".
 */

import type { RuleGroup } from "../analyze/checked.ts";
import type { Context } from "./context.ts";
import { pathText } from "./documents.ts";
import { usesOf } from "./uses.ts";

export class References {
  private readonly referrers = new Map<RuleGroup, RuleGroup[]>();
  private readonly known = new Map<Context, ReadonlySet<RuleGroup>>();
  /** The groups by the paths that they refer to, and by the builtins; the paths of functions by their names. */
  private readonly byPath = new PathIndex<RuleGroup>();
  private readonly functions = new Map<string, readonly string[]>();
  private readonly byBuiltin = new Map<string, RuleGroup[]>();

  constructor(groups: readonly RuleGroup[]) {
    const index = new PathIndex<RuleGroup>();
    for (const group of groups) {
      index.add(group.path, group);
      if (group.kind === "function") this.functions.set(pathText(group.path), group.path);
    }
    for (const group of groups) {
      const { paths, builtins } = usesOf(group);
      for (const path of paths) this.byPath.add(path, group);
      for (const name of builtins) push(this.byBuiltin, name, group);
      const targets = new Set(paths.flatMap((path) => index.overlapping(path)));
      for (const target of targets) push(this.referrers, target, group);
    }
  }

  /** The groups whose plans in this context may differ from those without overrides. */
  affectedBy(context: Context): ReadonlySet<RuleGroup> {
    const known = this.known.get(context);
    if (known !== undefined) return known;
    const affected = new Set<RuleGroup>();
    const work = this.mentioning(context);
    for (let group = work.pop(); group !== undefined; group = work.pop()) {
      if (affected.has(group)) continue;
      affected.add(group);
      for (const referrer of this.referrers.get(group) ?? []) work.push(referrer);
    }
    this.known.set(context, affected);
    return affected;
  }

  /** The groups that refer to what the context replaces. */
  private mentioning({ functions, removed, replaces }: Context): RuleGroup[] {
    return [
      ...removed.flatMap((path) => this.byPath.overlapping(path)),
      // Values that take the place of functions lie in `data`, so that all of it is another.
      ...(replaces ? this.byPath.at([]) : []),
      ...[...functions.keys()].flatMap((name) => {
        const path = this.functions.get(name);
        return [...(this.byBuiltin.get(name) ?? []), ...(path === undefined ? [] : this.byPath.at(path))];
      }),
    ];
  }
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** One path is the beginning of the other. */
export function overlap(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

interface PathNode<V> {
  /** Values of this path, and of it and all that begin with it. */
  readonly here: V[];
  readonly from: V[];
  readonly below: Map<string, PathNode<V>>;
}

/** Finds values by their paths: at one, below it and above it. */
class PathIndex<V> {
  private readonly root: PathNode<V> = { here: [], from: [], below: new Map() };

  add(path: readonly string[], value: V): void {
    let node = this.root;
    node.from.push(value);
    for (const name of path) {
      let next = node.below.get(name);
      if (next === undefined) {
        next = { here: [], from: [], below: new Map() };
        node.below.set(name, next);
      }
      node = next;
      node.from.push(value);
    }
    node.here.push(value);
  }

  at(path: readonly string[]): readonly V[] {
    let node: PathNode<V> | undefined = this.root;
    for (const name of path) node = node?.below.get(name);
    return node?.here ?? [];
  }

  overlapping(path: readonly string[]): V[] {
    const above: V[] = [];
    let node = this.root;
    for (const name of path) {
      for (const value of node.here) above.push(value);
      const next = node.below.get(name);
      if (next === undefined) return above;
      node = next;
    }
    return [...above, ...node.from];
  }
}
