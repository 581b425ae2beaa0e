/** The grammar of terms: references and calls, operators. */

import { joinSpans } from "../diagnostics/index.ts";
import type { Call, Ref, StringTerm, Term, Var } from "./ast.ts";
import { maxChain } from "./parse-base.ts";
import { CollectionParser } from "./parse-collections.ts";
import { type InfixOperator, isInfixOperator, isKeywordKind, type Token, type TokenKind } from "./token.ts";

interface Operator {
  readonly name: string;
  readonly level: number;
}

/** Binding strength, weakest first; operators of one level group from the left. */
const level = { relation: 1, or: 2, and: 3, sum: 4, product: 5 };

const operators: Readonly<Record<InfixOperator, Operator>> = {
  "==": { name: "equal", level: level.relation },
  "!=": { name: "neq", level: level.relation },
  "<": { name: "lt", level: level.relation },
  ">": { name: "gt", level: level.relation },
  "<=": { name: "lte", level: level.relation },
  ">=": { name: "gte", level: level.relation },
  "|": { name: "or", level: level.or },
  "&": { name: "and", level: level.and },
  "+": { name: "plus", level: level.sum },
  "-": { name: "minus", level: level.sum },
  "*": { name: "mul", level: level.product },
  "/": { name: "div", level: level.product },
  "%": { name: "rem", level: level.product },
};

const termStarts: ReadonlySet<TokenKind> = new Set<TokenKind>([
  ...(["null", "true", "false", "string", "raw string", "number", ".", "-"] as const),
  ...(["identifier", "contains", '$"', "$`", "[", "{", "("] as const),
]);

