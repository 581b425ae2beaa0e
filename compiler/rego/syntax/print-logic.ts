/** `and`, `or`, and negated bodies in the layout of `opa fmt`: a chain of one operator is one list of operands. */

import type { Span } from "../diagnostics/index.ts";
import type { Body, Expr, Logical, Not } from "./ast.ts";
import { beginsWithBrace, leadingUnion } from "./print-operators.ts";
import { TermPrinter } from "./print-terms.ts";

/** An operand; in braces where these are. */
interface Operand {
  readonly body: Body;
  readonly braces: Span | undefined;
}

/** An operator with its right operand, and the row in which its left one ends. */
interface Step {
  readonly operator: Logical["operator"];
  readonly right: Operand;
  readonly leftEndRow: number;
}

export abstract class LogicPrinter extends TermPrinter {
  protected logical(logical: Logical): void {
    const { first, steps } = this.flattened(logical);
    this.operand(first, steps[0]?.operator as Logical["operator"], false);
    let indented = false;
    for (const { operator, right, leftEndRow } of steps) {
      this.write(` ${operator}`);
      if (this.startRow(right) > leftEndRow) {
        if (!indented) this.indent();
        indented = true;
        this.endLine();
        this.startLine();
      } else this.write(" ");
      this.operand(right, operator, true);
    }
    if (indented) this.outdent();
  }

  protected not({ body, braces, span }: Not): void {
    this.write("not ");
    if (braces) return this.braced(body, span);
    const only = body[0] as Expr;
    const kind = only.body.kind;
    this.enclosed(only, only.with.length > 0 || kind === "Logical" || kind === "Not" || beginsWithBrace(only));
  }

  /** `a and b and c` is one list, as long as nothing in it needs parentheses. */
  private flattened({ operator, left, right, leftBraces, rightBraces }: Logical): { first: Operand; steps: Step[] } {
    const [only] = left;
    const isChain = !leftBraces && only?.body.kind === "Logical" && !needsEnclosing(only, operator, false);
    const step = (leftEndRow: number): Step => ({ operator, right: { body: right, braces: rightBraces }, leftEndRow });
    if (isChain) {
      const { first, steps } = this.flattened(only.body);
      return { first, steps: [...steps, step(this.endRowOf(only))] };
    }
    const first = { body: left, braces: leftBraces };
    return { first, steps: [step(this.endRowOf(leftBraces ? { span: leftBraces } : (only as Expr)))] };
  }

  private startRow({ body, braces }: Operand): number {
    return this.rowOf(braces ? { span: braces } : (body[0] as Expr));
  }

  private operand({ body, braces }: Operand, operator: Logical["operator"], isRight: boolean): void {
    if (braces) return this.braced(body, braces);
    const only = body[0] as Expr;
    this.enclosed(only, needsEnclosing(only, operator, isRight));
  }

  private enclosed(expr: Expr, parentheses: boolean): void {
    if (parentheses) this.write("(");
    this.expr(expr);
    if (parentheses) this.write(")");
  }

  private braced(body: Body, whole: Span): void {
    const outer = this.blockUnion;
    this.blockUnion = body[0] && leadingUnion(body[0]);
    const row = this.rowOf({ span: whole });
    this.write("{");
    this.closureBody(body, row, this.endRowOf({ span: whole }));
    this.write(this.rowOf(body.at(-1) as Expr) === row ? " }" : "}");
    this.blockUnion = outer;
  }
}

/** Whether an operand without braces needs parentheses to be read again as it is. */
function needsEnclosing(expr: Expr, operator: Logical["operator"], isRight: boolean): boolean {
  if (expr.with.length > 0) return true;
  if (expr.body.kind !== "Logical") return beginsWithBrace(expr);
  return isRight
    ? !(operator === "or" && expr.body.operator === "and")
    : operator === "and" && expr.body.operator === "or";
}
