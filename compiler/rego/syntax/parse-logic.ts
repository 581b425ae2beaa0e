/**
 * The grammar of `and`, `or` and of the negation of more than a term, which a module has to import. `and` binds stronger
 * than `or`, both group from the left, and `not` binds stronger than either. In the place of an operand braces hold a body
 * and parentheses a group of operands; only where the text cannot be read so are they a value.
 */

import { type Span, sourceText } from "../diagnostics/index.ts";
import type { Body, Expr, Logical, Not, Term, With } from "./ast.ts";
import type { ParserMethod } from "./chevrotain.ts";
import { V1_KEYWORDS } from "./keywords.ts";
import { noTerm } from "./parse-base.ts";
import { PAIRS } from "./parse-collections.ts";
import { article, type Operand, OperandParser, type Operator } from "./parse-operands.ts";
import * as T from "./token.ts";

/** What rules are given and give while chevrotain records them. */
export const noOperand: Operand = { body: [], braces: undefined, span: noTerm.span };
export const noExpr: Expr = { kind: "Expr", span: noTerm.span, negated: false, with: [], body: noTerm };

export abstract class LogicParser extends OperandParser {
  /** A body in braces. */
  protected abstract readonly block: ParserMethod<[], Body>;
  /** A term, `x := y` or `x = y`. */
  protected abstract readonly statement: ParserMethod<[], Term>;
  protected abstract readonly with: ParserMethod<[], With>;

  /** Whether the module imports `and` or `or`; whether it imports `not`. */
  protected operators = { and: false, or: false };
  protected notBodies = false;
  /** Places of braces and parentheses that were tried as operands, and are values. */
  private readonly values = new Set<number>();

  /** Back to the keywords that a module of the version has without imports. */
  protected forgetKeywords(): void {
    this.operators = { and: false, or: false };
    this.notBodies = false;
    this.values.clear();
    if (this.version !== 0) return;
    for (const token of this.input)
      if (T.isKeywordToken(token) && V1_KEYWORDS.includes(token.image)) this.become(token, T.Identifier);
  }

  /** What follows the import of a keyword is read with it. */
  protected addKeyword(word: string): void {
    if (word === "not") this.notBodies = true;
    if (word === "and" || word === "or") this.operators[word] = true;
    // As in OPA, `every` brings the `in` that it is written with.
    if (word === "every") this.addKeyword("in");
    const type = T.importedKeyword(word);
    if (type === undefined) return;
    for (let n = this.place; n < this.input.length; n++) {
      const token = this.input[n] as T.Token;
      if (token.tokenType === T.Identifier && token.image === word) this.become(token, type);
    }
  }

  /** Whether `and` or `or` may join statements. */
  protected get active(): boolean {
    return this.operators.and || this.operators.or;
  }

  private operator(): Operator | undefined {
    if (this.at(T.And)) return "and";
    return this.at(T.Or) ? "or" : undefined;
  }

  // ---- statements that are more than a term ----

  /** A statement that begins with a body or group as operand; `undefined`, with nothing read, for any other. */
  protected leadingOperand(): Expr | undefined {
    if (!this.active || this.values.has(this.place)) return undefined;
    if (this.at(T.LBrace)) {
      const place = this.place;
      const start = this.startOf(this.LA(1));
      const tried = this.attempt(() => this.SUBRULE8(this.block));
      if ("value" in tried && this.operator()) {
        const span = this.spanFrom(start);
        const operand = { body: tried.value, braces: span, span };
        this.refuseUnion(operand, false);
        return this.withModifiers(this.chained(operand));
      }
      this.moveTo(place);
      this.values.add(place);
      return undefined;
    }
    if (!this.at(T.LParen)) return undefined;
    const group = this.group(false, false);
    if (!group) return undefined;
    // The place of a lone group is that of its parentheses.
    return this.withModifiers(this.operator() ? this.chained(group) : { ...(group.body[0] as Expr), span: group.span });
  }

  /** `not { … }` and `not (x or y)`, from behind the `not`; `undefined`, with nothing read, for a plain term. */
  protected negatedBody(not: T.Token): Expr | undefined {
    if (!this.notBodies) return undefined;
    const inner = this.negatedOperand(not);
    if (!inner) return undefined;
    return this.withModifiers(this.operator() ? this.chained(inner) : (inner.body[0] as Expr));
  }

  /** `not x` where nothing of x is evaluated outside. The modifiers stay outside. */
  protected negation(not: T.Token, body: Body, braces: Span | undefined): Expr {
    const span = this.spanFrom(not.startOffset);
    const negated: Not = { kind: "Not", span, body, braces };
    return { kind: "Expr", span, negated: false, with: [], body: negated };
  }

