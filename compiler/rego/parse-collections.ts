/** The grammar of brackets: parentheses, arrays, sets, objects, and comprehensions. */

import type { Body, ObjectComprehension, ObjectTerm, Term } from "./ast.ts";
import type { IToken, ParserMethod, TokenType } from "./chevrotain.ts";
import { LiteralParser } from "./parse-literals.ts";
import { distinct, distinctEntries } from "./term-key.ts";
import * as T from "./tokens.ts";

export abstract class CollectionParser extends LiteralParser {
  /** The statements of a body up to (not including) the token that ends it. */
  abstract readonly query: ParserMethod<[TokenType], Body>;
  /** A term with operators; see `TermParser`. */
  abstract readonly term: ParserMethod<[pairs?: boolean, given?: Term | undefined], Term>;
  /** A term without operators. */
  abstract readonly primary: ParserMethod<[], Term>;

  readonly parentheses: ParserMethod<[], Term> = this.RULE("parentheses", (): Term => {
    this.CONSUME(T.LParen);
    const inner = this.SUBRULE(this.term);
    this.CONSUME(T.RParen, { ERR_MSG: "`)`" });
    return inner.kind === "Call" ? { ...inner, parenthesized: true } : inner;
  });

  /** Terms between commas; one comma more may stand at the end. */
  readonly list: ParserMethod<[end: TokenType, given: Term | undefined], readonly Term[]> = this.RULE(
    "list",
    (end: TokenType, given: Term | undefined): readonly Term[] => {
      const items: Term[] = [];
      if (!given && this.at(end)) return items;
      items.push(this.SUBRULE(this.term, { ARGS: [false, given] }));
      this.MANY({
        GATE: () => this.LA(2).tokenType !== end,
        DEF: () => {
          this.CONSUME(T.Comma);
          items.push(this.SUBRULE2(this.term, { ARGS: [false, undefined] }));
        },
      });
      this.OPTION(() => this.CONSUME2(T.Comma));
      if (!this.RECORDING_PHASE && !this.at(end)) this.unexpected(`\`,\` or \`${end.LABEL}\``);
      return items;
    },
  );

  /** `[…]`: after a first plain term, `|` begins a comprehension wherever the rest can be one. */
  readonly array: ParserMethod<[], Term> = this.RULE("array", (): Term => {
    const open = this.CONSUME(T.LBracket);
    if (this.at(T.RBracket)) {
      this.CONSUME(T.RBracket);
      return { kind: "Array", span: this.spanFrom(open), items: [] };
    }
    const leadingComma = this.at(T.Comma);
    this.OPTION(() => this.CONSUME(T.Comma));
    const first = this.SUBRULE(this.primary);
    if (!leadingComma && this.at(T.Or)) {
      const body = this.comprehensionBody(T.RBracket);
      if (body) {
        this.CONSUME2(T.RBracket);
        return { kind: "ArrayComprehension", span: this.spanFrom(open), term: first, body };
      }
    }
    const items = this.SUBRULE(this.list, { ARGS: [T.RBracket, first] });
    this.CONSUME3(T.RBracket);
    return { kind: "Array", span: this.spanFrom(open), items };
  });

  /** `{…}`: an object, a set, or a comprehension of either. */
  readonly braces: ParserMethod<[], Term> = this.RULE("braces", (): Term => {
    const open = this.CONSUME(T.LBrace);
    if (this.at(T.RBrace)) {
      this.CONSUME(T.RBrace);
      return { kind: "Object", span: this.spanFrom(open), entries: [] };
    }
    const leadingComma = this.at(T.Comma);
    this.OPTION(() => this.CONSUME(T.Comma));
    const first = this.SUBRULE(this.primary);
    if (!leadingComma && this.at(T.Or)) {
      const body = this.comprehensionBody(T.RBrace);
      if (body) {
        this.CONSUME2(T.RBrace);
        return { kind: "SetComprehension", span: this.spanFrom(open), term: first, body };
      }
    }
    const key = this.SUBRULE(this.term, { ARGS: [false, first] });
    if (this.at(T.Colon)) return this.SUBRULE(this.objectRest, { ARGS: [open, key, !leadingComma] });
    if (!this.RECORDING_PHASE && !this.at(T.Comma) && !this.at(T.RBrace)) this.unexpected("`,`, `:` or `}`");
    const items = this.SUBRULE(this.list, { ARGS: [T.RBrace, key] });
    this.CONSUME3(T.RBrace);
    return { kind: "Set", span: this.spanFrom(open), items: this.ACTION(() => distinct(items)) };
  });

