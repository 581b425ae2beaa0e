/** The grammar of terms: references and calls, operators. */

import { joinSpans, type Span } from "../diagnostics/index.ts";
import type { Call, Ref, StringTerm, Term, Var } from "./ast.ts";
import type { ParserMethod, TokenType } from "./chevrotain.ts";
import { noTerm } from "./parse-base.ts";
import { CollectionParser, NO_PAIRS, PAIRS } from "./parse-collections.ts";
import * as T from "./token.ts";

interface Operator {
  readonly name: string;
  readonly level: number;
}

/** Binding strength, weakest first; operators of one level group from the left. */
const level = { relation: 1, or: 2, and: 3, sum: 4, product: 5 };

const operators: ReadonlyMap<TokenType, Operator> = new Map([
  [T.Equal, { name: "equal", level: level.relation }],
  [T.NotEqual, { name: "neq", level: level.relation }],
  [T.Less, { name: "lt", level: level.relation }],
  [T.Greater, { name: "gt", level: level.relation }],
  [T.AtMost, { name: "lte", level: level.relation }],
  [T.AtLeast, { name: "gte", level: level.relation }],
  [T.Bar, { name: "or", level: level.or }],
  [T.Intersection, { name: "and", level: level.and }],
  [T.Plus, { name: "plus", level: level.sum }],
  [T.Minus, { name: "minus", level: level.sum }],
  [T.Times, { name: "mul", level: level.product }],
  [T.Divide, { name: "div", level: level.product }],
  [T.Remainder, { name: "rem", level: level.product }],
]);

/** An operator whose right side is being read. */
interface Pending {
  readonly left: Term;
  readonly sign: T.Token;
  readonly operator: Operator;
  /** Which link it is of a chain that leans to the left. */
  readonly link: number;
}

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

function kindName(term: Term): string {
  return kindNames[term.kind] ?? term.kind.toLowerCase();
}

const NAME = { ERR_MSG: "name after `.`" };

export abstract class TermParser extends CollectionParser {
  // ---- operators ----

  /** A term with operators. `pairs` allows `k, v in xs`, which no list of terms does. */
  protected override readonly term: ParserMethod<[pairs: boolean], Term> = this.define("term", (pairs) => {
    const first = this.SUBRULE(this.primary);
    return this.operated(first, pairs);
  });

  /** A first term with the operators behind it: most have none, which costs no rule. */
  protected override operated(first: Term, pairs: boolean): Term {
    if (!this.RECORDING_PHASE && !this.atOperation(pairs)) return first;
    return this.SUBRULE(this.operations, { ARGS: [first, pairs] });
  }

  private atOperation(pairs: boolean): boolean {
    const token = this.LA(1);
    if (token.tokenType === T.Comma) return pairs;
    if (T.isInfixOperator(token)) return true;
    if (!T.isKeywordToken(token)) return false;
    this.nameBehindTerm();
    return this.at(T.In);
  }

  private readonly operations: ParserMethod<[first: Term, pairs: boolean], Term> = this.define(
    "operations",
    (first, pairs) => {
      let left = first;
      this.OPTION(() => {
        left = this.SUBRULE(this.infixes, { ARGS: [first] });
      });
      this.OPTION2({
        GATE: () => pairs,
        DEF: () => {
          const comma = this.CONSUME(T.Comma);
          const value = this.SUBRULE(this.relation);
          if (!this.at(T.In)) this.refuseComma(comma);
          const sign = this.CONSUME(T.In);
          left = this.member(sign, [left, value, this.SUBRULE2(this.relation)]);
        },
      });
      this.nameBehindTerm();
      let links = 0;
      this.MANY({
        GATE: () => !this.atKeywordRef(),
        DEF: () => {
          const sign = this.CONSUME2(T.In);
          left = this.member(sign, [left, this.SUBRULE3(this.relation)]);
          this.limitChain(++links, sign);
        },
      });
      return left;
    },
  );

  protected override nameBehindTerm(): void {
    if (!this.at(T.And) && !this.at(T.Or)) this.nameKeywordRef();
  }

  private refuseComma(comma: T.Token): never {
    const help = "only `key, value in collection` has a comma here";
    const params = { token: "`,` token", expected: "end of expression" };
    return this.fail("rego/unexpected-token", params, this.spanOf(comma), help);
  }

