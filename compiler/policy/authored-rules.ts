/** The limits of authors' Rego: it leaves the decision library alone, and an extension package has denials only. */

import { DECISION_KINDS } from "@portcullis/runtime/abi";
import type { CheckedPolicy, RuleGroup } from "../analyze/checked.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import type { Rule } from "../rego/ast.ts";
import { report } from "./codes.ts";

const DECISIONS: ReadonlySet<string> = new Set(DECISION_KINDS);

/** `isAuthored` tells a rule of the author's from one of the library's. */
export function checkAuthoredRules(policy: CheckedPolicy, isAuthored: (rule: Rule) => boolean): Diagnostic[] {
  return policy.groups.flatMap((group) => {
    if (group.path[0] !== "portcullis") return [];
    const rules = [
      ...group.definitions.map((d) => d.rule),
      ...(group.defaultRule === undefined ? [] : [group.defaultRule]),
    ];
    return rules.filter(isAuthored).flatMap((rule) => checkRule(group, rule));
  });
}

function checkRule(group: RuleGroup, rule: Rule): Diagnostic[] {
  const path = group.path.join(".");
  const [, second, decision, name, ...rest] = group.path;
  if (second !== "ext") {
    return [
      report("pipeline/reserved-package", { path }, rule.head.span, {
        help: "put the rule into a package of your own, or a denial into `portcullis.ext.<decision>`",
      }),
    ];
  }
  const isDeny =
    DECISIONS.has(decision ?? "") &&
    name === "deny" &&
    rest.length === 0 &&
    group.kind === "partial-set" &&
    !rule.isDefault;
  if (isDeny) return [];
  return [
    report("pipeline/extension-not-deny", { path }, rule.head.span, {
      help: 'write `deny contains {"gate": "…", "reason": "…"} if …` in `portcullis.ext.<decision>`',
    }),
  ];
}
