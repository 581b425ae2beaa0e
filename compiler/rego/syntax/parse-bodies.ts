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
import { EOF, type ParserMethod, type TokenType } from "./chevrotain.ts";
import { IN_BRACES, PAIRS } from "./parse-collections.ts";
import { LogicParser, noExpr, noOperand } from "./parse-logic.ts";
import * as T from "./token.ts";

const WITH_TARGET = "target of `with`: `input`, `data` or a function name";

/** The arguments of `x in xs` or `k, v in xs`. */
function membership(term: Term): readonly Term[] | undefined {
  return term.kind === "Call" && term.infix === "in" ? term.args : undefined;
}

export abstract class BodyParser extends LogicParser {
  /** Statements up to `end`, separated by `;` or a line end. */
  protected override readonly query: ParserMethod<[end: TokenType], Body> = this.define("query", (end) => {
    if (!this.RECORDING_PHASE && this.at(end)) this.unexpected("statement (found empty body)");
    const body = [this.SUBRULE(this.literal)];
    this.MANY({
      GATE: () => {
        this.nameKeywordRef();
        return !this.at(end);
      },
      DEF: () => {
        this.separator(end);
        body.push(this.SUBRULE2(this.literal));
      },
    });
    return body;
  });

  private separator(end: TokenType): void {
    if (!this.RECORDING_PHASE && !this.at(T.Semicolon) && !this.onNewLine)
      this.unexpected(`line end, \`;\` or \`${end.LABEL}\``);
    this.OPTION(() => this.CONSUME(T.Semicolon));
  }

  /** A body in braces. */
  protected override readonly block: ParserMethod<[], Body> = this.define("block", () => {
    this.enter();
    this.CONSUME(T.LBrace);
    const body = this.SUBRULE(this.query, IN_BRACES);
    this.CONSUME(T.RBrace);
    this.leave();
    return body;
  });

  protected override readonly literal: ParserMethod<[], Expr> = this.define("literal", () => {
    if (this.RECORDING_PHASE) return this.recordedLiteral();
    const leading = this.leadingOperand();
    if (leading) return leading;
    this.nameKeywordRef();
    const first = this.LA(1);
    const negated = this.at(T.Not);
    if (negated) {
      const group = this.negatedBody(this.CONSUME(T.Not));
      if (group) return group;
    }
    const keyword = this.LA(1);
    this.nameCalled();
    const body = this.OR(this.forms);
    if (negated && (body.kind === "SomeDecl" || body.kind === "Every")) {
      const params = { keyword: `\`${keyword.image}\``, reason: "it cannot be negated" };
      this.fail("rego/illegal-declaration", params, this.spanOf(keyword));
    }
    const withs: With[] = [];
    const declares = body.kind === "SomeDecl" && body.domain === undefined;
    if (!declares) while (this.at(T.With)) withs.push(this.SUBRULE(this.with));
    const span = this.spanFrom(first.startOffset);
    if (!isTerm(body)) return { kind: "Expr", span, negated, with: withs, body };
    if (!negated || !this.notBodies) return this.continued({ kind: "Expr", span, negated, with: withs, body }, negated);
    const inner: Expr = { kind: "Expr", span, negated: false, with: [], body };
    return this.continued({ ...this.negation(first, [inner], undefined), with: withs }, true);
  });

  private readonly forms = [
    { ALT: (): ExprBody => this.SUBRULE(this.some) },
    { ALT: (): ExprBody => this.SUBRULE(this.every) },
    { ALT: (): ExprBody => this.SUBRULE(this.statement) },
  ];

  /** What `literal` reads, in part by trying, as chevrotain records it. */
  private recordedLiteral(): Expr {
    this.OPTION(() => this.CONSUME(T.Not));
    const isForm = () => true;
    this.choose(
      1,
      isForm,
      () => void this.OR(this.forms),
      () => this.SUBRULE(this.scope),
    );
    this.MANY(() => this.SUBRULE(this.with));
    this.SUBRULE(this.chain, { ARGS: [noOperand] });
    this.MANY2(() => this.SUBRULE2(this.with));
    return noExpr;
  }

  /** A term, `x := y` or `x = y`. */
  protected override readonly statement: ParserMethod<[], Term> = this.define("statement", () => {
    const left = this.SUBRULE(this.term, PAIRS);
    return this.OPTION(() => this.assigned(left)) ?? left;
  });

  private assigned(left: Term): Term {
    const sign = this.CONSUME(T.Assignment);
    const right = this.SUBRULE2(this.term, PAIRS);
    return this.infix(left, sign, sign.tokenType === T.Assign ? "assign" : "eq", right);
  }