  private member(sign: T.Token, args: readonly [Term, ...Term[]]): Term {
    const at = this.spanOf(sign);
    const name: StringTerm = { kind: "String", span: at, value: `member_${args.length}`, raw: false };
    const operator: Ref = { kind: "Ref", span: at, head: { kind: "Var", span: at, name: "internal" }, args: [name] };
    const span = this.covering(args[0], args.at(-1) as Term);
    return { kind: "Call", span, operator, args, infix: "in", parenthesized: false };
  }

  private covering(left: Term, right: Term): Span {
    return this.RECORDING_PHASE ? this.spanFrom(0) : joinSpans(left.span, right.span);
  }

  /** A term with operators, `in` aside. */
  private readonly relation: ParserMethod<[], Term> = this.define("relation", () => {
    let term = this.SUBRULE(this.primary);
    this.OPTION(() => {
      term = this.SUBRULE(this.infixes, { ARGS: [term] });
    });
    return term;
  });

  /** Operators behind a first term, and the terms that they join: the stronger before the weaker. */
  private readonly infixes: ParserMethod<[first: Term], Term> = this.define("infixes", (first) => {
    const pending: Pending[] = [];
    let right = first;
    this.AT_LEAST_ONE(() => {
      const sign = this.CONSUME(T.InfixOperator);
      this.ACTION(() => this.wait(pending, right, sign));
      right = this.SUBRULE(this.primary);
    });
    return this.ACTION(() => this.joined(pending, right, 0));
  });

  /** An operator waits for its right side, once what binds at least as strongly is joined. */
  private wait(pending: Pending[], right: Term, sign: T.Token): void {
    const operator = operators.get(sign.tokenType) as Operator;
    const waiting = pending.length;
    const left = this.joined(pending, right, operator.level);
    pending.push({ left, sign, operator, link: pending.length < waiting ? this.lastLink + 1 : 1 });
  }

  /** The place of the operator joined last in its chain. */
  private lastLink = 0;

  private joined(pending: Pending[], right: Term, weakest: number): Term {
    let left = right;
    for (let last = pending.at(-1); last !== undefined && last.operator.level >= weakest; last = pending.at(-1)) {
      pending.pop();
      left = this.infix(last.left, last.sign, last.operator.name, left);
      this.limitChain(last.link, last.sign);
      this.lastLink = last.link;
    }
    return left;
  }

  protected infix(left: Term, sign: T.Token, name: string, right: Term): Call {
    const operator: Var = { kind: "Var", span: this.spanOf(sign), name };
    const span = this.covering(left, right);
    return { kind: "Call", span, operator, args: [left, right], infix: sign.image, parenthesized: false };
  }

  // ---- references and calls ----

  /** A term without operators, with everything that touches it: `.name`, `[key]`, `(arguments)`. */
  protected override readonly primary: ParserMethod<[], Term> = this.define("primary", () => {
    this.enter();
    this.nameCalled();
    const enclosed = this.at(T.LParen);
    const head = this.OR(this.heads);
    const term = this.withParts(head, enclosed);
    this.leave();
    return term;
  });

  private readonly heads = [
    ...this.names,
    ...this.scalars,
    { ALT: (): Term => this.SUBRULE(this.negative) },
    { ALT: (): Term => this.SUBRULE(this.array) },
    { ALT: (): Term => this.SUBRULE(this.braces) },
    { ALT: (): Term => this.SUBRULE(this.parentheses) },
    { ALT: (): Term => this.SUBRULE(this.template) },
  ];

  /** A minus belongs to the number after it; before a reference or call it takes that from zero. */
  private readonly negative: ParserMethod<[], Term> = this.define("negative", () => {
    const sign = this.CONSUME(T.Minus);
    return this.OR({
      DEF: [
        { ALT: () => this.SUBRULE(this.negativeNumber, { ARGS: [sign.startOffset] }) },
        {
          ALT: () => {
            const of = this.withParts(this.SUBRULE(this.variable), false);
            const zero: Term = { kind: "Number", span: this.spanOf(sign), text: "0" };
            return { ...this.infix(zero, sign, "minus", of), span: this.spanFrom(sign.startOffset) };
          },
        },
      ],
      ERR_MSG: "number",
    });
  });

