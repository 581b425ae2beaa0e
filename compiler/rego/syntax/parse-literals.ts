/** The grammar of literals and variables, and of template strings, which hold statements. */

import { type Expr, isTerm, type Term, type Var } from "./ast.ts";
import { decodeRawString, decodeRawTemplateText, decodeString, decodeTemplateText } from "./literals.ts";
import { BaseParser } from "./parse-base.ts";
import type { Token } from "./token.ts";

export abstract class LiteralParser extends BaseParser {
  /** One statement, without the restrictions of its place. */
  protected abstract literal(): Expr;

  /** `null`, `true` and `false`. */
  protected word(): Term {
    const token = this.take();
    const { kind } = token;
    const span = this.spanOf(token);
    return kind === "null" ? { kind: "Null", span } : { kind: "Boolean", span, value: kind === "true" };
  }

  protected string(): Term {
    const token = this.take();
    const raw = token.kind === "raw string";
    const { value } = raw ? decodeRawString(token.text) : decodeString(token.text);
    return { kind: "String", span: this.spanOf(token), value, raw };
  }

  /** A minus belongs to the number after it, with or without a space. */
  protected number(): Term {
    const { start } = this.next;
    const sign = this.takeIf("-") ? "-" : "";
    const whole = this.takeIf(".") ? "0." : "";
    const digits = this.expect("number", "number").text;
    return { kind: "Number", span: this.spanFrom(start), text: sign + whole + digits };
  }

  protected variable(): Var {
    if (!this.at("identifier") && !this.at("contains")) this.unexpected("expression");
    return this.named(this.take());
  }

  protected named(token: Token): Var {
    return { kind: "Var", span: this.spanOf(token), name: token.text };
  }

  protected template(): Term {
    const { start } = this.next;
    const raw = this.take().kind === "$`";
    const parts: (string | Expr)[] = [];
    for (;;) {
      if (this.at("template text")) parts.push(decodeTemplateText(this.take().text).value);
      else if (this.at("raw template text")) parts.push(decodeRawTemplateText(this.take().text).value);
      else if (this.at("{")) parts.push(this.interpolation());
      else break;
    }
    if (!this.takeIf('"') && !this.takeIf("`")) {
      this.fail("rego/illegal-string", { reason: "non-terminated string" }, this.spanFrom(start));
    }
    return { kind: "TemplateString", span: this.spanFrom(start), raw, parts };
  }

  private interpolation(): Expr {
    this.take();
    const expr = this.literal();
    const { body } = expr;
    const bad = (reason: string) => this.fail("rego/illegal-template", { reason }, expr.span);
    if (expr.negated || body.kind === "Not") bad("unexpected negation in template-string expression");
    if (!isTerm(body)) bad("unexpected declaration in template-string expression");
    if (body.kind === "Call" && body.infix === ":=") bad("unexpected assignment in template-string expression");
    if (body.kind === "Call" && body.infix === "=") bad("unexpected unification in template-string expression");
    this.expect("}", "`}` to end the template-string expression");
    return expr;
  }
}