/** Whether a term may begin with a token. */
export function startsTerm(kind: TokenKind): boolean {
  return termStarts.has(kind);
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

export abstract class TermParser extends CollectionParser {
  // ---- operators ----

  /**
   * A term with operators. `pairs` allows `k, v in xs`, which no list of terms does. `given` is a first operand that was
   * parsed already.
   */
  protected override term(pairs = true, given?: Term): Term {
    const first = this.binary(level.relation, given);
    let left = first;
    if (pairs && this.at(",")) {
      const comma = this.take();
      const value = this.binary(level.relation);
      if (!this.at("in")) this.refuseComma(comma);
      left = this.member(this.take(), [first, value, this.binary(level.relation)]);
    }
    if (!this.at("and") && !this.at("or")) this.nameKeywordRef();
    for (let chain = 1; this.at("in") && !this.atKeywordRef(); chain++) {
      const sign = this.take();
      left = this.member(sign, [left, this.binary(level.relation)]);
      this.limitChain(chain, sign);
    }
    return left;
  }

  /** Chains lean to one side: each link is one level of the tree. */
  private limitChain(length: number, at: Token): void {
    if (length > maxChain) this.fail("rego/too-deep", { limit: maxChain }, this.spanOf(at));
  }

  private refuseComma(comma: Token): never {
    const help = "only `key, value in collection` has a comma here";
    const params = { token: "`,` token", expected: "end of expression" };
    return this.fail("rego/unexpected-token", params, this.spanOf(comma), help);
  }

  private member(sign: Token, args: readonly Term[]): Term {
    const at = this.spanOf(sign);
    const name: StringTerm = { kind: "String", span: at, value: `member_${args.length}`, raw: false };
    const operator: Ref = { kind: "Ref", span: at, head: { kind: "Var", span: at, name: "internal" }, args: [name] };
    const span = joinSpans((args[0] as Term).span, (args.at(-1) as Term).span);
    return { kind: "Call", span, operator, args, infix: "in", parenthesized: false };
  }

  /** Operators that bind at least as strongly as `weakest`. */
  private binary(weakest: number, given?: Term): Term {
    let left = given ?? this.primary();
    for (let chain = 1; ; chain++) {
      const { kind } = this.next;
      if (!isInfixOperator(kind)) return left;
      const operator = operators[kind];
      if (operator.level < weakest) return left;
      const sign = this.take();
      left = this.infix(left, sign, operator.name, this.binary(operator.level + 1));
      this.limitChain(chain, sign);
    }
  }

  protected infix(left: Term, sign: Token, name: string, right: Term): Call {
    const operator: Var = { kind: "Var", span: this.spanOf(sign), name };
    const span = joinSpans(left.span, right.span);
    return { kind: "Call", span, operator, args: [left, right], infix: sign.text, parenthesized: false };
  }

  // ---- references and calls ----

  /** A term without operators, with everything that touches it: `.name`, `[key]`, `(arguments)`. */
  protected override primary(): Term {
    this.enter();
    this.nameCalled();
    const enclosed = this.at("(");
    const term = this.atNegatedName() ? this.negated() : this.withParts(this.head(), enclosed);
    this.leave();
    return term;
  }

  private head(): Term {
    const { kind } = this.next;
    if (kind === "string" || kind === "raw string") return this.string();
    if (kind === "number" || kind === "." || kind === "-") return this.number();
    if (kind === "[") return this.array();
    if (kind === "{") return this.braces();
    if (kind === "(") return this.parentheses();
    if (kind === "null" || kind === "true" || kind === "false") return this.word();
    if (kind === '$"' || kind === "$`") return this.template();
    return this.variable();
  }

  private atNegatedName(): boolean {
    if (!this.at("-")) return false;
    const { kind } = this.ahead(1);
    return kind === "identifier" || kind === "contains";
  }

  /** A minus before a reference or call takes it from zero. */
  private negated(): Term {
    const sign = this.take();
    const of = this.withParts(this.variable(), false);
    const zero: Term = { kind: "Number", span: this.spanOf(sign), text: "0" };
    return { ...this.infix(zero, sign, "minus", of), span: this.spanFrom(sign.start) };
  }

  /** Where a term begins, `and(` and `or(` call the functions of these names. */
  protected nameCalled(): void {
    if (!this.at("and") && !this.at("or")) return;
    const { kind, before } = this.ahead(1);
    if (kind === "(" && before === "nothing") this.next.kind = "identifier";
  }

  /** Whether a part of a reference follows without a space. */
  private atPart(): boolean {
    return (this.at(".") || this.at("[") || this.at("(")) && this.touches;
  }

  protected withParts(head: Term, enclosed: boolean): Term {
    if (!this.atPart()) return head;
    this.checkHead(head, enclosed);
    return this.reference(head);
  }

  /** The parts behind `head`. A part in parentheses makes a call of everything so far. */
  private reference(head: Term): Term {
    const { start } = head.span;
    let base = head;
    let parts: Term[] = [];
    let called = false;
    let chain = 0;
    while (this.atPart() && !(called && this.at("("))) {
      called = this.at("(");
      if (called) {
        const open = this.next;
        base = this.call(start, this.refFrom(start, base, parts));
        parts = [];
        this.limitChain(++chain, open);
      } else parts.push(this.part());
    }
    return this.refFrom(start, base, parts);
  }

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

  private call(start: number, callee: Term): Term {
    const args = this.args();
    const span = this.spanFrom(start);
    if (callee.kind === "Var" && callee.name === "set" && args.length === 0) return { kind: "Set", span, items: [] };
    const operator: Ref | Var =
      callee.kind === "Ref" || callee.kind === "Var"
        ? callee
        : { kind: "Ref", span: callee.span, head: callee, args: [] };
    return { kind: "Call", span, operator, args, infix: undefined, parenthesized: false };
  }

  /** `.name` or `[key]`. */
  protected part(): Term {
    if (this.at(".")) return this.dotPart();
    this.take();
    const key = this.term();
    this.expect("]");
    return key;
  }

  private dotPart(): StringTerm {
    this.take();
    if (!this.touches) this.unexpected("name directly after `.`");
    const name = this.name("name after `.`");
    return { kind: "String", span: this.spanOf(name), value: name.text, raw: false };
  }

  /** A word; keywords are names in their places. */
  protected name(called: string): Token {
    if (!this.at("identifier") && !isKeywordKind(this.next.kind)) this.unexpected(called);
    return this.take();
  }

  protected args(): readonly Term[] {
    this.take();
    const items = this.list(")");
    this.take();
    return items;
  }
}
