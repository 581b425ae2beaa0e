/**
 * The grammar of rules. What Rego v0 allowed and v1 does not is parsed; in a module of v1 it is then refused by name, and
 * in one of v0 it becomes the tree of what v1 writes for it.
 */

import { type Span, span } from "../diagnostics/index.ts";
import type { Body, Head, Ref, Rule, Term, Var } from "./ast.ts";
import { EOF, type ParserMethod, type TokenType } from "./chevrotain.ts";
import { isClosing, isOpening, PAIRS } from "./parse-collections.ts";
import { ImportParser } from "./parse-imports.ts";
import { asV1, checkDefault, checkElse, checkRule, type Written } from "./rule-shape.ts";
import * as T from "./token.ts";

const maxElse = 1_000;

/** A head, and the space between its name and its first part. */
interface WrittenHead {
  readonly head: Head;
  readonly gap: Span | undefined;
}

type Value = Pick<Head, "value" | "operator">;

export abstract class RuleParser extends ImportParser {
  /** Whether rules may be written as in v0: a module of v0 that does not import `rego.v1` or `rego.v2`. */
  protected oldRules = false;

  /** The name of the rule that is read, as soon as it is certain. */
  protected told: string | undefined;

  /** `default name := value` */
  protected readonly defaultRule: ParserMethod<[], Rule> = this.define("defaultRule", () => {
    const { startOffset: start } = this.CONSUME(T.Default);
    this.nameKeywordRef();
    const { head } = this.SUBRULE(this.head);
    const span = this.spanFrom(start);
    const rule: Rule = { kind: "Rule", span, isDefault: true, head, body: [], hasBody: false, else: undefined };
    this.ACTION(() => this.found.push(...checkDefault(rule)));
    return rule;
  });

  /** One rule with its `else` rules; of several bodies each makes a rule. */
  protected readonly rule: ParserMethod<[], readonly Rule[]> = this.define("rule", () => {
    const start = this.startOf(this.LA(1));
    const { head, gap } = this.SUBRULE(this.head);
    const hasIf = this.at(T.If);
    const hasBody = hasIf || this.at(T.LBrace);
    if (!hasBody) this.ACTION(() => this.checkBare(head));
    const body = this.OPTION(() => this.SUBRULE(this.body)) ?? [];
    const span = this.spanFrom(start);
    const written: Rule = { kind: "Rule", span, isDefault: false, head, body, hasBody, else: undefined };
    const main = this.ACTION(() => this.checked(written, { hasIf, gap, old: this.oldRules }));
    const rules: Rule[] = [main];
    this.OPTION2({
      GATE: () => hasBody && !this.atKeywordRef(),
      DEF: () => {
        const chain = this.SUBRULE(this.elseChain, { ARGS: [main?.head] });
        rules[0] = { ...main, span: this.spanFrom(start), else: chain };
      },
    });
    this.MANY({
      GATE: () => hasBody && rules[0]?.else === undefined,
      DEF: () => {
        const open = this.LA(1);
        const next = this.SUBRULE(this.block);
        rules.push({ ...main, span: this.spanFrom(open.startOffset), body: next });
      },
    });
    if (hasBody) this.ACTION(() => this.tellWhole(main));
    return rules;
  });

  private tellWhole({ head: { ref } }: Rule): void {
    if (ref.head.kind === "Var") this.told = ref.head.name;
  }

  /** A name alone says nothing; with the line it ends the statement, and the module's checks tell. */
  private checkBare({ value, key, args }: Head): void {
    if (value !== undefined || key !== undefined || args !== undefined) return;
    if (!this.at(EOF) && !this.onNewLine) this.unexpected("`:=`, `if` or `contains` after the name of a rule");
  }

  /** `if …`, or as in v0 a block alone. */
  private readonly body: ParserMethod<[], Body> = this.define("body", () =>
    this.OR([
      {
        ALT: () => {
          this.CONSUME(T.If);
          return this.ifBody();
        },
      },
      { ALT: () => this.SUBRULE2(this.block) },
    ]),
  );

