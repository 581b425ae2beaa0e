/**
 * The grammar of `and`, `or` and of the negation of more than a term, which a module has to import. `and` binds stronger
 * than `or`, both group from the left, and `not` binds stronger than either. In the place of an operand braces hold a body
 * and parentheses a group of operands; only where the text cannot be read so are they a value.
 */

import type { Span } from "../diagnostics/index.ts";
import type { Body, Expr, Logical, Not, Term, With } from "./ast.ts";
import { builtin } from "./builtins.ts";
import { maxChain } from "./parse-base.ts";
import { TermParser } from "./parse-terms.ts";
import { isImportedKeyword, type Token, v1Keywords } from "./token.ts";

type Operator = Logical["operator"];

/** One side of `and` or `or`: a body in braces, or one statement. The span is that of everything read for it. */
interface Operand {
  readonly body: Body;
  readonly braces: Span | undefined;
  readonly span: Span;
}

const article = (negated: boolean): string => (negated ? "not " : "");

export abstract class LogicParser extends TermParser {
  /** A body in braces. */
  protected abstract block(): Body;
  /** A term, `x := y` or `x = y`. */
  protected abstract statement(): Term;
  protected abstract with(): With;

  /** Whether the module imports `and` or `or`; whether it imports `not`. */
  protected operators = { and: false, or: false };
  protected notBodies = false;
  /** Places of braces and parentheses that were tried as operands, and are values. */
  private readonly values = new Set<number>();

  /** A module of v0 has the keywords that it imports, and no others of v1. */
  protected forgetKeywords(): void {
    const later: readonly string[] = v1Keywords;
    for (const token of this.tokens) if (later.includes(token.kind)) token.kind = "identifier";
  }

  /** What follows the import of a keyword is read with it. */
  protected addKeyword(word: string): void {
    if (word === "not") this.notBodies = true;
    if (word === "and" || word === "or") this.operators[word] = true;
    // As in OPA, `every` brings the `in` that it is written with.
    if (word === "every") this.addKeyword("in");
    if (!isImportedKeyword(word)) return;
    for (let n = 0; this.place + n < this.tokens.length; n++) {
      const token = this.ahead(n);
      if (token.kind === "identifier" && token.text === word) token.kind = word;
    }
  }

  /** Whether `and` or `or` may join statements. */
  protected get active(): boolean {
    return this.operators.and || this.operators.or;
  }

  private operator(): Operator | undefined {
    const { kind } = this.next;
    return kind === "and" || kind === "or" ? kind : undefined;
  }

  // ---- statements that are more than a term ----

  /** A statement that begins with a body or group as operand; `undefined`, with nothing read, for any other. */
  protected leadingOperand(): Expr | undefined {
    if (!this.active || this.values.has(this.place)) return undefined;
    if (this.at("{")) {
      const place = this.place;
      const { start } = this.next;
      const tried = this.attempt(() => this.block());
      if ("value" in tried && this.operator()) {
        const span = this.spanFrom(start);
        const operand = { body: tried.value, braces: span, span };
        this.refuseUnion(operand, false);
        return this.withModifiers(this.chain(operand));
      }
      this.moveTo(place);
      this.values.add(place);
      return undefined;
    }
    if (!this.at("(")) return undefined;
    const group = this.group(false, false);
    if (!group) return undefined;
    // The place of a lone group is that of its parentheses.
    return this.withModifiers(this.operator() ? this.chain(group) : { ...(group.body[0] as Expr), span: group.span });
  }

  /** `not { … }` and `not (x or y)`, from behind the `not`; `undefined`, with nothing read, for a plain term. */
  protected negatedBody(not: Token): Expr | undefined {
    if (!this.notBodies) return undefined;
    const inner = this.negatedOperand(not);
    if (!inner) return undefined;
    return this.withModifiers(this.operator() ? this.chain(inner) : (inner.body[0] as Expr));
  }

  /** `not x` where nothing of x is evaluated outside. The modifiers stay outside. */
  protected negation(not: Token, body: Body, braces: Span | undefined): Expr {
    const span = this.spanFrom(not.start);
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
    return this.withModifiers(this.chain({ body: [expr], braces: undefined, span: expr.span }));
  }

