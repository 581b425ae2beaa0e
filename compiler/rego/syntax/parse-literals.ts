/** The grammar of literals and variables, and of template strings, which hold statements. */

import { type Expr, isTerm, type Term, type Var } from "./ast.ts";
import type { ParserMethod } from "./chevrotain.ts";
import { decodeRawString, decodeRawTemplateText, decodeString, decodeTemplateText } from "./literals.ts";
import { BaseParser } from "./parse-base.ts";
import * as T from "./token.ts";

const NUMBER = { ERR_MSG: "number" };

export abstract class LiteralParser extends BaseParser {
  /** One statement, without the restrictions of its place. */
  protected abstract readonly literal: ParserMethod<[], Expr>;

  /** Literals without a minus. */
  protected readonly scalars = [
    { ALT: () => this.text(this.CONSUME(T.StringLiteral), false) },
    { ALT: () => this.text(this.CONSUME(T.RawStringLiteral), true) },
    { ALT: () => this.number(this.CONSUME(T.NumberLiteral).startOffset, "") },
    { ALT: () => this.fraction() },
    { ALT: (): Term => ({ kind: "Boolean", span: this.spanOf(this.CONSUME(T.True)), value: true }) },
    { ALT: (): Term => ({ kind: "Boolean", span: this.spanOf(this.CONSUME(T.False)), value: false }) },
    { ALT: (): Term => ({ kind: "Null", span: this.spanOf(this.CONSUME(T.Null)) }) },
  ];

  private text(token: T.Token, raw: boolean): Term {
    const { value } = raw ? decodeRawString(token.image) : decodeString(token.image);
    return { kind: "String", span: this.spanOf(token), value, raw };
  }

  /** From an offset to the end of the last token taken, which holds the digits behind `sign`. */
  private number(start: number, sign: string): Term {
    return { kind: "Number", span: this.spanFrom(start), text: sign + this.LA(0).image };
  }

  /** `.5` */
  private fraction(): Term {
    const dot = this.CONSUME(T.Dot);
    this.CONSUME2(T.NumberLiteral, NUMBER);
    return this.number(dot.startOffset, "0.");
  }

  /** What a minus belongs to, with or without a space: a number behind it. */
  protected readonly negativeNumber: ParserMethod<[start: number], Term> = this.define("negativeNumber", (start) => {
    let zero = "-";
    this.OPTION(() => {
      this.CONSUME(T.Dot);
      zero = "-0.";
    });
    this.CONSUME(T.NumberLiteral, NUMBER);
    return this.number(start, zero);
  });

  protected readonly variable: ParserMethod<[], Var> = this.define("variable", () => this.OR(this.names));

  protected readonly names = [
    { ALT: () => this.named(this.CONSUME(T.Identifier)) },
    { ALT: () => this.named(this.CONSUME(T.Contains)) },
  ];

  protected named(token: T.Token): Var {
    return { kind: "Var", span: this.spanOf(token), name: token.image };
  }

  protected readonly template: ParserMethod<[], Term> = this.define("template", () => {
    const open = this.OR([{ ALT: () => this.CONSUME(T.TemplateOpen) }, { ALT: () => this.CONSUME(T.RawTemplateOpen) }]);
    const parts: (string | Expr)[] = [];
    this.MANY(() =>
      this.OR2([
        { ALT: () => parts.push(decodeTemplateText(this.CONSUME(T.TemplateText).image).value) },
        { ALT: () => parts.push(decodeRawTemplateText(this.CONSUME(T.RawTemplateText).image).value) },
        { ALT: () => parts.push(this.SUBRULE(this.interpolation)) },
      ]),
    );
    if (!this.at(T.TemplateClose) && !this.at(T.RawTemplateClose))
      this.fail("rego/illegal-string", { reason: "non-terminated string" }, this.spanFrom(open.startOffset));
    this.OR3([{ ALT: () => this.CONSUME(T.TemplateClose) }, { ALT: () => this.CONSUME(T.RawTemplateClose) }]);
    const raw = open.tokenType === T.RawTemplateOpen;
    return { kind: "TemplateString", span: this.spanFrom(open.startOffset), raw, parts };
  });

  private readonly interpolation: ParserMethod<[], Expr> = this.define("interpolation", () => {
    this.CONSUME(T.LBrace);
    const expr = this.SUBRULE(this.literal);
    this.ACTION(() => this.checkInterpolated(expr));
    this.CONSUME(T.RBrace, { ERR_MSG: "`}` to end the template-string expression" });
    return expr;
  });

  private checkInterpolated({ negated, body, span }: Expr): void {
    const bad = (reason: string) => this.fail("rego/illegal-template", { reason }, span);
    if (negated || body.kind === "Not") bad("unexpected negation in template-string expression");
    if (!isTerm(body)) bad("unexpected declaration in template-string expression");
    if (body.kind === "Call" && body.infix === ":=") bad("unexpected assignment in template-string expression");
    if (body.kind === "Call" && body.infix === "=") bad("unexpected unification in template-string expression");
  }
}
