/**
 * The rule groups that an override changes: those that refer to a replaced document or function, and those that refer to
 * such a group. All others have one plan, in every context. Errs towards "changed".
 */

import type { RuleGroup } from "../analyze/checked.ts";
import type { Context } from "./context.ts";
import { pathText } from "./documents.ts";
import { type Uses, usesOf } from "./uses.ts";

export class References {
  private readonly groups: readonly RuleGroup[];
  private readonly uses: ReadonlyMap<RuleGroup, Uses>;
  private readonly referrers = new Map<RuleGroup, RuleGroup[]>();
  private readonly known = new Map<Context, ReadonlySet<RuleGroup>>();

  constructor(groups: readonly RuleGroup[]) {
    this.groups = groups;
    this.uses = new Map(groups.map((g) => [g, usesOf(g)]));
    const index = new PathIndex(groups);
    for (const [group, uses] of this.uses) {
      const targets = new Set(uses.paths.flatMap((path) => index.overlapping(path)));
      for (const target of targets) this.referrers.set(target, [...(this.referrers.get(target) ?? []), group]);
    }
  }

  /** The groups whose plans in this context may differ from those without overrides. */
  affectedBy(context: Context): ReadonlySet<RuleGroup> {
    const known = this.known.get(context);
    if (known !== undefined) return known;
    const affected = new Set<RuleGroup>();
    const work = this.groups.filter((g) => this.mentions(this.uses.get(g) as Uses, context));
    for (let group = work.pop(); group !== undefined; group = work.pop()) {
      if (affected.has(group)) continue;
      affected.add(group);
      for (const referrer of this.referrers.get(group) ?? []) work.push(referrer);
    }
    this.known.set(context, affected);
    return affected;
  }

  private mentions(uses: Uses, context: Context): boolean {
    for (const name of context.functions.keys()) if (uses.builtins.has(name)) return true;
    return uses.paths.some(
      (path) =>
        (context.replaces && path.length === 0) ||
        context.functions.has(pathText(path)) ||
        context.removed.some((removed) => overlap(path, removed)),
    );
  }
}

/** One path is the beginning of the other. */
export function overlap(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Finds groups by path, below it and above it. */
class PathIndex {
  private readonly at = new Map<string, RuleGroup>();
  private readonly below = new Map<string, RuleGroup[]>();

  constructor(groups: readonly RuleGroup[]) {
    for (const group of groups) {
      this.at.set(pathText(group.path), group);
      for (let i = 0; i <= group.path.length; i++) {
        const prefix = pathText(group.path.slice(0, i));
        const list = this.below.get(prefix);
        if (list === undefined) this.below.set(prefix, [group]);
        else list.push(group);
      }
    }
  }

  overlapping(path: readonly string[]): RuleGroup[] {
    const found = [...(this.below.get(pathText(path)) ?? [])];
    for (let i = 0; i < path.length; i++) {
      const above = this.at.get(pathText(path.slice(0, i)));
      if (above !== undefined) found.push(above);
    }
    return found;
  }
}