  /** An object from the colon after its first key. */
  readonly objectRest: ParserMethod<[IToken, Term, boolean], ObjectTerm | ObjectComprehension> = this.RULE(
    "objectRest",
    (open: IToken, key: Term, mayBeComprehension: boolean): ObjectTerm | ObjectComprehension => {
      this.CONSUME(T.Colon);
      const value = this.SUBRULE(this.primary);
      if (mayBeComprehension && this.at(T.Or)) {
        const body = this.comprehensionBody(T.RBrace);
        if (body) {
          this.CONSUME(T.RBrace);
          return { kind: "ObjectComprehension", span: this.spanFrom(open), key, value, body };
        }
      }
      const entries: [Term, Term][] = [[key, this.SUBRULE(this.term, { ARGS: [false, value] })]];
      this.MANY({
        GATE: () => this.LA(2).tokenType !== T.RBrace,
        DEF: () => {
          this.CONSUME(T.Comma);
          const k = this.SUBRULE2(this.term, { ARGS: [false, undefined] });
          this.CONSUME2(T.Colon);
          entries.push([k, this.SUBRULE3(this.term, { ARGS: [false, undefined] })]);
        },
      });
      this.OPTION(() => this.CONSUME2(T.Comma));
      if (!this.RECORDING_PHASE && !this.at(T.RBrace)) this.unexpected("`,` or `}`");
      this.CONSUME2(T.RBrace);
      return { kind: "Object", span: this.spanFrom(open), entries: this.ACTION(() => distinctEntries(entries)) };
    },
  );

  /** Places of a `|` that was tried as the bar of a comprehension, and is an operator. */
  protected readonly unions = new Set<number>();

  /**
   * The body of a comprehension behind `|`, or `undefined` if the bar is the union operator: `[a | b, c]` can only be an
   * array. Only a comma can tell, so without one in the brackets there is nothing to try. Each bar is tried once, or
   * nested brackets would double the work at every level.
   */
  private comprehensionBody(end: TokenType): Body | undefined {
    const bar = this.place();
    if (this.unions.has(bar)) return undefined;
    const parse = () => this.SUBRULE(this.comprehensionRest, { ARGS: [end] });
    if (!this.commaBefore(end)) return parse();
    const tried = this.attempt(parse);
    if ("value" in tried) return tried.value;
    const { span } = this.toDiagnostic(tried.error);
    if (span === undefined || !this.file.text.startsWith(",", span.start)) throw tried.error;
    this.unions.add(bar);
    return undefined;
  }

  readonly comprehensionRest: ParserMethod<[TokenType], Body> = this.RULE(
    "comprehensionRest",
    (end: TokenType): Body => {
      this.CONSUME(T.Or);
      return this.SUBRULE(this.query, { ARGS: [end] });
    },
  );

  /** Whether a comma stands between here and the closing bracket, outside of inner brackets. */
  private commaBefore(end: TokenType): boolean {
    let open = 0;
    for (let n = 1; ; n++) {
      const type = this.LA(n).tokenType;
      if (type === T.Comma && open === 0) return true;
      if (type === T.LBracket || type === T.LBrace || type === T.LParen) open++;
      else if (type === T.RBracket || type === T.RBrace || type === T.RParen) {
        if (open === 0) return type !== end;
        open--;
      } else if (n > this.input.length) return false;
    }
  }
}
