/**
 * What the grammar's three files share: chevrotain's parser, set up so that actions build the tree directly, with our
 * own errors (code, parameters, place), a limit on nesting, speculative parsing, and the questions about whitespace
 * that Rego's grammar asks.
 */

import type { ParamsOf } from "../base/codes.ts";
import { type Diagnostic, diagnosticsOf } from "../base/diagnostic.ts";
import { SourceFile } from "../base/source-file.ts";
import { type Span, span } from "../base/span.ts";
import {
  EmbeddedActionsParser,
  EOF,
  type IToken,
  isRecognitionException,
  MismatchedTokenException,
  type TokenType,
} from "./chevrotain.ts";
import { codes } from "./codes.ts";
import { withHabitHint } from "./habit-hints.ts";
import { endOf } from "./lex.ts";
import * as T from "./tokens.ts";

const report = diagnosticsOf(codes);

type Codes = typeof codes;
type ParamsFor<C extends keyof Codes> = [ParamsOf<Codes[C]["message"]>] extends [never]
  ? Record<string, never>
  : { [K in ParamsOf<Codes[C]["message"]>]: string | number };

/** The version of the language that a module is read as, when it does not import another. */
export type RegoVersion = 0 | 1;

/** How deep brackets, bodies and chains may nest: the stack of a plain Node carries it, with a wide margin. */
export const maxDepth = 100;
/** How long a chain of operators (`a + b + …`) may be: the tree leans to the left, one level for each. */
export const maxChain = 400;

/** Carries a finding out of the grammar; chevrotain takes it for one of its own. */
class SyntaxProblem extends MismatchedTokenException {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic, token: IToken, previous: IToken) {
    super(diagnostic.message, token, previous);
    this.diagnostic = diagnostic;
  }
}

/** The part of chevrotain's token access that its types leave out: the place in the token list. */
interface TokenCursor {
  exportLexerState(): number;
  importLexerState(place: number): void;
}

const errorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }: { expected: { name: string; LABEL?: string } }) =>
    `\`${expected.LABEL ?? expected.name}\``,
  buildNotAllInputParsedMessage: () => "end of text",
  buildNoViableAltMessage: () => "expression",
  buildEarlyExitMessage: () => "expression",
};

/** How a token is called in messages: keywords as keywords, literals by their kind, signs as themselves. */
export function describeToken(token: IToken): string {
  if (token.tokenType === EOF) return "end of text";
  if (T.isKeywordToken(token)) return `\`${token.image}\` keyword`;
  if (token.tokenType === T.Identifier) return `identifier \`${token.image}\``;
  const label = token.tokenType.LABEL ?? token.tokenType.name;
  return label === token.image ? `\`${label}\` token` : label;
}

export abstract class BaseParser extends EmbeddedActionsParser {
  protected file = new SourceFile("", "");
  /** Findings that do not stop the parse. */
  protected found: Diagnostic[] = [];
  private depth = 0;
  /** As which version the file is read. */
  protected version: RegoVersion = 1;

  constructor(skipValidations: boolean) {
    // `skipValidations` is read by the constructor, though its types leave it out; a test builds the parser with them.
    const config = { maxLookahead: 1, recoveryEnabled: false, errorMessageProvider, skipValidations };
    super(T.vocabulary, config);
  }

  /** Starts over with the tokens of another file. */
  protected begin(file: SourceFile, tokens: IToken[], version: RegoVersion = 1): void {
    this.file = file;
    this.version = version;
    this.found = [];
    this.depth = 0;
    this.input = tokens;
  }

  // ---- places ----

  private get cursor(): TokenCursor {
    return this as unknown as TokenCursor;
  }

  /** The number of the next token. */
  protected place(): number {
    return this.cursor.exportLexerState() + 1;
  }

  protected moveTo(place: number): void {
    this.cursor.importLexerState(place - 1);
  }

  protected startOf(token: IToken): number {
    return token.tokenType === EOF ? this.file.text.length : token.startOffset;
  }

  /** From the start of `first` to the end of the last token consumed. */
  protected spanFrom(first: IToken | Span): Span {
    // While chevrotain records the grammar, rules run without tokens and arguments.
    if (this.RECORDING_PHASE) return span(this.file, 0, 0);
    const start = "start" in first ? first.start : this.startOf(first);
    return span(this.file, start, Math.max(start, endOf(this.LA(0)) || 0));
  }

