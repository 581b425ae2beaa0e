/** The grammar of brackets: parentheses, arrays, sets, objects, and comprehensions. */

import type { Body, Term } from "./ast.ts";
import { EOF, type ParserMethod, type TokenType } from "./chevrotain.ts";
import { notedJson } from "./json-terms.ts";
import { LiteralParser } from "./parse-literals.ts";
import { distinct, objectOfEntries } from "./term-key.ts";
import * as T from "./token.ts";

/** Arguments of rules: whether a term may be `k, v in xs`, and what ends a body. */
export const PAIRS: { ARGS: [boolean] } = { ARGS: [true] };
export const NO_PAIRS: { ARGS: [boolean] } = { ARGS: [false] };
export const IN_BRACES: { ARGS: [TokenType] } = { ARGS: [T.RBrace] };
const IN_BRACKETS: { ARGS: [TokenType] } = { ARGS: [T.RBracket] };

export abstract class CollectionParser extends LiteralParser {
  /** The statements of a body up to (not including) the token that ends it. */
  protected abstract readonly query: ParserMethod<[end: TokenType], Body>;
  /** A term with operators; see `TermParser`. */
  protected abstract readonly term: ParserMethod<[pairs: boolean], Term>;
  /** A first term with the operators behind it. */
  protected abstract operated(first: Term, pairs: boolean): Term;
  /** A term without operators. */
  protected abstract readonly primary: ParserMethod<[], Term>;
  /** Behind a term, makes names of words that are not operators there. */
  protected abstract nameBehindTerm(): void;

  protected readonly parentheses: ParserMethod<[], Term> = this.define("parentheses", () => {
    this.CONSUME(T.LParen);
    const inner = this.SUBRULE(this.term, PAIRS);
    this.CONSUME(T.RParen);
    return inner.kind === "Call" ? { ...inner, parenthesized: true } : inner;
  });

  /** What stands behind the first of terms between commas; one comma more may stand at the end. */
  protected readonly items: ParserMethod<[end: TokenType, first: Term], readonly Term[]> = this.define(
    "items",
    (end, first) => {
      const items = [first];
      if (!this.RECORDING_PHASE && this.at(end)) return items;
      this.MANY({
        GATE: () => this.LA(2).tokenType !== end,
        DEF: () => {
          this.CONSUME(T.Comma);
          items.push(this.SUBRULE(this.term, NO_PAIRS));
        },
      });
      this.OPTION(() => this.CONSUME2(T.Comma));
      if (!this.RECORDING_PHASE && !this.at(end)) this.unexpected(`\`,\` or \`${end.LABEL}\``);
      return items;
    },
  );

  /** `[…]`: after a first plain term, `|` begins a comprehension wherever the rest can be one. */
  protected readonly array: ParserMethod<[], Term> = this.define("array", () => {
    const { startOffset: start } = this.CONSUME(T.LBracket);
    return this.choose(
      1,
      () => this.at(T.RBracket),
      () => {
        this.CONSUME(T.RBracket);
        return notedJson({ kind: "Array", span: this.spanFrom(start), items: [] });
      },
      () => this.arrayOf(start),
    );
  });

  private arrayOf(start: number): Term {
    const comma = this.OPTION(() => this.CONSUME(T.Comma));
    const first = this.SUBRULE(this.primary);
    this.nameBehindTerm();
    return this.choose<Term>(
      2,
      () => comma === undefined && this.atComprehension(T.RBracket),
      () => {
        const body = this.SUBRULE(this.comprehension, IN_BRACKETS);
        this.CONSUME2(T.RBracket);
        return { kind: "ArrayComprehension", span: this.spanFrom(start), term: first, body };
      },
      () => {
        const item = this.operated(first, false);
        const items = this.SUBRULE(this.items, { ARGS: [T.RBracket, item] });
        this.CONSUME3(T.RBracket);
        return this.ACTION(() => notedJson({ kind: "Array", span: this.spanFrom(start), items }));
      },
    );
  }

  /** `{…}`: an object, a set, or a comprehension of either. */
  protected readonly braces: ParserMethod<[], Term> = this.define("braces", () => {
    const { startOffset: start } = this.CONSUME(T.LBrace);
    return this.choose(
      1,
      () => this.at(T.RBrace),
      () => {
        this.CONSUME(T.RBrace);
        return notedJson({ kind: "Object", span: this.spanFrom(start), entries: [] });
      },
      () => this.bracesOf(start),
    );
  });

  private bracesOf(start: number): Term {
    const comma = this.OPTION(() => this.CONSUME(T.Comma));
    const first = this.SUBRULE(this.primary);
    this.nameBehindTerm();
    return this.choose<Term>(
      2,
      () => comma === undefined && this.atComprehension(T.RBrace),
      () => {
        const body = this.SUBRULE(this.comprehension, IN_BRACES);
        this.CONSUME2(T.RBrace);
        return { kind: "SetComprehension", span: this.spanFrom(start), term: first, body };
      },
      () => {
        const key = this.operated(first, false);
        return this.OR3({
          DEF: [
            { ALT: () => this.SUBRULE(this.object, { ARGS: [start, key, comma === undefined] }) },
            { ALT: () => this.SUBRULE(this.set, { ARGS: [start, key] }) },
          ],
          ERR_MSG: "`,`, `:` or `}`",
        });
      },
    );
  }

