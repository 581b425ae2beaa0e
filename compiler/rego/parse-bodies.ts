/** The grammar of bodies: statements, their separators, `not`, `some`, `every`, `with`, assignment. */

import type { Span } from "../base/span.ts";
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
import type { IOrAlt, IToken, ParserMethod, TokenType } from "./chevrotain.ts";
import { EOF } from "./chevrotain.ts";
import { LogicParser } from "./parse-logic.ts";
import * as T from "./tokens.ts";

/** The arguments of `x in xs` or `k, v in xs`. */
function membership(term: Term): readonly Term[] | undefined {
  return term.kind === "Call" && term.infix === "in" ? term.args : undefined;
}

export abstract class BodyParser extends LogicParser {
  /** Statements up to `end`, separated by `;` or a line end. */
  override readonly query: ParserMethod<[end: TokenType], Body> = this.RULE("query", (end: TokenType): Body => {
    const body: Expr[] = [];
    if (!this.RECORDING_PHASE && this.at(end)) this.unexpected("statement (found empty body)");
    body.push(this.SUBRULE(this.literal));
    this.MANY({
      GATE: () => {
        this.nameKeywordRef();
        return !this.at(end);
      },
      DEF: () => {
        const separated = this.at(T.Semicolon) || this.onNewLine();
        if (!this.RECORDING_PHASE && !separated) this.unexpected(`line end, \`;\` or \`${end.LABEL}\``);
        this.OPTION(() => this.CONSUME(T.Semicolon));
        body.push(this.SUBRULE2(this.literal));
      },
    });
    return body;
  });

  /** A body in braces. */
  override readonly block: ParserMethod<[], Body> = this.RULE(
    "block",
    (): Body =>
      this.nested(() => {
        this.CONSUME(T.LBrace, { ERR_MSG: "`{`" });
        const body = this.SUBRULE(this.query, { ARGS: [T.RBrace] });
        this.CONSUME(T.RBrace);
        return body;
      }),
  );

  override readonly literal: ParserMethod<[], Expr> = this.RULE("literal", (): Expr => {
    const leading = this.leadingOperand();
    if (leading) return leading;
    this.nameKeywordRef();
    const first = this.LA(1);
    const negated = this.at(T.Not);
    if (this.may(negated)) this.OPTION(() => this.CONSUME(T.Not));
    const group = negated ? this.negatedBody(first) : undefined;
    if (group) return group;
    const keyword = this.LA(1);
    this.forms ??= [
      { ALT: () => this.SUBRULE(this.some) },
      { ALT: () => this.SUBRULE(this.every) },
      { ALT: () => this.SUBRULE(this.statement) },
    ];
    this.nameCalled();
    const body = this.OR(this.forms);
    if (negated && (body.kind === "SomeDecl" || body.kind === "Every")) {
      const params = { keyword: `\`${keyword.image}\``, reason: "it cannot be negated" };
      this.fail("rego/illegal-declaration", params, this.spanOf(keyword));
    }
    const withs: With[] = [];
    const declares = body?.kind === "SomeDecl" && body.domain === undefined;
    if (this.may(this.at(T.With) && !declares)) this.MANY(() => withs.push(this.SUBRULE(this.with)));
    const span = this.spanFrom(first);
    if (!this.RECORDING_PHASE && !isTerm(body)) return { kind: "Expr", span, negated, with: withs, body };
    if (!negated || !this.notBodies) return this.continued({ kind: "Expr", span, negated, with: withs, body }, negated);
    const inner: Expr = { kind: "Expr", span, negated: false, with: [], body };
    return this.continued({ ...this.negation(first, [inner], undefined), with: withs }, true);
  });

  private forms: IOrAlt<ExprBody>[] | undefined;

  /** A term, `x := y` or `x = y`. */
  override readonly statement: ParserMethod<[], Term> = this.RULE("statement", (): Term => {
    let left = this.SUBRULE(this.term);
    if (!this.may(this.at(T.Assign) || this.at(T.Unify))) return left;
    this.OPTION(() => {
      const sign = this.OR([{ ALT: () => this.CONSUME(T.Assign) }, { ALT: () => this.CONSUME(T.Unify) }]);
      const right = this.SUBRULE2(this.term);
      left = this.ACTION(() => this.infix(left, sign, sign.tokenType === T.Assign ? "assign" : "eq", right));
    });
    return left;
  });

  override readonly with: ParserMethod<[], With> = this.RULE("with", (): With => {
    const first = this.CONSUME(T.With);
    if (!this.RECORDING_PHASE && !this.at(T.Identifier))
      this.unexpected("target of `with`: `input`, `data` or a function name");
    const target = this.SUBRULE(this.primary);
    this.ACTION(() => {
      if (target.kind !== "Ref" && target.kind !== "Var") {
        const expected = "target of `with`: `input`, `data` or a function name";
        this.fail("rego/unexpected-token", { token: target.kind.toLowerCase(), expected }, target.span);
      }
    });
    this.CONSUME(T.As, { ERR_MSG: "`as`" });
    const value = this.SUBRULE(this.term);
    return { kind: "With", span: this.spanFrom(first), target: asRef(target), value };
  });

