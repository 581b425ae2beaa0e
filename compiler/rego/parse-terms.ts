/** The grammar of terms: literals, references and calls, collections and comprehensions, operators. */

import { joinSpans } from "../base/span.ts";
import type { Body, Call, Expr, ObjectComprehension, ObjectTerm, Ref, StringTerm, Term, Var } from "./ast.ts";
import type { IOrAlt, IToken, ParserMethod, TokenType } from "./chevrotain.ts";
import { decodeRawString, decodeRawTemplateText, decodeString, decodeTemplateText } from "./literals.ts";
import { BaseParser, maxChain } from "./parse-base.ts";
import { distinct, distinctEntries } from "./term-key.ts";
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

export abstract class TermParser extends BaseParser {
  /** The statements of a body up to (not including) the token that ends it. */
  abstract readonly query: ParserMethod<[TokenType], Body>;
  /** One statement, without the restrictions of its place. */
  abstract readonly literal: ParserMethod<[], Expr>;

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
      this.nameKeywordRef();
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

  /** Whether a part of a reference touches what was read. */
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

  // ---- literals ----

  readonly scalar: ParserMethod<[], Term> = this.RULE("scalar", (): Term => {
    const first = this.OR([
      { ALT: () => this.CONSUME(T.Null) },
      { ALT: () => this.CONSUME(T.True) },
      { ALT: () => this.CONSUME(T.False) },
      { ALT: () => this.CONSUME(T.StringLiteral) },
      { ALT: () => this.CONSUME(T.RawStringLiteral) },
      { ALT: () => this.CONSUME(T.NumberLiteral) },
      { ALT: () => this.CONSUME(T.Minus) },
    ]);
    // There is no negation: a minus belongs to the number after it, with or without a space.
    const digits = first.tokenType === T.Minus ? this.CONSUME2(T.NumberLiteral, { ERR_MSG: "number" }) : first;
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
        return { kind: "Number", span, text: first === digits ? digits.image : `-${digits.image}` };
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
      if (expr.negated) bad("unexpected negation in template-string expression");
      if (body.kind === "SomeDecl" || body.kind === "Every")
        bad("unexpected declaration in template-string expression");
      if (body.kind === "Call" && body.infix === ":=") bad("unexpected assignment in template-string expression");
      if (body.kind === "Call" && body.infix === "=") bad("unexpected unification in template-string expression");
    });
    this.CONSUME(T.RBrace, { ERR_MSG: "`}` to end the template-string expression" });
    return expr;
  });

  // ---- collections ----

  readonly parentheses: ParserMethod<[], Term> = this.RULE("parentheses", (): Term => {
    this.CONSUME(T.LParen);
    const inner = this.SUBRULE(this.term);
    this.CONSUME(T.RParen, { ERR_MSG: "`)`" });
    return inner.kind === "Call" ? { ...inner, parenthesized: true } : inner;
  });

  /** Terms between commas; one comma more may stand at the end. */
  readonly list: ParserMethod<[end: TokenType, given: Term | undefined], readonly Term[]> = this.RULE(
    "list",
    (end: TokenType, given: Term | undefined): readonly Term[] => {
      const items: Term[] = [];
      if (!given && this.at(end)) return items;
      items.push(this.SUBRULE(this.term, { ARGS: [false, given] }));
      this.MANY({
        GATE: () => this.LA(2).tokenType !== end,
        DEF: () => {
          this.CONSUME(T.Comma);
          items.push(this.SUBRULE2(this.term, { ARGS: [false, undefined] }));
        },
      });
      this.OPTION(() => this.CONSUME2(T.Comma));
      if (!this.RECORDING_PHASE && !this.at(end)) this.unexpected(`\`,\` or \`${end.LABEL}\``);
      return items;
    },
  );

  /** `[…]`: after a first plain term, `|` begins a comprehension wherever the rest can be one. */
  readonly array: ParserMethod<[], Term> = this.RULE("array", (): Term => {
    const open = this.CONSUME(T.LBracket);
    if (this.at(T.RBracket)) {
      this.CONSUME(T.RBracket);
      return { kind: "Array", span: this.spanFrom(open), items: [] };
    }
    const leadingComma = this.at(T.Comma);
    this.OPTION(() => this.CONSUME(T.Comma));
    const first = this.SUBRULE(this.primary);
    if (!leadingComma && this.at(T.Or)) {
      const body = this.comprehensionBody(T.RBracket);
      if (body) {
        this.CONSUME2(T.RBracket);
        return { kind: "ArrayComprehension", span: this.spanFrom(open), term: first, body };
      }
    }
    const items = this.SUBRULE(this.list, { ARGS: [T.RBracket, first] });
    this.CONSUME3(T.RBracket);
    return { kind: "Array", span: this.spanFrom(open), items };
  });

  /** `{…}`: an object, a set, or a comprehension of either. */
  readonly braces: ParserMethod<[], Term> = this.RULE("braces", (): Term => {
    const open = this.CONSUME(T.LBrace);
    if (this.at(T.RBrace)) {
      this.CONSUME(T.RBrace);
      return { kind: "Object", span: this.spanFrom(open), entries: [] };
    }
    const leadingComma = this.at(T.Comma);
    this.OPTION(() => this.CONSUME(T.Comma));
    const first = this.SUBRULE(this.primary);
    if (!leadingComma && this.at(T.Or)) {
      const body = this.comprehensionBody(T.RBrace);
      if (body) {
        this.CONSUME2(T.RBrace);
        return { kind: "SetComprehension", span: this.spanFrom(open), term: first, body };
      }
    }
    const key = this.SUBRULE(this.term, { ARGS: [false, first] });
    if (this.at(T.Colon)) return this.SUBRULE(this.objectRest, { ARGS: [open, key, !leadingComma] });
    if (!this.RECORDING_PHASE && !this.at(T.Comma) && !this.at(T.RBrace)) this.unexpected("`,`, `:` or `}`");
    const items = this.SUBRULE(this.list, { ARGS: [T.RBrace, key] });
    this.CONSUME3(T.RBrace);
    return { kind: "Set", span: this.spanFrom(open), items: this.ACTION(() => distinct(items)) };
  });

  /** An object from the colon after its first key. */
  readonly objectRest: ParserMethod<[IToken, Term, boolean], ObjectTerm | ObjectComprehension> = this.RULE(
    "objectRest",
    (open: IToken, key: Term, mayBeComprehension: boolean): ObjectTerm | ObjectComprehension => {
      this.CONSUME(T.Colon);
      const value = this.SUBRULE(this.primary);
      if (mayBeComprehension && this.at(T.Or)) {
        const body = this.comprehensionBody(T.RBrace);
        if (body) {
          this.CONSUME(T.RBrace);
          return { kind: "ObjectComprehension", span: this.spanFrom(open), key, value, body };
        }
      }
      const entries: [Term, Term][] = [[key, this.SUBRULE(this.term, { ARGS: [false, value] })]];
      this.MANY({
        GATE: () => this.LA(2).tokenType !== T.RBrace,
        DEF: () => {
          this.CONSUME(T.Comma);
          const k = this.SUBRULE2(this.term, { ARGS: [false, undefined] });
          this.CONSUME2(T.Colon);
          entries.push([k, this.SUBRULE3(this.term, { ARGS: [false, undefined] })]);
        },
      });
      this.OPTION(() => this.CONSUME2(T.Comma));
      if (!this.RECORDING_PHASE && !this.at(T.RBrace)) this.unexpected("`,` or `}`");
      this.CONSUME2(T.RBrace);
      return { kind: "Object", span: this.spanFrom(open), entries: this.ACTION(() => distinctEntries(entries)) };
    },
  );

  /** Places of a `|` that was tried as the bar of a comprehension, and is an operator. */
  protected readonly unions = new Set<number>();

  /**
   * The body of a comprehension behind `|`, or `undefined` if the bar is the union operator: `[a | b, c]` can only be an
   * array. Only a comma can tell, so without one in the brackets there is nothing to try. Each bar is tried once, or
   * nested brackets would double the work at every level.
   */
  private comprehensionBody(end: TokenType): Body | undefined {
    const bar = this.place();
    if (this.unions.has(bar)) return undefined;
    const parse = () => this.SUBRULE(this.comprehensionRest, { ARGS: [end] });
    if (!this.commaBefore(end)) return parse();
    const tried = this.attempt(parse);
    if ("value" in tried) return tried.value;
    const { span } = this.toDiagnostic(tried.error);
    if (span === undefined || !this.file.text.startsWith(",", span.start)) throw tried.error;
    this.unions.add(bar);
    return undefined;
  }

  readonly comprehensionRest: ParserMethod<[TokenType], Body> = this.RULE(
    "comprehensionRest",
    (end: TokenType): Body => {
      this.CONSUME(T.Or);
      return this.SUBRULE(this.query, { ARGS: [end] });
    },
  );

  /** Whether a comma stands between here and the closing bracket, outside of inner brackets. */
  private commaBefore(end: TokenType): boolean {
    let open = 0;
    for (let n = 1; ; n++) {
      const type = this.LA(n).tokenType;
      if (type === T.Comma && open === 0) return true;
      if (type === T.LBracket || type === T.LBrace || type === T.LParen) open++;
      else if (type === T.RBracket || type === T.RBrace || type === T.RParen) {
        if (open === 0) return type !== end;
        open--;
      } else if (n > this.input.length) return false;
    }
  }
}