  protected override readonly with: ParserMethod<[], With> = this.define("with", () => {
    const { startOffset: start } = this.CONSUME(T.With);
    if (!this.at(T.Identifier)) this.unexpected(WITH_TARGET);
    const target = this.SUBRULE(this.primary);
    if (target.kind !== "Ref" && target.kind !== "Var") {
      const params = { token: target.kind?.toLowerCase(), expected: WITH_TARGET };
      this.fail("rego/unexpected-token", params, target.span);
    }
    this.CONSUME(T.As);
    const value = this.SUBRULE(this.term, PAIRS);
    return { kind: "With", span: this.spanFrom(start), target: asRef(target), value };
  });

  /** `some x, y` declares; `some x in xs` and `some k, v in xs` iterate. */
  private readonly some: ParserMethod<[], SomeDecl> = this.define("some", () => {
    const { startOffset: start } = this.CONSUME(T.Some);
    const nothing = { vars: [], key: undefined, value: undefined, domain: undefined };
    const parts = this.choose<Omit<SomeDecl, "kind" | "span">>(
      1,
      () => this.atVariableList(),
      () => {
        const vars: Var[] = [];
        this.AT_LEAST_ONE_SEP({
          SEP: T.Comma,
          DEF: () => vars.push(this.named(this.CONSUME(T.Identifier, { ERR_MSG: "variable" }))),
        });
        return { ...nothing, vars };
      },
      () => {
        const term = this.SUBRULE(this.term, PAIRS);
        return { ...nothing, ...this.ACTION(() => this.iterated(term)) };
      },
    );
    return { kind: "SomeDecl", span: this.spanFrom(start), ...parts };
  });

  private iterated(term: Term): Pick<SomeDecl, "key" | "value" | "domain"> {
    const args = membership(term);
    if (!args) {
      const params = { keyword: "`some`", reason: "expected `x in xs` or `k, v in xs`" };
      return this.fail("rego/illegal-declaration", params, term.span);
    }
    const [key, value, domain] = args.length === 3 ? args : [undefined, ...args];
    return { key, value, domain };
  }

  /** Whether names between commas follow that are neither a domain (`in`) nor the beginning of some other term. */
  private atVariableList(): boolean {
    let n = 1;
    while (this.LA(n).tokenType === T.Identifier && this.LA(n + 1).tokenType === T.Comma) n += 2;
    if (this.LA(n).tokenType !== T.Identifier) return false;
    const next = this.LA(n + 1);
    const { tokenType } = next;
    const follows = this.LA(n + 2).tokenType;
    const isName = (follows === T.Dot || follows === T.LBracket) && this.touches(n + 2);
    if (tokenType === T.In && !isName) return n > 3;
    const isPart = (tokenType === T.LBracket || tokenType === T.LParen) && this.touches(n + 1);
    if (!T.isInfixOperator(next) && tokenType !== T.Dot && !isPart) return true;
    if (n !== 3) return n > 1;
    // `some k, f(x) in xs` and `some x, y` before a line that begins with a sign: only reading on can tell.
    const { place } = this;
    const tried = this.attempt(() => membership(this.SUBRULE8(this.term, PAIRS)));
    this.moveTo(place);
    return !("value" in tried && tried.value !== undefined);
  }

  private readonly every: ParserMethod<[], Every> = this.define("every", () => {
    const { startOffset: start } = this.CONSUME(T.Every);
    const term = this.SUBRULE(this.term, PAIRS);
    const head = this.ACTION(() => this.everyHead(term));
    const body = this.SUBRULE(this.block);
    return { kind: "Every", span: this.spanFrom(start), ...head, body };
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

  /** A whole query, as `opa eval` takes it; `undefined` for any other text. */
  protected readonly queryText: ParserMethod<[], Body | undefined> = this.define<[], Body | undefined>(
    "queryText",
    () => this.queryBody(),
    {
      recoveryValueFunc: (problem) => {
        this.noteProblem(problem);
        return undefined;
      },
    },
  );

  /** Statements, which here need no separator. */
  private queryBody(): Body {
    const body: Expr[] = [];
    this.AT_LEAST_ONE({
      DEF: () => {
        body.push(this.SUBRULE(this.literal));
        this.MANY(() => {
          this.CONSUME(T.Semicolon);
          body.push(this.SUBRULE2(this.literal));
        });
      },
    });
    if (!this.at(EOF)) this.unexpected("end of text");
    return body;
  }
}

/** A term as a reference: `input` alone is a reference without parts. */
export function asRef(term: Term): Ref {
  if (term.kind === "Ref") return term;
  return { kind: "Ref", span: term.span, head: term, args: [] };
}
