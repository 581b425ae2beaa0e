/** Statements and bodies in the layout of `opa fmt`. */

import type { Body, Call, Every, Expr, SomeDecl, Term, With } from "./ast.ts";
import { builtin } from "./builtins.ts";
import { LogicPrinter } from "./print-logic.ts";
import { infixOf, leadingMinus, leadingUnion, needsParentheses } from "./print-operators.ts";
import type { Located } from "./print-terms.ts";

export class StatementPrinter extends LogicPrinter {
  /** The body of a rule, between its braces. */
  protected block(body: Body): void {
    this.blockUnion = body[0] && leadingUnion(body[0]);
    this.body(body);
    this.blockUnion = undefined;
  }

  /** Statements on lines of their own; a gap between two stays, as one blank line. */
  body(body: Body): void {
    let end: number | undefined;
    for (const expr of body) {
      if (end !== undefined && this.rowOf(expr) > end + 1) this.blankLine();
      this.lineMinus = end === undefined ? undefined : leadingMinus(expr);
      this.expr(expr);
      this.lineMinus = undefined;
      end = this.endRowOf(expr);
      this.reach(end);
      this.endLine();
    }
  }

  expr(expr: Expr): void {
    this.reach(this.rowOf(expr));
    if (expr.negated) this.write("not ");
    const { body } = expr;
    if (body.kind === "SomeDecl") this.some(body);
    else if (body.kind === "Every") this.every(body);
    else if (body.kind === "Not") this.not(body);
    else if (body.kind === "Logical") this.logical(body);
    else if (body.kind === "Call") this.callStatement(body);
    else this.term(body);
    this.withs(expr.with, body);
  }

  /** Operands of the outermost operator go without parentheses, where they can. */
  private callStatement(call: Call): void {
    const infix = infixOf(call);
    const { args } = call;
    if (infix === undefined) {
      if (!this.resultCall(call)) this.plainCall(call);
      return;
    }
    if (infix === "in") return this.operation(call, infix);
    if (call === this.blockUnion) return this.call(call, true);
    const [left, right] = args as [Term, Term];
    this.term(left, needsParentheses(left, infix, "left"));
    this.write(` ${infix} `);
    this.term(right, needsParentheses(right, infix, "right"));
  }

  /** `plus(a, b, c)` is written `c = a + b`. */
  private resultCall({ operator, args }: Call): boolean {
    const sign = operator.kind === "Var" ? builtin(operator.name)?.infix : undefined;
    const [left, right, result] = args;
    if (!sign || sign === "in" || sign === "=" || sign === ":=" || args.length !== 3) return false;
    this.term(result as Term, needsParentheses(result as Term, "=", "left"));
    this.write(" = ");
    this.term(left as Term, needsParentheses(left as Term, sign, "left"));
    this.write(` ${sign} `);
    this.term(right as Term, needsParentheses(right as Term, sign, "right"));
    return true;
  }

  private some({ vars, key, value, domain, span }: SomeDecl): void {
    this.write("some ");
    if (domain !== undefined) {
      if (key) {
        this.term(key, true);
        this.write(", ");
      }
      this.term(value as Term, true);
      this.write(" in ");
      return this.term(domain, true);
    }
    let row = this.rowOf({ span });
    for (const [i, name] of vars.entries()) {
      if (this.rowOf(name) > row) {
        this.endLine();
        this.write("\t");
        row = this.rowOf(name);
      } else if (i > 0) this.write(" ");
      this.term(name);
      if (i < vars.length - 1) this.write(",");
    }
  }

  private every(every: Every): void {
    const row = this.rowOf(every);
    this.write("every ");
    if (every.key) {
      this.term(every.key);
      this.write(", ");
    }
    this.term(every.value);
    this.write(" in ");
    this.term(every.domain, infixOf(every.domain) === "in");
    this.write(" {");
    this.closureBody(every.body, row, this.endRowOf(every));
    const [first, second] = every.body;
    // As in `opa fmt`: one statement on the line has a space on either side, several have not.
    this.write(first && !second && this.rowOf(first) === row ? " }" : "}");
  }

  /** On the line where `what` ends if they began there, and else below it, further right. */
  private withs(withs: readonly With[], what: Located): void {
    let indented = false;
    let last = this.endRowOf(what);
    for (const [i, item] of withs.entries()) {
      const row = this.rowOf(item);
      const newLine = row > last || (i === 0 && row !== last);
      if (newLine || i === 0) last = row;
      if (newLine) {
        if (!indented) this.indent();
        indented = true;
        this.endLine();
        this.startLine();
      }
      this.reach(this.rowOf(item));
      this.write(newLine ? "with " : " with ");
      this.ref(item.target);
      this.write(" as ");
      this.term(item.value);
    }
    if (indented) this.outdent();
  }
}
