/**
 * What all levels of the grammar share: the place in the tokens, errors (code, parameters, place), a limit on nesting,
 * speculative parsing, and the questions about whitespace that Rego's grammar asks.
 */

import {
  type Diagnostic,
  diagnosticsOf,
  type ParamsOf,
  type RegoVersion,
  type SourceFile,
  type Span,
  span,
} from "../diagnostics/index.ts";
import { codes } from "./codes.ts";
import { withHabitHint } from "./habit-hints.ts";
import {
  describeToken,
  isImportedKeyword,
  isKeyword,
  isKeywordKind,
  isKeywordOfV0,
  type Token,
  type TokenKind,
} from "./token.ts";

const report = diagnosticsOf(codes);

type Codes = typeof codes;
type ParamsFor<C extends keyof Codes> = [ParamsOf<Codes[C]["message"]>] extends [never]
  ? Record<string, never>
  : { [K in ParamsOf<Codes[C]["message"]>]: string | number };

/** How deep brackets, bodies and chains may nest: the stack of a plain Node carries it, with a wide margin. */
export const maxDepth = 100;
/** How long a chain of operators (`a + b + …`) may be: the tree leans to the left, one level for each. */
export const maxChain = 400;

/** Stops a statement; carries its finding out of the grammar. */
class SyntaxProblem extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

/** What came of parsing speculatively: a tree, or why there is none, and the place that was reached. */
export type Attempt<X> = { readonly value: X } | { readonly problem: SyntaxProblem; readonly place: number };

export abstract class BaseParser {
  protected readonly file: SourceFile;
  /** The version of the language that a module is read as, when it does not import another. */
  protected readonly version: RegoVersion;
  /** INVARIANT: the last one is the end of the text, and is never taken. */
  protected readonly tokens: readonly Token[];
  /** The number of the next token. */
  protected place = 0;
  /** The next token: `tokens[place]`. */
  protected next: Token;
  /** Findings that do not stop the parse. */
  protected found: Diagnostic[] = [];
  private depth = 0;

  /** The grammar changes the kinds of some tokens. */
  constructor(file: SourceFile, tokens: readonly Token[], version: RegoVersion) {
    this.file = file;
    this.version = version;
    this.tokens = tokens;
    this.next = tokens[0] as Token;
  }

  /** What a grammar reads, and everything found in it; `undefined` where the stack ran out. */
  run<X>(grammar: (parser: this) => X): { readonly result: X | undefined; readonly found: Diagnostic[] } {
    let result: X | undefined;
    try {
      result = grammar(this);
    } catch (error) {
      // The limits on nesting keep the stack from running out; should a small one do so all the same, it is the text's fault.
      if (!(error instanceof RangeError)) throw error;
      this.note("rego/too-deep", { limit: "the stack's" }, this.spanOf(this.next));
    }
    return { result, found: this.found };
  }

  // ---- tokens ----

  protected at(kind: TokenKind): boolean {
    return this.next.kind === kind;
  }

  /** The token `n` behind the next one. */
  protected ahead(n: number): Token {
    return this.tokens[this.place + n] ?? (this.tokens[this.tokens.length - 1] as Token);
  }

  protected moveTo(place: number): void {
    this.place = place;
    this.next = this.tokens[place] as Token;
  }

  /** Takes the next token, whatever it is. */
  protected take(): Token {
    const token = this.next;
    this.next = this.tokens[++this.place] as Token;
    return token;
  }

  /** Takes a token of a kind, or stops the statement. */
  protected expect(kind: TokenKind, called = `\`${kind}\``): Token {
    if (this.next.kind !== kind) this.unexpected(called);
    return this.take();
  }

  /** Takes a token of a kind, if it is the next. */
  protected takeIf(kind: TokenKind): boolean {
    if (this.next.kind !== kind) return false;
    this.take();
    return true;
  }

  // ---- places ----

  /** From an offset to the end of the last token taken. */
  protected spanFrom(start: number): Span {
    const end = this.place === 0 ? 0 : (this.tokens[this.place - 1] as Token).end;
    return span(this.file, start, Math.max(start, end));
  }

  protected spanOf({ start, end }: Token): Span {
    return span(this.file, start, end);
  }

  // ---- whitespace ----

  /** Whether the next token touches the one before it. */
  protected get touches(): boolean {
    return this.next.before === "nothing";
  }

  /** Whether a line ends between the last token and the next. */
  protected get onNewLine(): boolean {
    return this.next.before === "line end";
  }

  /** A keyword that a part touches (`if.x`, `not["a"]`) is the name of a document, not a keyword. */
  protected atKeywordRef(): boolean {
    if (!isKeywordKind(this.next.kind)) return false;
    const { kind, before } = this.ahead(1);
    return before === "nothing" && (kind === "." || kind === "[");
  }

  /** Where a statement may begin, makes a name of such a keyword for good. */
  protected nameKeywordRef(): void {
    if (this.atKeywordRef()) this.next.kind = "identifier";
  }

  /** Whether a word names nothing by itself, imported keywords aside. */
  protected isKeyword(name: string): boolean {
    if (this.version === 0) return isKeywordOfV0(name);
    return isKeyword(name) || (this.version === 2 && isImportedKeyword(name));
  }

  // ---- errors ----

  /** Stops the statement with a finding. */
  protected fail<C extends keyof Codes>(code: C, params: ParamsFor<C>, at: Span, help?: string): never {
    this.failWith(report(code, params as never, at, help ? { help } : {}));
  }

  protected failWith(diagnostic: Diagnostic): never {
    throw new SyntaxProblem(diagnostic);
  }

  protected unexpected(expected: string, help?: string): never {
    const token = this.next;
    this.fail("rego/unexpected-token", { token: describeToken(token), expected }, this.spanOf(token), help);
  }

  /** Notes a finding and goes on. */
  protected note<C extends keyof Codes>(code: C, params: ParamsFor<C>, at: Span, help?: string): void {
    this.found.push(report(code, params as never, at, help ? { help } : {}));
  }

  /** Notes what stopped a statement. */
  protected noteProblem({ diagnostic }: SyntaxProblem): void {
    this.found.push(withHabitHint(diagnostic));
  }

  // ---- speculation and nesting ----

  /** Parses speculatively: if it fails everything is as before, but for words that were made names. */
  protected attempt<X>(parse: () => X): Attempt<X> {
    const { place, depth } = this;
    const findings = this.found.length;
    try {
      return { value: parse() };
    } catch (problem) {
      if (!(problem instanceof SyntaxProblem)) throw problem;
      const failedAt = this.place;
      this.moveTo(place);
      this.found.length = findings;
      this.depth = depth;
      return { problem, place: failedAt };
    }
  }

  /** One level down; every recursive rule goes through here, and comes back by `leave`. */
  protected enter(): void {
    if (++this.depth > maxDepth) this.fail("rego/too-deep", { limit: maxDepth }, this.spanOf(this.next));
  }

  /** One level up. What fails below never gets here: who tries it has the depth. */
  protected leave(): void {
    this.depth--;
  }

  protected resetDepth(): void {
    this.depth = 0;
  }
}
