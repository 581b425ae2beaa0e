/** The grammar of brackets: parentheses, arrays, sets, objects, and comprehensions. */

import type { Body, Term } from "./ast.ts";
import { notedJson } from "./json-terms.ts";
import { LiteralParser } from "./parse-literals.ts";
import { distinct, objectOfEntries } from "./term-key.ts";
import type { ClosingBracket, TokenKind } from "./token.ts";

export abstract class CollectionParser extends LiteralParser {
  /** The statements of a body up to (not including) the token that ends it. */
  protected abstract query(end: ClosingBracket): Body;
  /** A term with operators; see `TermParser`. */
  protected abstract term(pairs?: boolean, given?: Term): Term;
  /** A term without operators. */
  protected abstract primary(): Term;

  protected parentheses(): Term {
    this.take();
    const inner = this.term();
    this.expect(")");
    return inner.kind === "Call" ? { ...inner, parenthesized: true } : inner;
  }

  /** Terms between commas; one comma more may stand at the end. `given` is the first, if it was parsed already. */
  protected list(end: ClosingBracket, given?: Term): readonly Term[] {
    const items: Term[] = [];
    if (!given && this.at(end)) return items;
    items.push(this.term(false, given));
    while (this.takeIf(",") && !this.at(end)) items.push(this.term(false));
    if (!this.at(end)) this.unexpected(`\`,\` or \`${end}\``);
    return items;
  }

  /** `[…]`: after a first plain term, `|` begins a comprehension wherever the rest can be one. */
  protected array(): Term {
    const { start } = this.take();
    if (this.takeIf("]")) return notedJson({ kind: "Array", span: this.spanFrom(start), items: [] });
    const leadingComma = this.takeIf(",");
    const first = this.primary();
    const body = leadingComma ? undefined : this.comprehensionBody("]");
    if (body) return { kind: "ArrayComprehension", span: this.spanFrom(start), term: first, body };
    const items = this.list("]", first);
    this.take();
    return notedJson({ kind: "Array", span: this.spanFrom(start), items });
  }

  /** `{…}`: an object, a set, or a comprehension of either. */
  protected braces(): Term {
    const { start } = this.take();
    if (this.takeIf("}")) return notedJson({ kind: "Object", span: this.spanFrom(start), entries: [] });
    const leadingComma = this.takeIf(",");
    const first = this.primary();
    const body = leadingComma ? undefined : this.comprehensionBody("}");
    if (body) return { kind: "SetComprehension", span: this.spanFrom(start), term: first, body };
    const key = this.term(false, first);
    if (this.at(":")) return this.objectRest(start, key, !leadingComma);
    if (!this.at(",") && !this.at("}")) this.unexpected("`,`, `:` or `}`");
    const items = this.list("}", key);
    this.take();
    return { kind: "Set", span: this.spanFrom(start), items: distinct(items) };
  }

  /** An object from the colon after its first key. */
  private objectRest(start: number, key: Term, mayBeComprehension: boolean): Term {
    this.take();
    const first = this.primary();
    const body = mayBeComprehension ? this.comprehensionBody("}") : undefined;
    if (body) return { kind: "ObjectComprehension", span: this.spanFrom(start), key, value: first, body };
    const entries: [Term, Term][] = [[key, this.term(false, first)]];
    while (this.takeIf(",") && !this.at("}")) {
      const next = this.term(false);
      this.expect(":");
      entries.push([next, this.term(false)]);
    }
    if (!this.takeIf("}")) this.unexpected("`,` or `}`");
    return notedJson(objectOfEntries(this.spanFrom(start), entries));
  }

  /** Places of a `|` that was tried as the bar of a comprehension, and is an operator. */
  private readonly unions = new Set<number>();

  /**
   * The body of a comprehension and the bracket behind it, or `undefined` if no bar follows, or one that is the union
   * operator: `[a | b, c]` can only be an array. Only a comma can tell, so without one in the brackets there is nothing
   * to try. Each bar is tried once, or nested brackets would double the work at every level.
   */
  private comprehensionBody(end: ClosingBracket): Body | undefined {
    const bar = this.place;
    if (!this.at("|") || this.unions.has(bar)) return undefined;
    const parse = () => {
      this.take();
      return this.query(end);
    };
    let body: Body;
    if (this.commaBefore(end)) {
      const tried = this.attempt(parse);
      if ("problem" in tried) {
        const at = tried.problem.diagnostic.span;
        if (at === undefined || !this.file.text.startsWith(",", at.start)) throw tried.problem;
        this.unions.add(bar);
        return undefined;
      }
      body = tried.value;
    } else body = parse();
    this.expect(end);
    return body;
  }

  /** Whether a comma stands between here and the closing bracket, outside of inner brackets. */
  private commaBefore(end: ClosingBracket): boolean {
    let open = 0;
    for (let n = 0; this.place + n < this.tokens.length; n++) {
      const { kind } = this.ahead(n);
      if (kind === "," && open === 0) return true;
      if (isOpening(kind)) open++;
      else if (isClosing(kind) && open-- === 0) return kind !== end;
    }
    return false;
  }
}

export function isOpening(kind: TokenKind): boolean {
  return kind === "(" || kind === "[" || kind === "{";
}

export function isClosing(kind: TokenKind): boolean {
  return kind === ")" || kind === "]" || kind === "}";
}
