/**
 * The grammar of modules: package, imports, rules. A statement that is no Rego is reported and skipped up to the next
 * line that begins where statements begin. What Rego v0 allowed and v1 does not is parsed; in a module of v1 it is then
 * refused by name, and in one of v0 it becomes the tree of what v1 writes for it.
 */

import type { Diagnostic } from "../base/diagnostic.ts";
import { type Span, span } from "../base/span.ts";
import type { Body, Head, Import, Package, Ref, Rule, Term, Var } from "./ast.ts";
import { EOF, type IToken, type ParserMethod, type TokenType } from "./chevrotain.ts";
import { ImportParser } from "./parse-imports.ts";
import { asV1, checkDefault, checkElse, checkRule, type Written } from "./rule-shape.ts";
import * as T from "./tokens.ts";

/** What a module holds before its comments are added. */
export interface Statements {
  readonly packages: readonly Package[];
  readonly imports: readonly Import[];
  readonly rules: readonly Rule[];
  /** The first statement of all, if it is no package. */
  readonly misplaced: Span | undefined;
}

interface Collected extends Statements {
  readonly packages: Package[];
  readonly imports: Import[];
  readonly rules: Rule[];
  misplaced: Span | undefined;
}

function nothingYet(): Collected {
  return { packages: [], imports: [], rules: [], misplaced: undefined };
}

const maxElse = 400;
/** Keywords that go on with a statement rather than begin one. */
const continuing: readonly TokenType[] = [T.Else, T.If, T.With, T.As, T.In, T.Contains];

export abstract class RuleParser extends ImportParser {
  /** Whether rules may be written as in v0: a module of v0 that does not import `rego.v1` or `rego.v2`. */
  protected oldRules = false;

  readonly statements: ParserMethod<[], Statements> = this.RULE("statements", (): Statements => {
    const into = nothingYet();
    if (this.RECORDING_PHASE) {
      this.MANY(() => this.SUBRULE(this.moduleStatement));
      return into;
    }
    while (!this.at(EOF)) {
      const first = this.LA(1);
      const place = this.place();
      this.resetDepth();
      this.nameKeywordRef();
      if (place === 0 && !this.at(T.Package)) into.misplaced = this.spanOf(first);
      const tried = this.attempt(() => this.SUBRULE2(this.moduleStatement, { ARGS: [into] }));
      if ("error" in tried) {
        this.found.push(this.toDiagnostic(tried.error));
        this.moveTo(Math.max(tried.place, place + 1));
        this.recover(first);
      }
    }
    return into;
  });

  readonly moduleStatement: ParserMethod<[into?: Collected], void> = this.RULE(
    "moduleStatement",
    (into = nothingYet()): void => {
      this.OR([
        { ALT: () => into.packages.push(this.SUBRULE(this.package)) },
        { ALT: () => into.imports.push(this.SUBRULE(this.import)) },
        { ALT: () => this.SUBRULE(this.rule, { ARGS: [into.rules] }) },
      ]);
    },
  );

  /** Moves to the next token that begins a line no further right than the failed statement, and can begin a statement. */
  private recover(first: IToken): void {
    const column = (token: IToken) => token.startOffset - (this.file.text.lastIndexOf("\n", token.startOffset - 1) + 1);
    const margin = column(first);
    const starts = (token: IToken) =>
      token.tokenType === T.Identifier || (T.isKeywordToken(token) && !continuing.includes(token.tokenType));
    while (!this.at(EOF)) {
      const next = this.LA(1);
      if (this.onNewLine() && column(next) <= margin && starts(next)) return;
      this.moveTo(this.place() + 1);
    }
  }

  // ---- rules ----

