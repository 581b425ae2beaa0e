/**
 * Coverage, for `portcullis test --coverage` only: every rule is given one more statement at the end of its body, a call of
 * a builtin that the host supplies, with the rule's number. So the host hears of every body that succeeded, and nothing else
 * about the rules changes. Decisions are never made by this module.
 */

import type { CheckedPolicy, RuleDefinition } from "../analyze/index.ts";
import type { Span } from "../diagnostics/index.ts";
import type { Rule, Term } from "../syntax/index.ts";
import { insertedCall } from "./inserted-call.ts";

/** The builtin. Its argument is the index of the rule in `CoverableRules.rules`; it answers `true`. */
export const COVERED = "portcullis.covered";

export interface CoverableRules {
  readonly policy: CheckedPolicy;
  /** Where each rule stands: a definition, or one of its `else`s. Rules without a body succeed when they are asked. */
  readonly rules: readonly Span[];
}

/** Default rules have no number: they hold when no other rule succeeded. */
export function coverRules(checked: CheckedPolicy, isWanted: (rule: Rule) => boolean): CoverableRules {
  const rules: Span[] = [];
  const covered = (rule: Rule): Rule => {
    const { span } = rule;
    const number: Term = { kind: "Number", span, text: String(rules.length) };
    const body = [...rule.body, insertedCall(COVERED, [number], span)];
    rules.push(rule.span);
    return { ...rule, body, else: rule.else === undefined ? undefined : covered(rule.else) };
  };
  const definition = (d: RuleDefinition): RuleDefinition =>
    d.isDefault || !isWanted(d.rule) ? d : { ...d, rule: covered(d.rule) };
  const groups = checked.groups.map((group) => ({ ...group, definitions: group.definitions.map(definition) }));
  // The brand stays true: a call of a builtin with a number is a statement that analysis itself could have made. The graph
  // still speaks of the rules as they were written, which have the same indexes.
  return { policy: { ...checked, groups } as CheckedPolicy, rules };
}