  private checked(rule: Rule, written: Written): Rule {
    this.found.push(...checkRule(rule, written));
    return written.old ? asV1(rule, written) : rule;
  }

  // ---- heads ----

  /** A name, perhaps with arguments, and then `contains key`, or a value, or neither. */
  private readonly head: ParserMethod<[], WrittenHead> = this.define("head", () => {
    const name = this.SUBRULE(this.variable);
    // OPA allows a space between name and first part of a rule that has a body: `f (x) := x if …`.
    const spaced = (this.at(T.LParen) || this.atRefPart()) && !this.touches();
    const gap = spaced ? span(this.file, name.span.end, this.LA(1).startOffset) : undefined;
    const start = this.startOf(this.LA(0));
    const parts: Term[] = [];
    this.MANY({
      GATE: () => parts.length === 0 || this.touches(),
      DEF: () => parts.push(this.SUBRULE(this.part)),
    });
    const args = this.OPTION({
      GATE: () => this.touches() || (spaced && parts.length === 0),
      DEF: () => this.SUBRULE(this.args),
    });
    const ref: Ref = { kind: "Ref", span: this.spanFrom(start), head: name, args: parts };
    this.ACTION(() => this.tell(name));
    const key = this.OPTION2(() => this.key(args !== undefined));
    const { value, operator } = key === undefined || this.RECORDING_PHASE ? this.SUBRULE(this.value) : noValue;
    return { head: { kind: "Head", span: this.spanFrom(start), ref, args, key, value, operator }, gap };
  });

  private tell({ name }: Var): void {
    const { tokenType } = this.LA(1);
    const isCertain = tokenType === T.Assign || tokenType === T.Unify || tokenType === T.If || tokenType === T.Contains;
    if (isCertain) this.told = name;
  }

  private atRefPart(): boolean {
    return this.at(T.Dot) || this.at(T.LBracket);
  }

  private key(isFunction: boolean): Term {
    const word = this.CONSUME(T.Contains);
    if (isFunction) {
      const reason = "the contains keyword can only be used with multi-value rules, not with functions";
      this.note("rego/illegal-rule", { reason }, this.spanOf(word));
    }
    return this.SUBRULE(this.term, PAIRS);
  }

  /** `:= term`, `= term`, or nothing. */
  private readonly value: ParserMethod<[], Value> = this.define("value", () => {
    let value = noValue;
    this.OPTION(() => {
      const operator = this.CONSUME(T.Assignment).tokenType === T.Assign ? ":=" : "=";
      value = { value: this.SUBRULE(this.term, PAIRS), operator };
    });
    return value;
  });

  // ---- bodies ----

  /**
   * What stands behind `if`: one statement, or a block. Braces are a block unless they are an object or comprehension
   * (`p if {"a": x}` asks whether x is defined), or the beginning of a longer term (`p if {x} == s`).
   */
  private ifBody(): Body {
    return this.choose(
      1,
      () => this.at(T.LBrace),
      () => (this.RECORDING_PHASE ? this.SUBRULE(this.block) : this.bracesBody()),
      () => [this.SUBRULE(this.literal)],
    );
  }

  private bracesBody(): Body {
    if (!this.active && !this.mayBeTerm()) return this.SUBRULE(this.block);
    const { place } = this;
    const asTerm = this.attempt(() => this.SUBRULE(this.literal));
    if ("value" in asTerm && asTerm.value.body.kind !== "Set") return [asTerm.value];
    this.moveTo(place);
    const asBlock = this.attempt(() => this.SUBRULE(this.block));
    if ("value" in asBlock) return asBlock.value;
    // When both fail, the one that got further was meant.
    throw "problem" in asTerm && asTerm.place > asBlock.place ? asTerm.problem : asBlock.problem;
  }