  /** A set behind its first item. */
  private readonly set: ParserMethod<[start: number, first: Term], Term> = this.define("set", (start, first) => {
    const items = this.SUBRULE(this.items, { ARGS: [T.RBrace, first] });
    this.CONSUME(T.RBrace);
    return { kind: "Set", span: this.spanFrom(start), items: this.ACTION(() => distinct(items)) };
  });

  /** An object from the colon behind its first key. */
  private readonly object: ParserMethod<[start: number, key: Term, mayBeComprehension: boolean], Term> = this.define(
    "object",
    (start, key, mayBeComprehension) => {
      this.CONSUME(T.Colon);
      const first = this.SUBRULE(this.primary);
      this.nameBehindTerm();
      return this.choose(
        2,
        () => mayBeComprehension && this.atComprehension(T.RBrace),
        () => {
          const body = this.SUBRULE(this.comprehension, IN_BRACES);
          this.CONSUME(T.RBrace);
          return { kind: "ObjectComprehension", span: this.spanFrom(start), key, value: first, body };
        },
        () => this.entries(start, key, first),
      );
    },
  );

  private entries(start: number, key: Term, first: Term): Term {
    const entries: [Term, Term][] = [[key, this.operated(first, false)]];
    this.MANY({
      GATE: () => this.LA(2).tokenType !== T.RBrace,
      DEF: () => {
        this.CONSUME(T.Comma);
        const next = this.SUBRULE(this.term, NO_PAIRS);
        this.CONSUME2(T.Colon);
        entries.push([next, this.SUBRULE2(this.term, NO_PAIRS)]);
      },
    });
    this.OPTION(() => this.CONSUME2(T.Comma));
    this.CONSUME2(T.RBrace, { ERR_MSG: "`,` or `}`" });
    return this.ACTION(() => notedJson(objectOfEntries(this.spanFrom(start), entries)));
  }

  // ---- comprehensions ----

  /** Bars that were tried as that of a comprehension: the body behind it, or `undefined` for the union operator. */
  protected readonly bars = new Map<number, { readonly body: Body; readonly end: number } | undefined>();

  /** The bar of a comprehension and its body. */
  private readonly comprehension: ParserMethod<[end: TokenType], Body> = this.define("comprehension", (end) => {
    const tried = this.bars.get(this.place);
    if (tried) {
      this.moveTo(tried.end);
      return tried.body;
    }
    this.CONSUME(T.Bar);
    return this.SUBRULE(this.query, { ARGS: [end] });
  });

  /**
   * Whether a comprehension's bar is next, and not the union operator: `[a | b, c]`, `[a | b,]` and `[a | b, c in d, e]` can
   * only be arrays. Only a comma can tell, so without one in the brackets there is nothing to try. Each bar is tried once, or nested brackets would double
   * the work at every level.
   */
  private atComprehension(end: TokenType): boolean {
    if (!this.at(T.Bar)) return false;
    const bar = this.place;
    if (this.bars.has(bar)) return this.bars.get(bar) !== undefined;
    if (!this.commaBefore(end)) return true;
    const findings = this.found.length;
    const tried = this.attempt(() => {
      const body = this.SUBRULE(this.comprehension, { ARGS: [end] });
      return { body, end: this.place, isWhole: !this.at(T.Comma) };
    });
    if ("problem" in tried && !this.isOfComma(tried.problem, end)) throw tried.problem;
    this.moveTo(bar);
    const isComprehension = "value" in tried && tried.value.isWhole;
    this.bars.set(bar, isComprehension ? tried.value : undefined);
    if (!isComprehension) this.found.length = findings;
    return isComprehension;
  }

  /** Whether a comma is what no body can have: in front of no statement, or of the closing bracket. */
  private isOfComma(problem: Error, end: TokenType): boolean {
    const at = this.diagnosticOf(problem).span?.start;
    if (at === undefined) return false;
    const { text } = this.file;
    return (
      text.startsWith(",", at) || (text.startsWith(end.LABEL ?? "", at) && text.slice(0, at).trimEnd().endsWith(","))
    );
  }

  /** Whether a comma stands between here and the closing bracket, outside of inner brackets. */
  private commaBefore(end: TokenType): boolean {
    let open = 0;
    for (let n = 1; ; n++) {
      const { tokenType } = this.LA(n);
      if (tokenType === EOF) return false;
      if (tokenType === T.Comma && open === 0) return true;
      if (isOpening(tokenType)) open++;
      else if (isClosing(tokenType) && open-- === 0) return tokenType !== end;
    }
  }
}

export function isOpening(type: TokenType): boolean {
  return type === T.LParen || type === T.LBracket || type === T.LBrace;
}

export function isClosing(type: TokenType): boolean {
  return type === T.RParen || type === T.RBracket || type === T.RBrace;
}
