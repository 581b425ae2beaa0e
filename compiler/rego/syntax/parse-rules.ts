/**
 * The grammar of rules. What Rego v0 allowed and v1 does not is parsed; in a module of v1 it is then refused by name, and
 * in one of v0 it becomes the tree of what v1 writes for it.
 */

import { type Span, span } from "../diagnostics/index.ts";
import type { Body, Head, Ref, Rule, Term } from "./ast.ts";
import { isClosing, isOpening } from "./parse-collections.ts";
import { ImportParser } from "./parse-imports.ts";
import { asV1, checkDefault, checkElse, checkRule, type Written } from "./rule-shape.ts";
import { isInfixOperator, type TokenKind } from "./token.ts";

const maxElse = 400;

/** A head, and the space between its name and its first part. */
interface WrittenHead {
  readonly head: Head;
  readonly gap: Span | undefined;
}

type Value = Pick<Head, "value" | "operator">;

export abstract class RuleParser extends ImportParser {
  /** Whether rules may be written as in v0: a module of v0 that does not import `rego.v1` or `rego.v2`. */
  protected abstract readonly oldRules: boolean;

  /** One rule with its `else` rules, added to `rules`; of several bodies each makes a rule. */
  protected rule(rules: Rule[]): void {
    const { start } = this.next;
    if (this.at("default")) {
      rules.push(this.defaultRule());
      return;
    }
    const { head, gap } = this.ruleHead();
    const hasIf = this.at("if");
    const hasBody = hasIf || this.at("{");
    const bare = !hasBody && head.value === undefined && head.key === undefined && head.args === undefined;
    if (bare && !this.at("end of text") && !this.onNewLine) {
      this.unexpected("`:=`, `if` or `contains` after the name of a rule");
    }
    let body: Body = [];
    if (this.takeIf("if")) body = this.ifBody();
    else if (hasBody) body = this.block();
    const span = this.spanFrom(start);
    const written: Rule = { kind: "Rule", span, isDefault: false, head, body, hasBody, else: undefined };
    const main = this.checked(written, { hasIf, gap, old: this.oldRules });
    if (hasBody && this.at("else") && !this.atKeywordRef()) {
      const chain = this.elseChain(main.head);
      rules.push({ ...main, span: this.spanFrom(start), else: chain });
      return;
    }
    rules.push(main);
    while (hasBody && this.at("{")) {
      const open = this.next;
      const next = this.block();
      rules.push({ ...main, span: this.spanFrom(open.start), body: next });
    }
  }

  private checked(rule: Rule, written: Written): Rule {
    this.found.push(...checkRule(rule, written));
    return written.old ? asV1(rule, written) : rule;
  }

  private defaultRule(): Rule {
    const { start } = this.take();
    this.nameKeywordRef();
    const { head } = this.ruleHead();
    const span = this.spanFrom(start);
    const rule: Rule = { kind: "Rule", span, isDefault: true, head, body: [], hasBody: false, else: undefined };
    this.found.push(...checkDefault(rule));
    return rule;
  }

  // ---- heads ----

  /** A name, perhaps with arguments, and then `contains key`, or a value, or neither. */
  private ruleHead(): WrittenHead {
    const name = this.variable();
    const { start } = name.span;
    // OPA allows a space between name and first part of a rule that has a body: `f (x) := x if …`.
    const spaced = (this.at("(") || this.atRefPart()) && !this.touches;
    const gap = spaced ? span(this.file, name.span.end, this.next.start) : undefined;
    const parts: Term[] = [];
    while (this.atRefPart() && (parts.length === 0 || this.touches)) parts.push(this.part());
    const hasArgs = this.at("(") && (this.touches || (spaced && parts.length === 0));
    const args = hasArgs ? this.args() : undefined;
    const ref: Ref = { kind: "Ref", span: this.spanFrom(start), head: name, args: parts };
    const key = this.at("contains") ? this.key(args !== undefined) : undefined;
    const { value, operator } = key ? noValue : this.value();
    return { head: { kind: "Head", span: this.spanFrom(start), ref, args, key, value, operator }, gap };
  }

  private atRefPart(): boolean {
    return this.at(".") || this.at("[");
  }