  /** One rule with its `else` rules, added to `rules`; of several bodies each makes a rule. */
  readonly rule: ParserMethod<[rules?: Rule[]], void> = this.RULE("rule", (rules: Rule[] = []): void => {
    const first = this.LA(1);
    const isDefault = this.at(T.Default);
    this.OPTION(() => {
      this.CONSUME(T.Default);
      this.nameKeywordRef();
    });
    const { head, gap } = this.SUBRULE(this.head);
    if (isDefault) {
      const rule: Rule = {
        kind: "Rule",
        span: this.spanFrom(first),
        isDefault,
        head,
        body: [],
        hasBody: false,
        else: undefined,
      };
      this.found.push(...checkDefault(rule));
      rules.push(rule);
      return;
    }
    const hasIf = this.at(T.If);
    const hasBody = hasIf || this.at(T.LBrace);
    const bare = !hasBody && head?.value === undefined && head?.key === undefined && head?.args === undefined;
    if (!this.RECORDING_PHASE && bare && !this.at(EOF) && !this.onNewLine()) {
      this.unexpected("`:=`, `if` or `contains` after the name of a rule");
    }
    let body: Body = [];
    this.OPTION2(() => {
      this.CONSUME(T.If);
      body = this.SUBRULE(this.ifBody);
    });
    if (!hasIf && hasBody) body = this.SUBRULE(this.block);
    const written: Rule = { kind: "Rule", span: this.spanFrom(first), isDefault, head, body, hasBody, else: undefined };
    const main = this.RECORDING_PHASE ? written : this.checked(written, { hasIf, gap, old: this.oldRules });
    if (hasBody && this.at(T.Else) && !this.atKeywordRef()) {
      const chain = this.SUBRULE(this.elseChain, { ARGS: [main.head] });
      rules.push({ ...main, span: this.spanFrom(first), else: chain });
      return;
    }
    rules.push(main);
    while (hasBody && this.at(T.LBrace)) {
      const open = this.LA(1);
      const next = this.SUBRULE2(this.block);
      rules.push({ ...main, span: this.spanFrom(open), body: next });
    }
  });

  private checked(rule: Rule, written: Written): Rule {
    this.found.push(...checkRule(rule, written));
    return written.old ? asV1(rule, written) : rule;
  }

  /** A name, perhaps with arguments, and then `contains key`, or a value, or neither. */
  readonly head: ParserMethod<[], { head: Head; gap: Span | undefined }> = this.RULE(
    "head",
    (): { head: Head; gap: Span | undefined } => {
      const first = this.LA(1);
      const token = this.OR([{ ALT: () => this.CONSUME(T.Identifier) }, { ALT: () => this.CONSUME(T.Contains) }]);
      const name: Var = { kind: "Var", span: this.spanOf(token), name: token.image };
      // OPA allows a space between name and first part of a rule that has a body: `f (x) := x if …`.
      const part = this.at(T.LParen) || this.at(T.Dot) || this.at(T.LBracket);
      const spaced = part && !this.adjacent();
      const gap = spaced ? span(this.file, name.span.end, this.LA(1).startOffset) : undefined;
      const parts: Term[] = [];
      let args: readonly Term[] | undefined;
      this.MANY({
        GATE: () => parts.length === 0 || this.adjacent(),
        DEF: () =>
          parts.push(
            this.OR2([{ ALT: () => this.SUBRULE(this.dotPart) }, { ALT: () => this.SUBRULE(this.bracketPart) }]),
          ),
      });
      this.OPTION({
        GATE: () => (spaced && parts.length === 0) || this.adjacent(),
        DEF: () => {
          args = this.SUBRULE(this.args);
        },
      });
      const ref: Ref = { kind: "Ref", span: this.spanFrom(first), head: name, args: parts };
      let key: Term | undefined;
      let value: Term | undefined;
      let operator: Head["operator"];
      this.OPTION2(() => {
        this.OR3([
          {
            ALT: () => {
              const word = this.CONSUME2(T.Contains);
              if (args) {
                const reason = "the contains keyword can only be used with multi-value rules, not with functions";
                this.note("rego/illegal-rule", { reason }, this.spanOf(word));
              }
              key = this.SUBRULE(this.term);
            },
          },
          {
            ALT: () => {
              const sign = this.OR4([{ ALT: () => this.CONSUME(T.Assign) }, { ALT: () => this.CONSUME(T.Unify) }]);
              operator = sign.tokenType === T.Assign ? ":=" : "=";
              value = this.SUBRULE2(this.term);
            },
          },
        ]);
      });
      return { head: { kind: "Head", span: this.spanFrom(first), ref, args, key, value, operator }, gap };
    },
  );