  /** A quick look at the tokens of `{…}`, so that ordinary blocks are parsed once: could this be more than a block? */
  private mayBeTerm(): boolean {
    let depth = 0;
    let separated = false;
    for (let n = 1; ; n++) {
      const { tokenType } = this.LA(n);
      if (tokenType === EOF) return false;
      if (isOpening(tokenType)) depth++;
      else if (isClosing(tokenType)) depth--;
      else if (depth === 1 && (tokenType === T.Colon || tokenType === T.Bar)) separated = true;
      else if (depth === 1 && !separated && ofBlocks.has(tokenType)) return false;
      if (depth > 0) continue;
      const next = this.LA(n + 1);
      const isPart = (next.tokenType === T.LBracket || next.tokenType === T.Dot) && this.touches(n + 1);
      return n === 2 || separated || T.isInfixOperator(next) || joins.has(next.tokenType) || isPart;
    }
  }

  private readonly elseChain: ParserMethod<[head: Head], Rule> = this.define("elseChain", (head) => {
    const links: Rule[] = [];
    this.AT_LEAST_ONE({
      GATE: () => links.at(-1)?.hasBody !== false && !this.atKeywordRef(),
      DEF: () => {
        const word = this.CONSUME(T.Else);
        this.ACTION(() => this.checkLink(head, links.length, this.spanOf(word)));
        const { value, operator } = this.SUBRULE(this.value);
        const headSpan = this.spanFrom(word.startOffset);
        const hasIf = this.at(T.If);
        const hasBody = hasIf || this.at(T.LBrace);
        if (!hasBody && value === undefined) this.unexpected("else value term or rule body");
        const body = this.OPTION(() => this.SUBRULE(this.elseBody)) ?? [];
        if (hasBody && !hasIf && !this.oldRules) {
          const help = `write \`else${value ? " := …" : ""} if { … }\``;
          this.note("rego/missing-if", { what: head.args?.length ? "function" : "rule" }, this.spanOf(word), help);
        }
        const elseHead: Head = { ...head, span: headSpan, value, operator };
        const span = this.spanFrom(word.startOffset);
        links.push({ kind: "Rule", span, isDefault: false, head: elseHead, body, hasBody, else: undefined });
      },
    });
    return this.ACTION(() => chained(links));
  });

  private checkLink(head: Head, links: number, at: Span): void {
    const refused = checkElse(head, at);
    if (refused) this.failWith(refused);
    if (links >= maxElse) this.fail("rego/too-deep", { limit: maxElse }, at);
  }

  /** `if …`, or as in v0 a block alone; behind `if`, braces are a block. */
  private readonly elseBody: ParserMethod<[], Body> = this.define("elseBody", () =>
    this.OR([
      {
        ALT: () => {
          this.CONSUME(T.If);
          return this.choose(
            1,
            () => this.at(T.LBrace),
            () => this.SUBRULE(this.block),
            () => [this.SUBRULE(this.literal)],
          );
        },
      },
      { ALT: () => this.SUBRULE2(this.block) },
    ]),
  );
}

const noValue: Value = { value: undefined, operator: undefined };
/** What only a body has, and what joins braces to a longer term: `p if {x}, y in s`. */
const ofBlocks: ReadonlySet<TokenType> = new Set([T.Semicolon, T.Assign, T.Unify, T.Some, T.Every, T.Not]);
const joins: ReadonlySet<TokenType> = new Set([T.In, T.Assign, T.Unify, T.Comma]);

/** Each rule in the one before it; all of them end where the last one does. */
function chained(links: readonly Rule[]): Rule {
  const end = links.at(-1)?.span.end ?? 0;
  const whole = links.reduceRight<Rule | undefined>(
    (next, link) => ({ ...link, span: { ...link.span, end: Math.max(link.span.end, end) }, else: next }),
    undefined,
  );
  return whole as Rule;
}
