/** Which decisions' inputs each rule of the author can see. */

import { type CheckedPolicy, eachExprDeep } from "@portcullis/rego/analyze";
import type { Rule } from "@portcullis/rego/syntax";
import { DECISION_KINDS, type DecisionKind } from "@portcullis/runtime/abi";

/**
 * The decisions that reach a rule. A rule is left out that an entrypoint of the author's reaches too, or that is evaluated
 * under another input (`with input`): its input may be anything.
 */
export function seenInputs(policy: CheckedPolicy, isAuthored: (rule: Rule) => boolean): Map<Rule, DecisionKind[]> {
  const seen = new Map<Rule, DecisionKind[]>();
  for (const kind of DECISION_KINDS) {
    for (const rule of policy.graph.reachableFrom([["portcullis", kind, "decision"]])) {
      if (isAuthored(rule)) seen.set(rule, [...(seen.get(rule) ?? []), kind]);
    }
  }
  for (const rule of openRules(policy, isAuthored)) seen.delete(rule);
  return seen;
}

/** The author's rules that decisions ask, whatever else asks them. */
export function reachedRules(policy: CheckedPolicy, isAuthored: (rule: Rule) => boolean): Rule[] {
  const decisions = DECISION_KINDS.map((kind) => ["portcullis", kind, "decision"]);
  return [...policy.graph.reachableFrom(decisions)].filter(isAuthored);
}

function openRules(policy: CheckedPolicy, isAuthored: (rule: Rule) => boolean): Set<Rule> {
  const entrypoints = policy.annotations.filter((a) => a.entrypoint && a.path[0] !== "portcullis").map((a) => a.path);
  const open = new Set(policy.graph.reachableFrom(entrypoints));
  const queue = policy.groups
    .flatMap((g) => g.definitions.map((d) => d.rule))
    .filter((rule) => isAuthored(rule) && replacesInput(rule))
    .flatMap((rule) => [...policy.graph.references(rule)]);
  for (const rule of queue) {
    if (open.has(rule)) continue;
    open.add(rule);
    queue.push(...policy.graph.references(rule));
  }
  return open;
}

function replacesInput(rule: Rule): boolean {
  let found = false;
  for (let branch: Rule | undefined = rule; branch; branch = branch.else) {
    eachExprDeep(branch.body, (expr) => {
      found ||= expr.with.some((w) => w.target.head.kind === "Var" && w.target.head.name === "input");
    });
  }
  return found;
}
