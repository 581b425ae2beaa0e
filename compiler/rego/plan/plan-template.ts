/**
 * `$"a {x}"`: a call of OPA's internal builtin with the parts. A part that may be undefined is passed in a set, and so is
 * the value of a variable, which may be a set itself.
 */

import { assert } from "../diagnostics/index.ts";
import { isTerm, type TemplateString } from "../syntax/index.ts";
import { local, type Operand } from "./ir.ts";
import { makeSet, planTerm } from "./plan-term.ts";
import type { Scope } from "./scope.ts";

const BUILTIN = "internal.template_string";

export function planTemplate(scope: Scope, term: TemplateString): Operand {
  const parts = term.parts.map((part) => {
    if (typeof part === "string") return scope.string(part);
    assert(isTerm(part.body), "a template holds terms only");
    const value = planTerm(scope, part.body);
    return part.body.kind === "Var" ? makeSet(scope, [value]) : value;
  });
  const result = scope.emitter.local();
  const args = [scope.emitter.array(parts)];
  scope.policy.builtin(BUILTIN, 1);
  scope.emitter.emit({ kind: "CallStmt", func: BUILTIN, args, result });
  return local(result);
}
