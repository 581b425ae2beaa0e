/** `input` and `data` are names of documents: nothing else may take them. */

import type { Diagnostic } from "../diagnostics/index.ts";
import type { Body, Rule } from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { eachClosure, eachClosureOfTerm, isCallOf } from "./walk.ts";

export const isRootName = (name: string): boolean => name === "input" || name === "data";

/** `input := 1` and the like; `closures` says whether there may be any in the body. */
export function checkAssignments(body: Body, closures: boolean, out: Diagnostic[]): void {
  for (const expr of body) {
    const b = expr.body;
    const target = isCallOf(b, "assign") ? b.args[0] : undefined;
    if (target?.kind === "Var" && isRootName(target.name)) {
      out.push(
        analyzeDiagnostic(
          "analyze/shadows-root",
          { what: "variables", name: target.name, kind: "variable" },
          expr.span,
        ),
      );
    }
    if (closures) eachClosure(expr, (c) => checkAssignments(c.body, true, out));
  }
}

export function checkHeadAssignments(head: Rule["head"], out: Diagnostic[]): void {
  const terms = [...head.ref.args, ...(head.key ? [head.key] : []), ...(head.value ? [head.value] : [])];
  for (const t of terms) eachClosureOfTerm(t, (c) => checkAssignments(c.body, true, out));
}