  protected spanOf(token: IToken): Span {
    if (this.RECORDING_PHASE) return span(this.file, 0, 0);
    if (token.tokenType === EOF) return span(this.file, this.file.text.length, this.file.text.length);
    return span(this.file, token.startOffset, endOf(token));
  }

  // ---- whitespace ----

  /** Whether token `n` ahead touches the one before it. */
  protected adjacent(n = 1): boolean {
    return this.LA(n).startOffset === endOf(this.LA(n - 1));
  }

  /** Whether a line ends between the last token and the next. */
  protected onNewLine(): boolean {
    // Of the text between them only: looking for the line's end would read a long line anew for each of its tokens.
    return this.file.text.slice(endOf(this.LA(0)), this.startOf(this.LA(1))).includes("\n");
  }

  protected at(type: TokenType): boolean {
    return this.LA(1).tokenType === type;
  }

  /**
   * Whether an optional part is worth entering: chevrotain's own look-ahead comes to the same, at the price of several
   * closures for every token. While the grammar is recorded every part is.
   */
  protected may(begins: boolean): boolean {
    return begins || this.RECORDING_PHASE;
  }

  /** A keyword that a part touches (`if.x`, `not["a"]`) is the name of a document, not a keyword. */
  protected atKeywordRef(): boolean {
    const next = this.LA(2).tokenType;
    return T.isKeywordToken(this.LA(1)) && (next === T.Dot || next === T.LBracket) && this.adjacent(2);
  }

  /** Where a statement may begin, makes a name of such a keyword for good. */
  protected nameKeywordRef(): void {
    if (this.RECORDING_PHASE || !this.atKeywordRef()) return;
    this.toName(this.LA(1));
  }

  /** Whether a word names nothing by itself, imported keywords aside. */
  protected isKeyword(name: string): boolean {
    return this.version === 0 ? T.isKeywordOfV0(name) : T.isKeyword(name);
  }

  protected toName(token: IToken): void {
    token.tokenType = T.Identifier;
    token.tokenTypeIdx = T.Identifier.tokenTypeIdx as number;
  }

  // ---- errors ----

  /** Stops the statement with a finding. */
  protected fail<C extends keyof Codes>(code: C, params: ParamsFor<C>, at: Span, help?: string): never {
    this.failWith(report(code, params as never, at, help ? { help } : {}));
  }

  protected failWith(diagnostic: Diagnostic): never {
    throw new SyntaxProblem(diagnostic, this.LA(1), this.LA(0));
  }

  protected unexpected(expected: string, help?: string): never {
    const token = this.LA(1);
    this.fail("rego/unexpected-token", { token: describeToken(token), expected }, this.spanOf(token), help);
  }

  /** Notes a finding and goes on. */
  protected note<C extends keyof Codes>(code: C, params: ParamsFor<C>, at: Span, help?: string): void {
    if (!this.RECORDING_PHASE) this.found.push(report(code, params as never, at, help ? { help } : {}));
  }

  protected toDiagnostic(error: unknown): Diagnostic {
    if (error instanceof SyntaxProblem) return withHabitHint(error.diagnostic);
    if (!(error instanceof Error) || !isRecognitionException(error)) throw error;
    const { token } = error as MismatchedTokenException;
    return withHabitHint(
      report("rego/unexpected-token", { token: describeToken(token), expected: error.message }, this.spanOf(token)),
    );
  }

  /** Parses speculatively: `undefined`, with everything as before, if it fails. */
  protected attempt<X>(parse: () => X): { readonly value: X } | { readonly error: Error; readonly place: number } {
    const place = this.place();
    const findings = this.found.length;
    const depth = this.depth;
    const { errors } = this;
    try {
      return { value: parse() };
    } catch (error) {
      if (!(error instanceof Error) || !isRecognitionException(error)) throw error;
      const failedAt = this.place();
      this.moveTo(place);
      this.errors = errors;
      this.found.length = findings;
      this.depth = depth;
      return { error, place: failedAt };
    }
  }

  /** One level down; every recursive rule goes through here. */
  protected nested<X>(parse: () => X): X {
    if (++this.depth > maxDepth && !this.RECORDING_PHASE) {
      this.fail("rego/too-deep", { limit: maxDepth }, this.spanOf(this.LA(1)));
    }
    const value = parse();
    this.depth--;
    return value;
  }

  protected resetDepth(): void {
    this.depth = 0;
  }
}