  private key(isFunction: boolean): Term {
    const word = this.take();
    if (isFunction) {
      const reason = "the contains keyword can only be used with multi-value rules, not with functions";
      this.note("rego/illegal-rule", { reason }, this.spanOf(word));
    }
    return this.term();
  }

  private value(): Value {
    if (!this.at(":=") && !this.at("=")) return noValue;
    const operator = this.take().kind === ":=" ? ":=" : "=";
    return { value: this.term(), operator };
  }

  // ---- bodies ----

  /**
   * What stands behind `if`: one statement, or a block. Braces are a block unless they are an object or comprehension
   * (`p if {"a": x}` asks whether x is defined), or the beginning of a longer term (`p if {x} == s`).
   */
  private ifBody(): Body {
    if (!this.at("{")) return [this.literal()];
    if (!this.active && !this.mayBeTerm()) return this.block();
    const { place } = this;
    const asTerm = this.attempt(() => this.literal());
    if ("value" in asTerm && asTerm.value.body.kind !== "Set") return [asTerm.value];
    this.moveTo(place);
    const asBlock = this.attempt(() => this.block());
    if ("value" in asBlock) return asBlock.value;
    // Of two ways to fail, the one that got further was meant.
    throw "problem" in asTerm && asTerm.place > asBlock.place ? asTerm.problem : asBlock.problem;
  }

  /** A quick look at the tokens of `{…}`, so that ordinary blocks are parsed once: could this be more than a block? */
  private mayBeTerm(): boolean {
    let depth = 0;
    let separated = false;
    for (let n = 0; this.place + n < this.tokens.length; n++) {
      const { kind } = this.ahead(n);
      if (isOpening(kind)) depth++;
      else if (isClosing(kind)) depth--;
      else if (depth === 1 && (kind === ":" || kind === "|")) separated = true;
      else if (depth === 1 && !separated && ofBlocks.has(kind)) return false;
      if (depth > 0) continue;
      const next = this.ahead(n + 1);
      const touching = next.before === "nothing" && (next.kind === "[" || next.kind === ".");
      return n === 1 || separated || isInfixOperator(next.kind) || joins.has(next.kind) || touching;
    }
    return false;
  }

  private elseChain(head: Head): Rule {
    const links: Rule[] = [];
    do {
      const { start } = this.next;
      const at = this.spanOf(this.take());
      const refused = checkElse(head, at);
      if (refused) this.failWith(refused);
      if (links.length >= maxElse) this.fail("rego/too-deep", { limit: maxElse }, at);
      const { value, operator } = this.value();
      const headSpan = this.spanFrom(start);
      const hasIf = this.at("if");
      const hasBody = hasIf || this.at("{");
      if (!hasBody && value === undefined) this.unexpected("else value term or rule body");
      this.takeIf("if");
      let body: Body = [];
      if (this.at("{")) body = this.block();
      else if (hasIf) body = [this.literal()];
      if (hasBody && !hasIf && !this.oldRules) {
        const help = `write \`else${value ? " := …" : ""} if { … }\``;
        this.note("rego/missing-if", { what: head.args?.length ? "function" : "rule" }, at, help);
      }
      const elseHead: Head = { ...head, span: headSpan, value, operator };
      const span = this.spanFrom(start);
      links.push({ kind: "Rule", span, isDefault: false, head: elseHead, body, hasBody, else: undefined });
    } while (links.at(-1)?.hasBody && this.at("else") && !this.atKeywordRef());
    return chained(links);
  }
}

const noValue: Value = { value: undefined, operator: undefined };
/** What only a body has, and what joins braces to a longer term. */
const ofBlocks: ReadonlySet<TokenKind> = new Set<TokenKind>([";", ":=", "=", "some", "every", "not"]);
const joins: ReadonlySet<TokenKind> = new Set<TokenKind>(["in", ":=", "="]);

/** Each rule in the one before it; all of them end where the last one does. */
function chained(links: readonly Rule[]): Rule {
  const end = links.at(-1)?.span.end ?? 0;
  const whole = links.reduceRight<Rule | undefined>(
    (next, link) => ({ ...link, span: { ...link.span, end: Math.max(link.span.end, end) }, else: next }),
    undefined,
  );
  return whole as Rule;
}
