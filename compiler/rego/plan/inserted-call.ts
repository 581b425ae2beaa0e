/** Statements that the planner puts into bodies of its own accord: calls of builtins that no source can name. */

import type { Span } from "../diagnostics/index.ts";
import type { Expr, Term } from "../syntax/index.ts";

/** `builtin(args…)`, at `span`. */
export function insertedCall(builtin: string, args: readonly Term[], span: Span): Expr {
  return {
    kind: "Expr",
    span,
    negated: false,
    with: [],
    body: {
      kind: "Call",
      span,
      operator: { kind: "Var", span, name: builtin },
      args,
      infix: undefined,
      parenthesized: false,
    },
  };
}
