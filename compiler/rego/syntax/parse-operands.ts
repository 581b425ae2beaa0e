/** Operands of `and`, `or` and `not` that OPA refuses, with what to write instead. */

import { type Span, sourceText } from "../diagnostics/index.ts";
import type { Body, Expr, Logical } from "./ast.ts";
import { builtin } from "./builtins.ts";
import { TermParser } from "./parse-terms.ts";

export type Operator = Logical["operator"];

/** One side of `and` or `or`: a body in braces, or one statement. The span is that of everything read for it. */
export interface Operand {
  readonly body: Body;
  readonly braces: Span | undefined;
  readonly span: Span;
}

/** What stands before an operand that a `not` negates. */
export const article = (negated: boolean): string => (negated ? "not " : "");

export abstract class OperandParser extends TermParser {
  protected refuseWith(at: Span, operator: Operator): never {
    const help =
      "wrap the operand in `(...)` or `{...}` to scope, " +
      `or move \`with\` after the \`${operator}\` expression to apply it to the whole expression`;
    const reason = `\`with\` modifier is not allowed on operand of \`${operator}\``;
    return this.fail("rego/illegal-operand", { reason }, at, help);
  }

  protected refuseValue(at: Span, operator: Operator): never {
    const help = `wrap the operand to keep the value: \`(${sourceText(at)}) ${operator} ...\``;
    const reason = `operand of \`${operator}\` cannot begin with \`{\` unless the braces hold a body`;
    return this.fail("rego/illegal-operand", { reason }, at, help);
  }

  protected refuseNegatedValue(at: Span): never {
    const text = sourceText(at);
    const help = `write \`not (${text})\` to negate the value, or \`not {${text}}\` for a body holding it`;
    return this.fail(
      "rego/illegal-operand",
      { reason: "`{...}` in an operand position must contain expression(s), got a value" },
      at,
      help,
    );
  }

  /** `{x | y}` is the body `x | y` here, where everyone reads a comprehension. */
  protected refuseUnion({ body: [first], span }: Operand, negated: boolean): void {
    const term = first?.body;
    if (term?.kind !== "Call" || term.infix !== "|" || term.parenthesized) return;
    const braces = sourceText(span);
    const union = first as Expr;
    const from = union.span.start - span.start;
    const wrapped = `${braces.slice(0, from)}(${sourceText(union.span)})${braces.slice(union.span.end - span.start)}`;
    const not = article(negated);
    const help = `write \`${not}(${braces})\` for the comprehension, or \`${not}${wrapped}\` for the set union`;
    const reason =
      "ambiguous `{ ... | ... }` operand: read as a body holding a set-union expression, not as a comprehension";
    this.fail("rego/illegal-operand", { reason }, span, help);
  }

  /** An operand of calls that always succeed decides nothing. */
  protected refuseVoid(body: Body, operator: Operator): void {
    const names = body.map(({ negated, body: term }) => {
      if (negated || term.kind !== "Call" || term.operator.kind !== "Var") return undefined;
      const entry = builtin(term.operator.name);
      return entry && entry.result === undefined ? entry.name : undefined;
    });
    const [name] = names;
    if (name === undefined || names.includes(undefined)) return;
    const help =
      `\`${name}\` produces no value and always succeeds, so the operand can never fail; ` +
      "move it out of the operand, or add an expression that can fail";
    const reason = `operand of \`${operator}\` cannot consist only of calls to \`${name}\``;
    this.note("rego/illegal-operand", { reason }, (body[0] as Expr).span, help);
  }
}