  /** `some x, y` declares; `some x in xs` and `some k, v in xs` iterate. */
  readonly some: ParserMethod<[], SomeDecl> = this.RULE("some", (): SomeDecl => {
    const first = this.CONSUME(T.Some);
    const bad = (reason: string, at: Span): never =>
      this.fail("rego/illegal-declaration", { keyword: "`some`", reason }, at);
    if (this.RECORDING_PHASE || !this.atVariableList()) {
      const term = this.SUBRULE(this.term);
      return this.ACTION(() => {
        const args = membership(term);
        if (!args) return bad("expected `x in xs` or `k, v in xs`", term.span);
        const [key, value, domain] = args.length === 3 ? args : [undefined, ...args];
        return { kind: "SomeDecl", span: this.spanFrom(first), vars: [], key, value, domain };
      });
    }
    const vars = [this.declared(this.CONSUME(T.Identifier, { ERR_MSG: "variable" }))];
    while (this.at(T.Comma)) {
      this.CONSUME(T.Comma);
      vars.push(this.declared(this.CONSUME2(T.Identifier, { ERR_MSG: "variable" })));
    }
    return { kind: "SomeDecl", span: this.spanFrom(first), vars, key: undefined, value: undefined, domain: undefined };
  });

  private declared(token: IToken): Var {
    return { kind: "Var", span: this.spanOf(token), name: token.image };
  }

  /** Whether names between commas follow that are neither a domain (`in`) nor the beginning of some other term. */
  private atVariableList(): boolean {
    let n = 1;
    while (this.LA(n).tokenType === T.Identifier && this.LA(n + 1).tokenType === T.Comma) n += 2;
    if (this.LA(n).tokenType !== T.Identifier) return false;
    const { tokenType } = this.LA(n + 1);
    const touches = this.adjacent(n + 1);
    const follows = this.LA(n + 2).tokenType;
    const name = this.adjacent(n + 2) && (follows === T.Dot || follows === T.LBracket);
    if (tokenType === T.In && !name) return n > 3;
    const continues = (tokenType.CATEGORIES?.includes(T.InfixOperator) ?? false) || tokenType === T.Dot;
    const part = touches && (tokenType === T.LBracket || tokenType === T.LParen);
    if (!continues && !part) return true;
    if (n !== 3) return n > 1;
    // `some k, f(x) in xs` and `some x, y` before a line that begins with a sign: only reading on can tell.
    const place = this.place();
    const tried = this.attempt(() => membership(this.SUBRULE2(this.term)));
    this.moveTo(place);
    return !("value" in tried && tried.value !== undefined);
  }

  readonly every: ParserMethod<[], Every> = this.RULE("every", (): Every => {
    const first = this.CONSUME(T.Every);
    const term = this.SUBRULE(this.term);
    const head = this.ACTION(() => this.everyHead(term));
    const body = this.SUBRULE(this.block);
    return { kind: "Every", span: this.spanFrom(first), ...head, body };
  });

  private everyHead(term: Term): { key: Var | undefined; value: Var; domain: Term } {
    const bad = (reason: string, at: Span): never =>
      this.fail("rego/illegal-declaration", { keyword: "`every`", reason }, at);
    const args = membership(term) ?? bad("expected `x in xs { … }` or `k, v in xs { … }`", term.span);
    const [key, value, domain] = (args.length === 3 ? args : [undefined, ...args]) as [Term | undefined, Term, Term];
    if (key !== undefined && key.kind !== "Var") return bad("expected key to be a variable", key.span);
    if (value.kind !== "Var") return bad("expected value to be a variable", value.span);
    return { key, value, domain };
  }

  /** A whole query, as `opa eval` takes it. */
  readonly queryText: ParserMethod<[], Body> = this.RULE("queryText", (): Body => {
    const tried = this.attempt(() => this.SUBRULE(this.queryBody));
    if ("value" in tried) return tried.value;
    // Chevrotain's first rule swallows tokens that it does not know, so errors must not get that far.
    this.found.push(this.toDiagnostic(tried.error));
    this.moveTo(this.input.length);
    return [];
  });

  /** Statements, which here need no separator. */
  readonly queryBody: ParserMethod<[], Body> = this.RULE("queryBody", (): Body => {
    const body: Expr[] = [];
    this.AT_LEAST_ONE({
      ERR_MSG: "statement",
      DEF: () => {
        body.push(this.SUBRULE(this.literal));
        this.MANY(() => {
          this.CONSUME(T.Semicolon);
          body.push(this.SUBRULE2(this.literal));
        });
      },
    });
    if (!this.RECORDING_PHASE && !this.at(EOF)) this.unexpected("end of text");
    return body;
  });
}

/** A target as a reference: `input` alone is a reference without parts. */
function asRef(term: Term): Ref {
  if (term.kind === "Ref") return term;
  return { kind: "Ref", span: term.span, head: term, args: [] };
}