  /** Where a term begins, `and(` and `or(` call the functions of these names. */
  protected nameCalled(): void {
    const { tokenType } = this.LA(1);
    if (tokenType !== T.And && tokenType !== T.Or) return;
    if (this.LA(2).tokenType === T.LParen && this.touches(2)) this.become(this.LA(1), T.Identifier);
  }

  /** Whether a part of a reference follows without a space. */
  private atPart(): boolean {
    const { tokenType } = this.LA(1);
    return (tokenType === T.Dot || tokenType === T.LBracket || tokenType === T.LParen) && this.touches();
  }

  protected withParts(head: Term, enclosed: boolean): Term {
    if (!this.RECORDING_PHASE && !this.atPart()) return head;
    this.ACTION(() => this.checkHead(head, enclosed));
    return this.SUBRULE(this.reference, { ARGS: [head] });
  }

  /** The parts behind `head`. A part in parentheses makes a call of everything so far. */
  private readonly reference: ParserMethod<[head: Term], Term> = this.define("reference", (head = noTerm) => {
    const { start } = head.span;
    let base = head;
    let parts: Term[] = [];
    let called = false;
    let calls = 0;
    this.MANY({
      GATE: () => this.atPart() && !(called && this.at(T.LParen)),
      DEF: () => {
        const open = this.LA(1);
        const callee = this.refFrom(start, base, parts);
        const link = this.OR(this.links);
        called = Array.isArray(link);
        if (called) {
          base = this.call(start, callee, link as readonly Term[]);
          parts = [];
          this.limitChain(++calls, open);
        } else parts.push(link as Term);
      },
    });
    return this.refFrom(start, base, parts);
  });

  private refFrom(start: number, base: Term, parts: readonly Term[]): Term {
    return parts.length === 0 ? base : { kind: "Ref", span: this.spanFrom(start), head: base, args: parts };
  }

  private checkHead(head: Term, enclosed: boolean): void {
    const rootInParentheses = enclosed && head.kind === "Var" && (head.name === "input" || head.name === "data");
    const never: readonly Term["kind"][] = ["Null", "Boolean", "Number", "String", "Ref", "TemplateString"];
    if (never.includes(head.kind) || rootInParentheses) {
      this.fail("rego/illegal-ref", { kind: rootInParentheses ? "ref" : kindName(head) }, head.span);
    }
  }

  private call(start: number, callee: Term, args: readonly Term[]): Term {
    const span = this.spanFrom(start);
    if (callee.kind === "Var" && callee.name === "set" && args.length === 0) return { kind: "Set", span, items: [] };
    const operator: Ref | Var =
      callee.kind === "Ref" || callee.kind === "Var"
        ? callee
        : { kind: "Ref", span: callee.span, head: callee, args: [] };
    return { kind: "Call", span, operator, args, infix: undefined, parenthesized: false };
  }

  /** `.name` or `[key]`. */
  protected readonly part: ParserMethod<[], Term> = this.define("part", () => this.OR(this.parts));

  private readonly parts = [{ ALT: () => this.dotPart() }, { ALT: () => this.bracketPart() }];

  /** The same, or the arguments of a call. */
  private readonly links = [...this.parts, { ALT: () => this.SUBRULE(this.args) }];

  private dotPart(): Term {
    this.CONSUME(T.Dot);
    if (!this.touches()) this.unexpected("name directly after `.`");
    const name = this.CONSUME(T.Name, NAME);
    return { kind: "String", span: this.spanOf(name), value: name.image, raw: false };
  }

  private bracketPart(): Term {
    this.CONSUME(T.LBracket);
    const key = this.SUBRULE(this.term, PAIRS);
    this.CONSUME(T.RBracket);
    return key;
  }

  protected readonly args: ParserMethod<[], readonly Term[]> = this.define("args", () => {
    this.CONSUME(T.LParen);
    return this.choose(
      1,
      () => this.at(T.RParen),
      () => {
        this.CONSUME(T.RParen);
        return [];
      },
      () => {
        const first = this.SUBRULE(this.term, NO_PAIRS);
        const items = this.SUBRULE(this.items, { ARGS: [T.RParen, first] });
        this.CONSUME2(T.RParen);
        return items;
      },
    );
  });
}