  /** A statement that was read, and the operators behind it. */
  protected continued(expr: Expr, negated: boolean): Expr {
    const operator = this.operator();
    if (!operator) return expr;
    const [modifier] = expr.with;
    if (modifier) this.refuseWith(modifier.span, operator);
    const { text } = expr.span.file;
    if (!negated && text[expr.span.start] === "{") {
      if (expr.body.kind === "Object" && expr.body.entries.length === 0)
        this.fail("rego/illegal-operand", { reason: "found empty body" }, expr.span);
      this.refuseValue(expr.span, operator);
    }
    return this.withModifiers(this.chained({ body: [expr], braces: undefined, span: expr.span }));
  }

  private withModifiers(expr: Expr): Expr {
    if (!this.at(T.With)) return expr;
    const withs: With[] = [...expr.with];
    while (this.at(T.With)) withs.push(this.SUBRULE8(this.with));
    return { ...expr, span: this.spanFrom(expr.span.start), with: withs };
  }

  // ---- chains ----

  private chained(first: Operand): Expr {
    return this.SUBRULE8(this.chain, { ARGS: [first] });
  }

  /** Everything that operators join to `first`. */
  protected readonly chain: ParserMethod<[first: Operand], Expr> = this.define("chain", (first) => {
    let left = this.SUBRULE(this.conjunction, { ARGS: [first] });
    let links = 0;
    this.MANY(() => {
      this.limitChain(++links, this.CONSUME(T.Or));
      const right = this.SUBRULE(this.operand, { ARGS: ["or"] });
      left = this.join("or", left, this.SUBRULE2(this.conjunction, { ARGS: [right] }));
    });
    return this.ACTION(() => left.body[0] as Expr);
  });

  private readonly conjunction: ParserMethod<[first: Operand], Operand> = this.define("conjunction", (first) => {
    let left = first;
    let links = 0;
    this.MANY(() => {
      this.limitChain(++links, this.CONSUME(T.And));
      left = this.join("and", left, this.SUBRULE(this.operand, { ARGS: ["and"] }));
    });
    return left;
  });

  private join(operator: Operator, left: Operand, right: Operand): Operand {
    if (this.RECORDING_PHASE) return left;
    for (const { body } of [left, right]) this.refuseVoid(body, operator);
    const span = this.spanFrom(left.span.start);
    const body: Logical = {
      kind: "Logical",
      span,
      operator,
      left: left.body,
      right: right.body,
      leftBraces: left.braces,
      rightBraces: right.braces,
    };
    const expr: Expr = { kind: "Expr", span, negated: false, with: [], body };
    return { body: [expr], braces: undefined, span };
  }

  // ---- operands ----

  /** An operand of `operator`; without one its reader only tries. */
  private readonly operand: ParserMethod<[operator: Operator | undefined], Operand> = this.define(
    "operand",
    (operator) => {
      if (this.RECORDING_PHASE) return this.recordedOperand();
      this.enter();
      const operand = this.operandOf(operator);
      this.leave();
      return operand;
    },
  );

  /** What `operandOf` and `leadingOperand` read by trying, as chevrotain records it. */
  private recordedOperand(): Operand {
    this.OPTION(() => this.CONSUME(T.Not));
    const isScope = () => true;
    this.choose(
      1,
      isScope,
      () => this.SUBRULE(this.scope),
      () => void this.SUBRULE(this.statement),
    );
    return noOperand;
  }

  /** A body in braces, or a group in parentheses. */
  protected readonly scope: ParserMethod<[], void> = this.define("scope", () => {
    this.OR([
      { ALT: () => this.SUBRULE(this.block) },
      {
        ALT: () => {
          this.CONSUME(T.LParen);
          this.SUBRULE(this.operand, { ARGS: [undefined] });
          this.SUBRULE(this.chain, { ARGS: [noOperand] });
          this.CONSUME(T.RParen);
        },
      },
    ]);
  });

  private operandOf(operator: Operator | undefined): Operand {
    const start = this.startOf(this.LA(1));
    if (this.at(T.LBrace)) return this.braced(operator);
    if (this.at(T.Not) && !this.atKeywordRef()) {
      const not = this.take();
      const inner = this.notBodies ? this.negatedOperand(not) : undefined;
      if (inner) return inner;
      const term = this.SUBRULE8(this.statement);
      const span = this.spanFrom(start);
      const plain: Expr = { kind: "Expr", span, negated: false, with: [], body: term };
      const expr = this.notBodies ? this.negation(not, [plain], undefined) : { ...plain, negated: true };
      return { body: [expr], braces: undefined, span };
    }
    const group = this.at(T.LParen) && this.active ? this.group(true, false) : undefined;
    if (group) return group;
    const body = this.SUBRULE8(this.statement);
    const span = this.spanFrom(start);
    return { body: [{ kind: "Expr", span, negated: false, with: [], body }], braces: undefined, span };
  }

