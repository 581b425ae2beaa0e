/**
 * The rule groups that an override changes: those that refer to a replaced document or function, and those that refer to
 * such a group. All others have one plan, in every context. Errs towards "changed".
 */

import type { RuleGroup } from "../analyze/index.ts";
import type { Context } from "./context.ts";
import { type DocumentNode, pathText } from "./documents.ts";
import { type Uses, usesOf } from "./uses.ts";

/** What is known of the groups in a context. INVARIANT: of a group that was judged, so were all that it refers to. */
interface Judgement {
  readonly judged: Set<RuleGroup>;
  readonly affected: Set<RuleGroup>;
}

/** Looks at the groups that it is asked of, and at those below them: few tests replace anything. */
export class References {
  private readonly documents: DocumentNode;
  private readonly known = new Map<Context, Judgement>();
  private readonly uses = new Map<RuleGroup, Uses>();
  private readonly targets = new Map<RuleGroup, ReadonlySet<RuleGroup>>();

  /** `documents`: those without overrides. */
  constructor(documents: DocumentNode) {
    this.documents = documents;
  }

  /** Whether the group's plan in this context may differ from that without overrides. */
  isAffected(context: Context, group: RuleGroup): boolean {
    let known = this.known.get(context);
    if (known === undefined) {
      known = { judged: new Set(), affected: new Set() };
      this.known.set(context, known);
    }
    if (!known.judged.has(group)) this.judge(context, group, known);
    return known.affected.has(group);
  }

  private judge(context: Context, group: RuleGroup, { judged, affected }: Judgement): void {
    /** The groups that are not judged yet, each with those of them that refer to it. */
    const fresh = new Map<RuleGroup, RuleGroup[]>([[group, []]]);
    const work: RuleGroup[] = [];
    // The map grows while it is walked.
    for (const next of fresh.keys()) {
      if (this.mentions(next, context)) work.push(next);
      for (const target of this.targetsOf(next)) {
        if (affected.has(target)) work.push(next);
        else if (!judged.has(target)) push(fresh, target, next);
      }
    }
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      if (affected.has(next)) continue;
      affected.add(next);
      for (const referrer of fresh.get(next) ?? []) work.push(referrer);
    }
    for (const next of fresh.keys()) judged.add(next);
  }

  /** Whether the group refers to what the context replaces. */
  private mentions(group: RuleGroup, { functions, removed, replaces }: Context): boolean {
    const { paths, builtins } = this.usesOf(group);
    return (
      paths.some(
        (path) =>
          removed.some((gone) => overlap(gone, path)) ||
          // Values that take the place of functions lie in `data`, so that all of it is another.
          (replaces && path.length === 0) ||
          (functions.size > 0 && functions.has(pathText(path))),
      ) || [...functions.keys()].some((name) => builtins.has(name))
    );
  }

  private usesOf(group: RuleGroup): Uses {
    let uses = this.uses.get(group);
    if (uses === undefined) {
      uses = usesOf(group);
      this.uses.set(group, uses);
    }
    return uses;
  }

  /** The groups that it refers to. */
  private targetsOf(group: RuleGroup): ReadonlySet<RuleGroup> {
    let targets = this.targets.get(group);
    if (targets === undefined) {
      targets = new Set(this.usesOf(group).paths.flatMap((path) => groupsAt(this.documents, path)));
      this.targets.set(group, targets);
    }
    return targets;
  }
}

/** The groups whose documents a path leads to or through, and those below it. */
function groupsAt(documents: DocumentNode, path: readonly string[]): RuleGroup[] {
  const found: RuleGroup[] = [];
  let node: DocumentNode | undefined = documents;
  for (const name of path) {
    if (node.group !== undefined) found.push(node.group);
    node = node.children.get(name);
    if (node === undefined) return found;
  }
  const below: DocumentNode[] = [node];
  for (let next = below.pop(); next !== undefined; next = below.pop()) {
    if (next.group !== undefined) found.push(next.group);
    for (const child of next.children.values()) below.push(child);
  }
  return found;
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