  /**
   * What stands behind `if`: one statement, or a block. Braces are a block unless they are an object or comprehension
   * (`p if {"a": x}` asks whether x is defined), or the beginning of a longer term (`p if {x} == s`).
   */
  readonly ifBody: ParserMethod<[], Body> = this.RULE("ifBody", (): Body => {
    if (this.at(T.LBrace)) {
      if (this.active || this.mayBeTerm()) {
        const place = this.place();
        const asTerm = this.attempt(() => this.SUBRULE2(this.literal));
        if ("value" in asTerm && asTerm.value.body.kind !== "Set") return [asTerm.value];
        this.moveTo(place);
        const asBlock = this.attempt(() => this.SUBRULE2(this.block));
        if ("value" in asBlock) return asBlock.value;
        // Of two ways to fail, the one that got further was meant.
        throw "error" in asTerm && asTerm.place > asBlock.place ? asTerm.error : asBlock.error;
      }
      return this.SUBRULE(this.block);
    }
    return [this.SUBRULE(this.literal)];
  });

  /** A quick look at the tokens of `{…}`, so that ordinary blocks are parsed once: could this be more than a block? */
  private mayBeTerm(): boolean {
    const opens: readonly TokenType[] = [T.LBracket, T.LBrace, T.LParen];
    const closes: readonly TokenType[] = [T.RBracket, T.RBrace, T.RParen];
    const ofBlocks: readonly TokenType[] = [T.Semicolon, T.Assign, T.Unify, T.Some, T.Every, T.Not];
    const joins: readonly TokenType[] = [T.In, T.Assign, T.Unify];
    let depth = 0;
    let separated = false;
    for (let n = 1; n <= this.input.length; n++) {
      const type = this.LA(n).tokenType;
      if (opens.includes(type)) depth++;
      else if (closes.includes(type)) depth--;
      else if (depth === 1 && (type === T.Colon || type === T.Or)) separated = true;
      else if (depth === 1 && !separated && ofBlocks.includes(type)) return false;
      if (depth > 0) continue;
      const next = this.LA(n + 1).tokenType;
      const joined = joins.includes(next) || (next.CATEGORIES?.includes(T.InfixOperator) ?? false);
      const touching = (next === T.LBracket || next === T.Dot) && this.adjacent(n + 1);
      return n === 2 || separated || joined || touching;
    }
    return false;
  }

  readonly elseChain: ParserMethod<[Head], Rule> = this.RULE("elseChain", (head: Head): Rule => {
    const links: Rule[] = [];
    this.AT_LEAST_ONE({
      GATE: () => links.at(-1)?.hasBody !== false && !this.atKeywordRef(),
      DEF: () => {
        const first = this.CONSUME(T.Else);
        this.ACTION(() => this.refuseElse(checkElse(head, this.spanOf(first))));
        if (links.length >= maxElse) this.fail("rego/too-deep", { limit: maxElse }, this.spanOf(first));
        let value: Term | undefined;
        let operator: Head["operator"];
        this.OPTION(() => {
          const sign = this.OR([{ ALT: () => this.CONSUME(T.Assign) }, { ALT: () => this.CONSUME(T.Unify) }]);
          operator = sign.tokenType === T.Assign ? ":=" : "=";
          value = this.SUBRULE(this.term);
        });
        const headSpan = this.spanFrom(first);
        const hasIf = this.at(T.If);
        const hasBody = hasIf || this.at(T.LBrace);
        if (!this.RECORDING_PHASE && !hasBody && value === undefined) this.unexpected("else value term or rule body");
        let body: Body = [];
        this.OPTION2(() => this.CONSUME(T.If));
        if (this.RECORDING_PHASE || this.at(T.LBrace)) body = this.SUBRULE(this.block);
        else if (hasIf) body = [this.SUBRULE(this.literal)];
        if (hasBody && !hasIf && !this.oldRules) {
          const help = `write \`else${value ? " := …" : ""} if { … }\``;
          this.note("rego/missing-if", { what: head.args?.length ? "function" : "rule" }, this.spanOf(first), help);
        }
        const elseHead: Head = { ...head, span: headSpan, value, operator };
        links.push({
          kind: "Rule",
          span: this.spanFrom(first),
          isDefault: false,
          head: elseHead,
          body,
          hasBody,
          else: undefined,
        });
      },
    });
    return this.ACTION(() => {
      const end = links.at(-1)?.span.end ?? 0;
      const chained = links.reduceRight<Rule | undefined>(
        (next, link) => ({ ...link, span: span(this.file, link.span.start, Math.max(link.span.end, end)), else: next }),
        undefined,
      );
      return chained as Rule;
    });
  });

  private refuseElse(problem: Diagnostic | undefined): void {
    if (problem) this.failWith(problem);
  }
}