  private withModifiers(expr: Expr): Expr {
    if (!this.at("with")) return expr;
    const withs: With[] = [...expr.with];
    while (this.at("with")) withs.push(this.with());
    return { ...expr, span: this.spanFrom(expr.span.start), with: withs };
  }

  // ---- chains ----

  /** Everything that operators join to `first`, the next token being one. */
  private chain(first: Operand): Expr {
    let left = this.at("and") ? this.andChain(first) : first;
    let links = 0;
    while (this.at("or")) {
      const sign = this.take();
      if (++links > maxChain) this.fail("rego/too-deep", { limit: maxChain }, this.spanOf(sign));
      const right = this.operand("or");
      left = this.join("or", left, this.at("and") ? this.andChain(right) : right);
    }
    return left.body[0] as Expr;
  }

  private andChain(first: Operand): Operand {
    let left = first;
    let links = 0;
    while (this.at("and")) {
      const sign = this.take();
      if (++links > maxChain) this.fail("rego/too-deep", { limit: maxChain }, this.spanOf(sign));
      left = this.join("and", left, this.operand("and"));
    }
    return left;
  }

  private join(operator: Operator, left: Operand, right: Operand): Operand {
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
  private operand(operator: Operator | undefined): Operand {
    this.enter();
    const operand = this.operandOf(operator);
    this.leave();
    return operand;
  }

  private operandOf(operator: Operator | undefined): Operand {
    const { start } = this.next;
    if (this.at("{")) return this.braced(operator);
    if (this.at("not") && !this.atKeywordRef()) {
      const not = this.take();
      const inner = this.notBodies ? this.negatedOperand(not) : undefined;
      if (inner) return inner;
      const term = this.statement();
      const span = this.spanFrom(start);
      const plain: Expr = { kind: "Expr", span, negated: false, with: [], body: term };
      const expr = this.notBodies ? this.negation(not, [plain], undefined) : { ...plain, negated: true };
      return { body: [expr], braces: undefined, span };
    }
    const group = this.at("(") && this.active ? this.group(true, false) : undefined;
    if (group) return group;
    const body = this.statement();
    const span = this.spanFrom(start);
    return { body: [{ kind: "Expr", span, negated: false, with: [], body }], braces: undefined, span };
  }

  private braced(operator: Operator | undefined): Operand {
    const place = this.place;
    const { start } = this.next;
    const tried = this.attempt(() => this.block());
    if ("problem" in tried) {
      // The braces hold a value, not a body: that is the fault to report.
      if (operator && this.ahead(1).kind !== "}") {
        const asTerm = this.attempt(() => this.term());
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
  private negatedOperand(not: Token): Operand | undefined {
    if (this.at("{")) {
      const place = this.place;
      const { start } = this.next;
      const tried = this.attempt(() => this.block());
      if ("problem" in tried) {
        if (this.ahead(1).kind !== "}") {
          const asTerm = this.attempt(() => this.term());
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
    const group = this.at("(") && this.active ? this.group(true, true) : undefined;
    if (!group) return undefined;
    const expr = this.negation(not, group.body, group.braces);
    return { body: [expr], braces: undefined, span: expr.span };
  }

  /** Operands in parentheses; `undefined`, with nothing read, where they hold a value. */
  private group(isOperand: boolean, negated: boolean): Operand | undefined {
    const place = this.place;
    if (this.values.has(place)) return undefined;
    const open = this.next;
    const none = (): undefined => {
      this.moveTo(place);
      this.values.add(place);
      return undefined;
    };
    if (this.ahead(1).kind === ")") {
      if (isOperand) this.fail("rego/illegal-operand", { reason: "empty parenthesized group" }, this.spanOf(open));
      return undefined;
    }
    const tried = this.attempt(() => {
      this.take();
      return this.operand(undefined);
    });
    if ("problem" in tried) return none();
    const inner = tried.value;
    if (this.operator()) {
      const expr = this.withModifiers(this.chain(inner));
      return this.closed(open, { body: [expr], braces: undefined });
    }
    const [first] = inner.body;
    if (this.at("with") && !inner.braces && first) {
      const modifier = this.next;
      const expr = this.withModifiers(first);
      const operator = this.operator();
      if (operator) this.refuseWith(this.spanOf(modifier), operator);
      const group = this.closed(open, { body: [expr], braces: undefined });
      return isOperand || this.operator() ? group : none();
    }
    if (inner.braces) {
      const braces = inner.span;
      this.moveTo(place);
      const asTerm = this.attempt(() => this.primary());
      if ("problem" in asTerm) {
        const help = `drop the parens to keep the body: \`${article(negated)}${this.textOf(braces)}\``;
        const reason = "`(...)` in an operand position cannot contain a body";
        this.fail("rego/illegal-operand", { reason }, this.spanOf(open), help);
      }
      return none();
    }
    const kind = first?.body.kind;
    if (kind === "Logical" || kind === "Not" || first?.negated) return this.closed(open, inner);
    return none();
  }

  private closed(open: Token, { body, braces }: Pick<Operand, "body" | "braces">): Operand {
    if (!this.at(")")) {
      const reason = "expected ) to close parenthesized group";
      this.fail("rego/illegal-operand", { reason }, this.spanOf(this.next));
    }
    this.take();
    return { body, braces, span: this.spanFrom(open.start) };
  }

  // ---- refused operands ----

  private textOf({ file, start, end }: Span): string {
    return file.text.slice(start, end);
  }

  private refuseWith(at: Span, operator: Operator): never {
    const help =
      "wrap the operand in `(...)` or `{...}` to scope, " +
      `or move \`with\` after the \`${operator}\` expression to apply it to the whole expression`;
    const reason = `\`with\` modifier is not allowed on operand of \`${operator}\``;
    return this.fail("rego/illegal-operand", { reason }, at, help);
  }

  private refuseValue(at: Span, operator: Operator): never {
    const help = `wrap the operand to keep the value: \`(${this.textOf(at)}) ${operator} ...\``;
    const reason = `operand of \`${operator}\` cannot begin with \`{\` unless the braces hold a body`;
    return this.fail("rego/illegal-operand", { reason }, at, help);
  }

  private refuseNegatedValue(at: Span): never {
    const text = this.textOf(at);
    const help = `write \`not (${text})\` to negate the value, or \`not {${text}}\` for a body holding it`;
    return this.fail(
      "rego/illegal-operand",
      { reason: "`{...}` in an operand position must contain expression(s), got a value" },
      at,
      help,
    );
  }

  /** `{x | y}` is the body `x | y` here, where everyone reads a comprehension. */
  private refuseUnion({ body: [first], span }: Operand, negated: boolean): void {
    const term = first?.body;
    if (term?.kind !== "Call" || term.infix !== "|" || term.parenthesized) return;
    const braces = this.textOf(span);
    const union = first as Expr;
    const from = union.span.start - span.start;
    const wrapped = `${braces.slice(0, from)}(${this.textOf(union.span)})${braces.slice(union.span.end - span.start)}`;
    const not = article(negated);
    const help = `write \`${not}(${braces})\` for the comprehension, or \`${not}${wrapped}\` for the set union`;
    const reason =
      "ambiguous `{ ... | ... }` operand: read as a body holding a set-union expression, not as a comprehension";
    this.fail("rego/illegal-operand", { reason }, span, help);
  }

  /** An operand of calls that always succeed decides nothing. */
  private refuseVoid(body: Body, operator: Operator): void {
    const names = body.map(({ negated, body: term }) => {
      if (negated || term.kind !== "Call" || term.operator.kind !== "Var") return undefined;
      const entry = builtin(term.operator.name);
      return entry && entry.result === undefined ? entry.name : undefined;
    });
    const [name] = names;
    if (name === undefined || names.includes(undefined)) return;
    const help =
      `\`${name}\` produces no value and always succeeds, so the operand can never fail; ` +
      "move it out of the operand, or add an expression that can fail";
    const reason = `operand of \`${operator}\` cannot consist only of calls to \`${name}\``;
    this.note("rego/illegal-operand", { reason }, (body[0] as Expr).span, help);
  }
}
