/** The grammar of literals and variables, and of template strings, which hold statements. */

import { type Expr, isTerm, type Term, type Var } from "./ast.ts";
import type { ParserMethod } from "./chevrotain.ts";
import { decodeRawString, decodeRawTemplateText, decodeString, decodeTemplateText } from "./literals.ts";
import { BaseParser } from "./parse-base.ts";
import * as T from "./tokens.ts";

export abstract class LiteralParser extends BaseParser {
  /** One statement, without the restrictions of its place. */
  abstract readonly literal: ParserMethod<[], Expr>;

  readonly scalar: ParserMethod<[], Term> = this.RULE("scalar", (): Term => {
    const first = this.OR([
      { ALT: () => this.CONSUME(T.Null) },
      { ALT: () => this.CONSUME(T.True) },
      { ALT: () => this.CONSUME(T.False) },
      { ALT: () => this.CONSUME(T.StringLiteral) },
      { ALT: () => this.CONSUME(T.RawStringLiteral) },
      { ALT: () => this.CONSUME(T.NumberLiteral) },
      { ALT: () => this.CONSUME(T.Dot) },
      { ALT: () => this.CONSUME(T.Minus) },
    ]);
    // A minus belongs to the number after it, with or without a space.
    let digits = first;
    if (first.tokenType === T.Minus)
      digits = this.at(T.Dot) ? this.CONSUME2(T.Dot) : this.CONSUME2(T.NumberLiteral, { ERR_MSG: "number" });
    const fraction = digits.tokenType === T.Dot;
    if (fraction) digits = this.CONSUME3(T.NumberLiteral, { ERR_MSG: "number" });
    const span = this.spanFrom(first);
    switch (first.tokenType) {
      case T.Null:
        return { kind: "Null", span };
      case T.True:
      case T.False:
        return { kind: "Boolean", span, value: first.tokenType === T.True };
      case T.StringLiteral:
        return { kind: "String", span, value: decodeString(first.image).value, raw: false };
      case T.RawStringLiteral:
        return { kind: "String", span, value: decodeRawString(first.image).value, raw: true };
      default:
        return {
          kind: "Number",
          span,
          text: (first.tokenType === T.Minus ? "-" : "") + (fraction ? "0." : "") + digits.image,
        };
    }
  });

  readonly variable: ParserMethod<[], Var> = this.RULE("variable", (): Var => {
    const token = this.OR([{ ALT: () => this.CONSUME(T.Identifier) }, { ALT: () => this.CONSUME(T.Contains) }]);
    return { kind: "Var", span: this.spanOf(token), name: token.image };
  });

  readonly template: ParserMethod<[], Term> = this.RULE("template", (): Term => {
    const first = this.LA(1);
    const raw = first.tokenType === T.RawTemplateOpen;
    const parts: (string | Expr)[] = [];
    this.OR([{ ALT: () => this.CONSUME(T.TemplateOpen) }, { ALT: () => this.CONSUME(T.RawTemplateOpen) }]);
    this.MANY(() => {
      this.OR2([
        { ALT: () => parts.push(decodeTemplateText(this.CONSUME(T.TemplateText).image).value) },
        { ALT: () => parts.push(decodeRawTemplateText(this.CONSUME(T.RawTemplateText).image).value) },
        { ALT: () => parts.push(this.SUBRULE(this.interpolation)) },
      ]);
    });
    if (!this.RECORDING_PHASE && !this.at(T.TemplateClose) && !this.at(T.RawTemplateClose)) {
      this.fail("rego/illegal-string", { reason: "non-terminated string" }, this.spanFrom(first));
    }
    this.OR3([{ ALT: () => this.CONSUME(T.TemplateClose) }, { ALT: () => this.CONSUME(T.RawTemplateClose) }]);
    return { kind: "TemplateString", span: this.spanFrom(first), raw, parts };
  });

  readonly interpolation: ParserMethod<[], Expr> = this.RULE("interpolation", (): Expr => {
    this.CONSUME(T.LBrace);
    const expr = this.SUBRULE(this.literal);
    this.ACTION(() => {
      const { body } = expr;
      const bad = (reason: string) => this.fail("rego/illegal-template", { reason }, expr.span);
      if (expr.negated || body.kind === "Not") bad("unexpected negation in template-string expression");
      if (!isTerm(body)) bad("unexpected declaration in template-string expression");
      if (body.kind === "Call" && body.infix === ":=") bad("unexpected assignment in template-string expression");
      if (body.kind === "Call" && body.infix === "=") bad("unexpected unification in template-string expression");
    });
    this.CONSUME(T.RBrace, { ERR_MSG: "`}` to end the template-string expression" });
    return expr;
  });
}
