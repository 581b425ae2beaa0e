/** The grammar of terms: references and calls, operators. */

import { joinSpans } from "../base/span.ts";
import type { Call, Ref, StringTerm, Term, Var } from "./ast.ts";
import type { IOrAlt, IToken, ParserMethod, TokenType } from "./chevrotain.ts";
import { maxChain } from "./parse-base.ts";
import { CollectionParser } from "./parse-collections.ts";
import * as T from "./tokens.ts";

/** Binding strength, weakest first; operators of one level group from the left. */
const level = { in: 1, relation: 2, or: 3, and: 4, sum: 5, product: 6 };

const operators = new Map<TokenType, { readonly name: string; readonly level: number }>([
  [T.Equal, { name: "equal", level: level.relation }],
  [T.NotEqual, { name: "neq", level: level.relation }],
  [T.Less, { name: "lt", level: level.relation }],
  [T.Greater, { name: "gt", level: level.relation }],
  [T.AtMost, { name: "lte", level: level.relation }],
  [T.AtLeast, { name: "gte", level: level.relation }],
  [T.Or, { name: "or", level: level.or }],
  [T.And, { name: "and", level: level.and }],
  [T.Plus, { name: "plus", level: level.sum }],
  [T.Minus, { name: "minus", level: level.sum }],
  [T.Times, { name: "mul", level: level.product }],
  [T.Divide, { name: "div", level: level.product }],
  [T.Remainder, { name: "rem", level: level.product }],
]);

/** Kinds of terms, as messages say them. */
const kindNames: Readonly<Partial<Record<Term["kind"], string>>> = {
  Null: "null",
  Boolean: "boolean",
  Number: "number",
  String: "string",
  Var: "var",
  Ref: "ref",
  TemplateString: "template string",
};

export function kindName(term: Term): string {
  return kindNames[term.kind] ?? term.kind.toLowerCase();
}

export abstract class TermParser extends CollectionParser {
  // ---- operators ----

  /**
   * A term with operators. `pairs` allows `k, v in xs`, which no list of terms does. `given` is a first operand that was
   * parsed already.
   */
  readonly term: ParserMethod<[pairs?: boolean, given?: Term | undefined], Term> = this.RULE(
    "term",
    (pairs = true, given?: Term | undefined): Term => {
      const first = this.SUBRULE(this.binary, { ARGS: [level.relation, given] });
      let left = first;
      if (this.may(pairs && this.at(T.Comma))) {
        this.OPTION(() => {
          const comma = this.CONSUME(T.Comma);
          const value = this.SUBRULE2(this.binary, { ARGS: [level.relation, undefined] });
          if (!this.RECORDING_PHASE && !this.at(T.In)) this.refuseComma(comma);
          const sign = this.CONSUME(T.In);
          const domain = this.SUBRULE3(this.binary, { ARGS: [level.relation, undefined] });
          left = this.member(sign, [first, value, domain]);
        });
      }
      if (!this.at(T.LogicalAnd) && !this.at(T.LogicalOr)) this.nameKeywordRef();
      if (!this.may(this.at(T.In))) return left;
      let chain = 0;
      this.MANY({
        GATE: () => !this.atKeywordRef(),
        DEF: () => {
          const sign = this.CONSUME2(T.In);
          const domain = this.SUBRULE4(this.binary, { ARGS: [level.relation, undefined] });
          left = this.member(sign, [left, domain]);
          this.limitChain(++chain, sign);
        },
      });
      return left;
    },
  );

  /** Chains lean to one side: each link is one level of the tree. */
  private limitChain(length: number, at: IToken): void {
    if (length > maxChain) this.fail("rego/too-deep", { limit: maxChain }, this.spanOf(at));
  }

  private refuseComma(comma: IToken): never {
    const help = "only `key, value in collection` has a comma here";
    const params = { token: "`,` token", expected: "end of expression" };
    return this.fail("rego/unexpected-token", params, this.spanOf(comma), help);
  }

  private member(sign: IToken, args: readonly Term[]): Term {
    return this.ACTION((): Call => {
      const at = this.spanOf(sign);
      const name: StringTerm = { kind: "String", span: at, value: `member_${args.length}`, raw: false };
      const operator: Ref = { kind: "Ref", span: at, head: { kind: "Var", span: at, name: "internal" }, args: [name] };
      const span = joinSpans((args[0] as Term).span, (args.at(-1) as Term).span);
      return { kind: "Call", span, operator, args, infix: "in", parenthesized: false };
    });
  }

  /** Operators that bind at least as strongly as `weakest`. */
  readonly binary: ParserMethod<[weakest: number, given: Term | undefined], Term> = this.RULE(
    "binary",
    (weakest: number, given: Term | undefined): Term => {
      let left = given ?? this.SUBRULE(this.primary);
      const joins = () => (operators.get(this.LA(1).tokenType)?.level ?? 0) >= weakest;
      if (!this.may(joins())) return left;
      let chain = 0;
      this.MANY({
        GATE: joins,
        DEF: () => {
          const sign = this.CONSUME(T.InfixOperator);
          const operator = operators.get(sign.tokenType);
          const right = this.SUBRULE(this.binary, { ARGS: [(operator?.level ?? 0) + 1, undefined] });
          left = this.ACTION(() => this.infix(left, sign, operator?.name ?? "", right));
          this.limitChain(++chain, sign);
        },
      });
      return left;
    },
  );

  protected infix(left: Term, sign: IToken, name: string, right: Term): Call {
    const operator: Var = { kind: "Var", span: this.spanOf(sign), name };
    const span = joinSpans(left.span, right.span);
    return { kind: "Call", span, operator, args: [left, right], infix: sign.image, parenthesized: false };
  }

