/** The builtins that a finished policy calls. */

import { type Body, eachTerm, type Rule, type Term } from "../syntax/index.ts";
import type { RuleGroup } from "./checked.ts";
import { comprehensionTerms, isComprehension, scopesOf } from "./walk.ts";

/** By full name, sorted. `eq` is no call but a statement; a template string is one of `internal.template_string`. */
export function calledBuiltins(groups: readonly RuleGroup[], queries: readonly Body[]): string[] {
  const found = new Set<string>();
  const see = (term: Term): void => {
    if (term.kind === "Call" && term.operator.kind === "Var") found.add(term.operator.name);
    if (term.kind === "TemplateString") found.add("internal.template_string");
    if (isComprehension(term)) {
      for (const t of comprehensionTerms(term)) see(t);
      body(term.body);
    } else eachTerm(term, see);
  };
  const body = (b: Body): void => {
    for (const expr of b) {
      eachTerm(expr, see);
      for (const scope of scopesOf(expr.body)) body(scope.body);
      // A builtin in the place of another function stands alone in its reference.
      for (const { value } of expr.with) {
        if (value.kind === "Ref" && value.args.length === 0 && value.head.kind === "Var") found.add(value.head.name);
      }
    }
  };
  for (const { definitions, defaultRule } of groups) {
    for (const rule of [...definitions.map((d) => d.rule), ...(defaultRule ? [defaultRule] : [])]) {
      for (let r: Rule | undefined = rule; r; r = r.else) body(r.body);
    }
  }
  for (const q of queries) body(q);
  found.delete("eq");
  return [...found].sort();
}
