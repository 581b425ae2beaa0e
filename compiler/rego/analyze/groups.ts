/** Rules as the planner takes them: one group for each document. */

import { isScalar, type Rule, scalarValue, type Term } from "../syntax/index.ts";
import { compareValues } from "../value/index.ts";
import type { RuleDefinition, RuleGraph, RuleGroup } from "./checked.ts";
import type { DependencyGraph } from "./graph.ts";
import type { WorkRule } from "./work.ts";

const key = (path: readonly string[]): string => JSON.stringify(path);

/** A finished rule with its `else` rules. */
function toRule(rule: WorkRule): Rule {
  let result: Rule | undefined;
  for (const { source, value, final: body } of [...rule.branches].reverse()) {
    const head = { ...source.head, args: rule.args, key: rule.key, value };
    result = { ...source, head, body, else: result };
  }
  return result as Rule;
}

interface Grouped {
  readonly groups: RuleGroup[];
  /** Each finished rule, and the rule that it was made of. */
  readonly finished: ReadonlyMap<WorkRule, Rule>;
}

/** The paths at which a variable makes everything below one document. */
function dynamicPaths(rules: readonly WorkRule[]): Set<string> {
  return new Set(rules.filter((r) => !r.args && r.keys.length > 0).map((r) => key(r.path)));
}

/** The path of the group a rule belongs to: its own, or that of the nearest dynamic document around it. */
function groupPath(rule: WorkRule, dynamic: ReadonlySet<string>): readonly string[] {
  const { path } = rule;
  if (rule.args || dynamic.size === 0) return path;
  for (let length = 1; length < path.length; length++) {
    if (dynamic.has(key(path.slice(0, length)))) return path.slice(0, length);
  }
  return path;
}

export function groupRules(rules: readonly WorkRule[]): Grouped {
  const dynamic = dynamicPaths(rules);
  const byPath = new Map<string, { path: readonly string[]; rules: WorkRule[] }>();
  const finished = new Map<WorkRule, Rule>();
  for (const rule of rules) {
    // A function with a variable in its name cannot be called.
    if (rule.args && rule.keys.length > 0) continue;
    finished.set(rule, toRule(rule));
    const path = groupPath(rule, dynamic);
    const id = `${rule.args ? "function" : "document"} ${key(path)}`;
    const group = byPath.get(id) ?? { path, rules: [] };
    group.rules.push(rule);
    byPath.set(id, group);
  }
  const groups = [...byPath.values()].map(({ path, rules: members }) => ({
    text: path.join("\0"),
    group: toGroup(path, members, dynamic, finished),
  }));
  groups.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return { groups: groups.map(({ group }) => group), finished };
}

function toGroup(
  path: readonly string[],
  rules: readonly WorkRule[],
  dynamic: ReadonlySet<string>,
  finished: ReadonlyMap<WorkRule, Rule>,
): RuleGroup {
  const isObject = dynamic.has(key(path)) && !rules.some((r) => r.args);
  const definitions: RuleDefinition[] = [];
  let defaultRule: Rule | undefined;
  for (const work of rules) {
    const rule = finished.get(work) as Rule;
    if (work.isDefault && !isObject) {
      defaultRule = rule;
      continue;
    }
    const below: Term[] = work.path
      .slice(path.length)
      .map((value) => ({ kind: "String", span: work.source.head.span, value, raw: false }));
    const keys = [...below, ...work.keys, ...(work.key ? [work.key] : [])];
    definitions.push({ rule, keys, addsToSet: work.key !== undefined, isDefault: work.isDefault });
  }
  const holding = definitions.filter((d) => !d.isDefault || !definitions.some((other) => isOpenAround(other, d)));
  const first = rules[0] as WorkRule;
  const kind = isObject ? "partial-object" : first.args ? "function" : first.key ? "partial-set" : "complete";
  return { path, kind, arity: first.args?.length, definitions: holding, defaultRule };
}

/** Whether a definition makes an object around a default, with keys that its body gives: OPA passes over the default then. */
function isOpenAround({ keys, addsToSet }: RuleDefinition, inner: RuleDefinition): boolean {
  const free = keys.findIndex((k) => !isScalar(k));
  if (free < 0 || (addsToSet && free === keys.length - 1)) return false;
  return keys.slice(0, free).every((k, i) => {
    const own = inner.keys[i];
    return isScalar(k) && own !== undefined && isScalar(own) && compareValues(scalarValue(k), scalarValue(own)) === 0;
  });
}

/** The graph in terms of finished rules. */
export function toRuleGraph(graph: DependencyGraph, finished: ReadonlyMap<WorkRule, Rule>): RuleGraph {
  const works = new Map([...finished].map(([work, rule]) => [rule, work]));
  const rulesOf = (found: Iterable<WorkRule>): Set<Rule> => {
    const rules = new Set<Rule>();
    for (const work of found) {
      const rule = finished.get(work);
      if (rule) rules.add(rule);
    }
    return rules;
  };
  return {
    references: (rule) => {
      const work = works.get(rule);
      return work ? rulesOf(graph.directReferences(work)) : new Set();
    },
    reachableFrom: (paths, queries = []) =>
      rulesOf(
        graph.reachable(
          paths,
          queries.map((q) => q.body),
        ),
      ),
  };
}