  // ---- references and calls ----

  /** A term without operators, with everything that touches it: `.name`, `[key]`, `(arguments)`. */
  readonly primary: ParserMethod<[], Term> = this.RULE(
    "primary",
    (): Term =>
      this.nested(() => {
        this.nameCalled();
        if (this.atNegatedName()) return this.SUBRULE(this.negated);
        const enclosed = this.at(T.LParen);
        this.heads ??= [
          { ALT: () => this.SUBRULE(this.scalar) },
          { ALT: () => this.SUBRULE(this.variable) },
          { ALT: () => this.SUBRULE(this.template) },
          { ALT: () => this.SUBRULE(this.array) },
          { ALT: () => this.SUBRULE(this.braces) },
          { ALT: () => this.SUBRULE(this.parentheses) },
        ];
        const head = this.OR(this.heads);
        if (!this.may(this.atPart())) return head;
        return this.SUBRULE(this.reference, { ARGS: [head, enclosed] });
      }),
  );

  private heads: IOrAlt<Term>[] | undefined;

  private atNegatedName(): boolean {
    const { tokenType } = this.LA(2);
    return this.at(T.Minus) && (tokenType === T.Identifier || tokenType === T.Contains);
  }

  /** A minus before a reference or call takes it from zero. */
  private readonly negated: ParserMethod<[], Term> = this.RULE("negated", (): Term => {
    const sign = this.CONSUME(T.Minus);
    const name = this.SUBRULE(this.variable);
    const of = this.atPart() ? this.SUBRULE(this.reference, { ARGS: [name, false] }) : name;
    return this.ACTION(() => {
      const zero: Term = { kind: "Number", span: this.spanOf(sign), text: "0" };
      return { ...this.infix(zero, sign, "minus", of), span: this.spanFrom(sign) };
    });
  });

  /** Where a term begins, `and(` and `or(` call the functions of these names. */
  protected nameCalled(): void {
    const token = this.LA(1);
    const isCall = this.LA(2).tokenType === T.LParen && this.adjacent(2);
    if (isCall && (token.tokenType === T.LogicalAnd || token.tokenType === T.LogicalOr)) this.toName(token);
  }

  /** Whether a part of a reference follows without a space. */
  private atPart(): boolean {
    return (this.at(T.Dot) || this.at(T.LBracket) || this.at(T.LParen)) && this.adjacent();
  }

  /** The parts behind `head`. A part in parentheses makes a call of everything so far. */
  readonly reference: ParserMethod<[Term, boolean], Term> = this.RULE(
    "reference",
    (head: Term, enclosed: boolean): Term => {
      let base = head;
      let parts: Term[] = [];
      let called = false;
      let chain = 0;
      const whole = (): Term =>
        parts.length === 0 ? base : { kind: "Ref", span: this.spanFrom(head.span), head: base, args: parts };
      const part = () =>
        this.OR2([
          { ALT: () => parts.push(this.SUBRULE(this.dotPart)) },
          { ALT: () => parts.push(this.SUBRULE(this.bracketPart)) },
        ]);
      const call = () => {
        const callee = this.ACTION(whole);
        const open = this.LA(1);
        const args = this.SUBRULE(this.args);
        base = this.ACTION(() => this.call(head, callee, args));
        parts = [];
        called = true;
        this.limitChain(++chain, open);
      };
      this.MANY({
        GATE: () => this.atPart() && !(called && this.at(T.LParen)),
        DEF: () => {
          if (!this.RECORDING_PHASE && base === head && parts.length === 0) this.checkHead(head, enclosed);
          called = false;
          this.OR([{ ALT: part }, { ALT: call }]);
        },
      });
      return this.ACTION(whole);
    },
  );

  private checkHead(head: Term, enclosed: boolean): void {
    const rootInParentheses = enclosed && head.kind === "Var" && (head.name === "input" || head.name === "data");
    const never: readonly Term["kind"][] = ["Null", "Boolean", "Number", "String", "Ref", "TemplateString"];
    if (never.includes(head.kind) || rootInParentheses) {
      this.fail("rego/illegal-ref", { kind: rootInParentheses ? "ref" : kindName(head) }, head.span);
    }
  }

  private call(head: Term, callee: Term, args: readonly Term[]): Term {
    const span = this.spanFrom(head.span);
    if (callee.kind === "Var" && callee.name === "set" && args.length === 0) return { kind: "Set", span, items: [] };
    const operator: Ref | Var =
      callee.kind === "Ref" || callee.kind === "Var"
        ? callee
        : { kind: "Ref", span: callee.span, head: callee, args: [] };
    return { kind: "Call", span, operator, args, infix: undefined, parenthesized: false };
  }

  readonly dotPart: ParserMethod<[], StringTerm> = this.RULE("dotPart", (): StringTerm => {
    this.CONSUME(T.Dot);
    if (!this.RECORDING_PHASE && !this.adjacent()) this.unexpected("name directly after `.`");
    const name = this.CONSUME(T.Name, { ERR_MSG: "name after `.`" });
    return { kind: "String", span: this.spanOf(name), value: name.image, raw: false };
  });

  readonly bracketPart: ParserMethod<[], Term> = this.RULE("bracketPart", (): Term => {
    this.CONSUME(T.LBracket);
    const key = this.SUBRULE(this.term);
    this.CONSUME(T.RBracket);
    return key;
  });

  readonly args: ParserMethod<[], readonly Term[]> = this.RULE("args", (): readonly Term[] => {
    this.CONSUME(T.LParen);
    const items = this.SUBRULE(this.list, { ARGS: [T.RParen, undefined] });
    this.CONSUME(T.RParen);
    return items;
  });
}