  private braced(operator: Operator | undefined): Operand {
    const place = this.place;
    const start = this.startOf(this.LA(1));
    const tried = this.attempt(() => this.SUBRULE8(this.block));
    if ("problem" in tried) {
      // The braces hold a value, not a body: that is the fault to report.
      if (operator && this.LA(2).tokenType !== T.RBrace) {
        const asTerm = this.attempt(() => this.SUBRULE8(this.term, PAIRS));
        if ("value" in asTerm) this.refuseValue(this.spanFrom(start), operator);
      }
      this.moveTo(Math.max(tried.place, place));
      throw tried.problem;
    }
    const span = this.spanFrom(start);
    const operand = { body: tried.value, braces: span, span };
    this.refuseUnion(operand, false);
    return operand;
  }

  /** `{ … }` or a group behind a `not`, as a negation. */
  private negatedOperand(not: T.Token): Operand | undefined {
    if (this.at(T.LBrace)) {
      const place = this.place;
      const start = this.startOf(this.LA(1));
      const tried = this.attempt(() => this.SUBRULE8(this.block));
      if ("problem" in tried) {
        if (this.LA(2).tokenType !== T.RBrace) {
          const asTerm = this.attempt(() => this.SUBRULE8(this.term, PAIRS));
          if ("value" in asTerm) this.refuseNegatedValue(this.spanFrom(start));
        }
        this.moveTo(Math.max(tried.place, place));
        throw tried.problem;
      }
      const span = this.spanFrom(start);
      this.refuseUnion({ body: tried.value, braces: span, span }, true);
      const expr = this.negation(not, tried.value, span);
      return { body: [expr], braces: undefined, span: expr.span };
    }
    const group = this.at(T.LParen) && this.active ? this.group(true, true) : undefined;
    if (!group) return undefined;
    const expr = this.negation(not, group.body, group.braces);
    return { body: [expr], braces: undefined, span: expr.span };
  }

  /** Operands in parentheses; `undefined`, with nothing read, where they hold a value. */
  private group(isOperand: boolean, negated: boolean): Operand | undefined {
    const place = this.place;
    if (this.values.has(place)) return undefined;
    const open = this.LA(1);
    const none = (): undefined => {
      this.moveTo(place);
      this.values.add(place);
      return undefined;
    };
    if (this.LA(2).tokenType === T.RParen) {
      if (isOperand) this.fail("rego/illegal-operand", { reason: "empty parenthesized group" }, this.spanOf(open));
      return undefined;
    }
    const tried = this.attempt(() => {
      this.take();
      return this.SUBRULE8(this.operand, { ARGS: [undefined] });
    });
    if ("problem" in tried) return none();
    const inner = tried.value;
    if (this.operator()) {
      const expr = this.withModifiers(this.chained(inner));
      return this.closed(open, { body: [expr], braces: undefined });
    }
    const [first] = inner.body;
    if (this.at(T.With) && !inner.braces && first) {
      const modifier = this.LA(1);
      const expr = this.withModifiers(first);
      const operator = this.operator();
      if (operator) this.refuseWith(this.spanOf(modifier), operator);
      const group = this.closed(open, { body: [expr], braces: undefined });
      return isOperand || this.operator() ? group : none();
    }
    if (inner.braces) {
      const braces = inner.span;
      this.moveTo(place);
      const asTerm = this.attempt(() => this.SUBRULE8(this.primary));
      if ("problem" in asTerm) {
        const help = `drop the parens to keep the body: \`${article(negated)}${sourceText(braces)}\``;
        const reason = "`(...)` in an operand position cannot contain a body";
        this.fail("rego/illegal-operand", { reason }, this.spanOf(open), help);
      }
      return none();
    }
    const kind = first?.body.kind;
    if (kind === "Logical" || kind === "Not" || first?.negated) return this.closed(open, inner);
    return none();
  }

  private closed(open: T.Token, { body, braces }: Pick<Operand, "body" | "braces">): Operand {
    if (!this.at(T.RParen)) {
      const reason = "expected ) to close parenthesized group";
      this.fail("rego/illegal-operand", { reason }, this.spanOf(this.LA(1)));
    }
    this.take();
    return { body, braces, span: this.spanFrom(open.startOffset) };
  }
}
