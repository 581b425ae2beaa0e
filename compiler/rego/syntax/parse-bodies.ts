/** The grammar of bodies: statements, their separators, `not`, `some`, `every`, `with`, assignment. */

import type { Span } from "../diagnostics/index.ts";
import {
  type Body,
  type Every,
  type Expr,
  type ExprBody,
  isTerm,
  type Ref,
  type SomeDecl,
  type Term,
  type Var,
  type With,
} from "./ast.ts";
import { LogicParser } from "./parse-logic.ts";
import { startsTerm } from "./parse-terms.ts";
import { type ClosingBracket, isInfixOperator } from "./token.ts";

const WITH_TARGET = "target of `with`: `input`, `data` or a function name";

/** The arguments of `x in xs` or `k, v in xs`. */
function membership(term: Term): readonly Term[] | undefined {
  return term.kind === "Call" && term.infix === "in" ? term.args : undefined;
}

export abstract class BodyParser extends LogicParser {
  /** Statements up to `end`, separated by `;` or a line end. */
  protected override query(end: ClosingBracket): Body {
    if (this.at(end)) this.unexpected("statement (found empty body)");
    const body: Expr[] = [this.literal()];
    for (;;) {
      this.nameKeywordRef();
      if (this.at(end) || !(this.at(";") || this.atLiteral())) return body;
      if (!this.takeIf(";") && !this.onNewLine) this.unexpected(`line end, \`;\` or \`${end}\``);
      body.push(this.literal());
    }
  }

  /** A body in braces. */
  protected override block(): Body {
    this.enter();
    this.expect("{");
    const body = this.query("}");
    this.expect("}");
    this.leave();
    return body;
  }

  private atLiteral(): boolean {
    const { kind } = this.next;
    return kind === "not" || kind === "some" || kind === "every" || startsTerm(kind);
  }

  protected override literal(): Expr {
    const leading = this.leadingOperand();
    if (leading) return leading;
    this.nameKeywordRef();
    const first = this.next;
    const negated = this.takeIf("not");
    const group = negated ? this.negatedBody(first) : undefined;
    if (group) return group;
    const keyword = this.next;
    const body = this.form();
    if (negated && (body.kind === "SomeDecl" || body.kind === "Every")) {
      const params = { keyword: `\`${keyword.text}\``, reason: "it cannot be negated" };
      this.fail("rego/illegal-declaration", params, this.spanOf(keyword));
    }
    const withs: With[] = [];
    const declares = body.kind === "SomeDecl" && body.domain === undefined;
    while (this.at("with") && !declares) withs.push(this.with());
    const span = this.spanFrom(first.start);
    if (!isTerm(body)) return { kind: "Expr", span, negated, with: withs, body };
    if (!negated || !this.notBodies) return this.continued({ kind: "Expr", span, negated, with: withs, body }, negated);
    const inner: Expr = { kind: "Expr", span, negated: false, with: [], body };
    return this.continued({ ...this.negation(first, [inner], undefined), with: withs }, true);
  }

  private form(): ExprBody {
    this.nameCalled();
    const { kind } = this.next;
    if (kind === "some") return this.some();
    if (kind === "every") return this.every();
    if (!startsTerm(kind)) this.unexpected("expression");
    return this.statement();
  }

  /** A term, `x := y` or `x = y`. */
  protected override statement(): Term {
    const left = this.term();
    if (!this.at(":=") && !this.at("=")) return left;
    const sign = this.take();
    return this.infix(left, sign, sign.kind === ":=" ? "assign" : "eq", this.term());
  }

  protected override with(): With {
    const { start } = this.take();
    if (!this.at("identifier")) this.unexpected(WITH_TARGET);
    const target = this.primary();
    if (target.kind !== "Ref" && target.kind !== "Var") {
      const params = { token: target.kind.toLowerCase(), expected: WITH_TARGET };
      this.fail("rego/unexpected-token", params, target.span);
    }
    this.expect("as");
    const value = this.term();
    return { kind: "With", span: this.spanFrom(start), target: asRef(target), value };
  }

  /** `some x, y` declares; `some x in xs` and `some k, v in xs` iterate. */
  private some(): SomeDecl {
    const { start } = this.take();
    if (this.atVariableList()) {
      const vars: Var[] = [];
      do vars.push(this.named(this.expect("identifier", "variable")));
      while (this.takeIf(","));
      return {
        kind: "SomeDecl",
        span: this.spanFrom(start),
        vars,
        key: undefined,
        value: undefined,
        domain: undefined,
      };
    }
    const term = this.term();
    const args = membership(term);
    if (!args) {
      const params = { keyword: "`some`", reason: "expected `x in xs` or `k, v in xs`" };
      return this.fail("rego/illegal-declaration", params, term.span);
    }
    const [key, value, domain] = args.length === 3 ? args : [undefined, ...args];
    return { kind: "SomeDecl", span: this.spanFrom(start), vars: [], key, value, domain };
  }

  /** Whether names between commas follow that are neither a domain (`in`) nor the beginning of some other term. */
  private atVariableList(): boolean {
    let n = 0;
    while (this.ahead(n).kind === "identifier" && this.ahead(n + 1).kind === ",") n += 2;
    if (this.ahead(n).kind !== "identifier") return false;
    const { kind, before } = this.ahead(n + 1);
    const follows = this.ahead(n + 2);
    const isName = follows.before === "nothing" && (follows.kind === "." || follows.kind === "[");
    if (kind === "in" && !isName) return n > 2;
    const isPart = before === "nothing" && (kind === "[" || kind === "(");
    if (!isInfixOperator(kind) && kind !== "." && !isPart) return true;
    if (n !== 2) return n > 0;
    // `some k, f(x) in xs` and `some x, y` before a line that begins with a sign: only reading on can tell.
    const { place } = this;
    const tried = this.attempt(() => membership(this.term()));
    this.moveTo(place);
    return !("value" in tried && tried.value !== undefined);
  }

  private every(): Every {
    const { start } = this.take();
    const head = this.everyHead(this.term());
    const body = this.block();
    return { kind: "Every", span: this.spanFrom(start), ...head, body };
  }

  private everyHead(term: Term): { key: Var | undefined; value: Var; domain: Term } {
    const bad = (reason: string, at: Span): never =>
      this.fail("rego/illegal-declaration", { keyword: "`every`", reason }, at);
    const args = membership(term) ?? bad("expected `x in xs { … }` or `k, v in xs { … }`", term.span);
    const [key, value, domain] = (args.length === 3 ? args : [undefined, ...args]) as [Term | undefined, Term, Term];
    if (key !== undefined && key.kind !== "Var") return bad("expected key to be a variable", key.span);
    if (value.kind !== "Var") return bad("expected value to be a variable", value.span);
    return { key, value, domain };
  }

  /** A whole query, as `opa eval` takes it; `undefined` for what is none. */
  queryText(): Body | undefined {
    const tried = this.attempt(() => this.queryBody());
    if ("value" in tried) return tried.value;
    this.noteProblem(tried.problem);
    return undefined;
  }

  /** Statements, which here need no separator. */
  private queryBody(): Body {
    const body: Expr[] = [];
    if (!this.atLiteral()) this.unexpected("expression");
    while (this.atLiteral()) {
      do body.push(this.literal());
      while (this.takeIf(";"));
    }
    if (!this.at("end of text")) this.unexpected("end of text");
    return body;
  }
}

/** A term as a reference: `input` alone is a reference without parts. */
export function asRef(term: Term): Ref {
  if (term.kind === "Ref") return term;
  return { kind: "Ref", span: term.span, head: term, args: [] };
}
