/**
 * What all levels of the grammar share: chevrotain's parser, set up so that actions build the tree directly, with our own
 * findings (code, parameters, place), a limit on nesting, reading on where one token does not tell, recovery by statements,
 * and the questions about whitespace that Rego's grammar asks.
 *
 * While chevrotain records the grammar, rules run without tokens: what is asked of a token answers for the end of the text,
 * places are those of an empty file, and nothing is found.
 */

import { type Diagnostic, type ParamsOf, type RegoVersion, SourceFile, type Span, span } from "../diagnostics/index.ts";
import type { Term } from "./ast.ts";
import {
  EmbeddedActionsParser,
  EOF,
  type IRuleConfig,
  isRecognitionException,
  MismatchedTokenException,
  type ParserMethod,
  type TokenType,
} from "./chevrotain.ts";
import { type codes, syntaxDiagnostic } from "./codes.ts";
import { withHabitHint } from "./habit-hints.ts";
import { isKeyword, isKeywordOfV0 } from "./keywords.ts";
import * as T from "./token.ts";

type Codes = typeof codes;
type ParamsFor<C extends keyof Codes> = [ParamsOf<Codes[C]["message"]>] extends [never]
  ? Record<string, never>
  : { [K in ParamsOf<Codes[C]["message"]>]: string | number };

/** How deep brackets, bodies and chains may nest: the stack of a plain Node carries it, with a wide margin. */
export const maxDepth = 100;
/** How long a chain of operators (`a + b + …`) may be: the tree leans to the left, one level for each. */
export const maxChain = 1_000;
/** How high the tree of a statement may be: chains may begin with chains. The stack of a Node, or of a page, carries 1,500. */
export const maxHeight = maxChain + 2 * maxDepth;

/** Carries a finding out of the grammar; chevrotain takes it for one of its own. */
class SyntaxProblem extends MismatchedTokenException {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic, token: T.Token, previous: T.Token) {
    super(diagnostic.message, token, previous);
    this.diagnostic = diagnostic;
  }
}

/** What came of reading on: a tree, or the problem and the place that was reached. */
export type Attempt<X> = { readonly value: X } | { readonly problem: Error; readonly place: number };

/** Messages say what was expected; what was found is added by `diagnosticOf`. */
const errorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }: { expected: TokenType }) => `\`${expected.LABEL ?? expected.name}\``,
  buildNotAllInputParsedMessage: () => "end of text",
  buildNoViableAltMessage: ({ customUserDescription }: { customUserDescription?: string }) =>
    customUserDescription ?? "expression",
  buildEarlyExitMessage: () => "expression",
};

/** While there is nothing to parse. */
export const noFile = new SourceFile("", "");

/** What rules are given while chevrotain records them. */
export const noTerm: Term = { kind: "Null", span: span(noFile, 0, 0) };

export abstract class BaseParser extends EmbeddedActionsParser {
  protected file = noFile;
  /** The version of the language that a module is read as, when it does not import another. */
  protected version: RegoVersion = 1;
  /** Findings, in the order in which they were met. */
  protected found: Diagnostic[] = [];
  private depth = 0;
  /** Operators of chains in the statement that is read. */
  private linksRead = 0;
  /** A statement was read whose chains may begin with each other. */
  protected mayBeHigh = false;

  /** Chevrotain's types leave the place in the list of tokens out. */
  declare protected exportLexerState: () => number;
  declare protected importLexerState: (place: number) => void;

  constructor(skipValidations: boolean) {
    super(T.vocabulary, { maxLookahead: 1, recoveryEnabled: true, errorMessageProvider, skipValidations });
  }

  /** Starts over with the tokens of another file. */
  protected begin(file: SourceFile, tokens: T.Token[], version: RegoVersion): void {
    this.file = file;
    this.version = version;
    this.found = [];
    this.resetDepth();
    this.mayBeHigh = false;
    this.input = tokens;
  }

  // ---- tokens ----

  protected at(type: TokenType): boolean {
    return this.LA(1).tokenType === type;
  }

  /** The number of the next token. */
  protected get place(): number {
    return this.exportLexerState() + 1;
  }

  protected moveTo(place: number): void {
    this.importLexerState(place - 1);
  }

  /** Takes the next token, whatever it is, where the grammar reads by trying. */
  protected take(): T.Token {
    const token = this.LA(1);
    this.moveTo(this.place + 1);
    return token;
  }

  protected become(token: T.Token, type: TokenType): void {
    token.tokenType = type;
    token.tokenTypeIdx = type.tokenTypeIdx as number;
  }

  // ---- places ----

  protected startOf(token: T.Token): number {
    return token.tokenType === EOF ? this.file.text.length : token.startOffset;
  }

  /** From an offset to the end of the last token taken. */
  protected spanFrom(start: number): Span {
    return span(this.file, start, Math.max(start, T.endOf(this.LA(0)) || 0));
  }

  protected spanOf(token: T.Token): Span {
    const start = this.startOf(token);
    return span(this.file, start, start + token.image.length);
  }

  // ---- whitespace ----

  /** Whether the token `n` ahead touches the one before it. */
  protected touches(n = 1): boolean {
    return this.LA(n).startOffset === T.endOf(this.LA(n - 1));
  }

  /** Whether a line ends between the last token and the next. */
  protected get onNewLine(): boolean {
    const { text } = this.file;
    const end = this.startOf(this.LA(1));
    for (let at = T.endOf(this.LA(0)) || 0; at < end; at++) if (text.charCodeAt(at) === 10) return true;
    return false;
  }

  /** A keyword that a part touches (`if.x`, `not["a"]`) is the name of a document, not a keyword. */
  protected atKeywordRef(): boolean {
    if (!T.isKeywordToken(this.LA(1))) return false;
    const { tokenType } = this.LA(2);
    return (tokenType === T.Dot || tokenType === T.LBracket) && this.touches(2);
  }

  /** Where a statement may begin, makes a name of such a keyword for good. */
  protected nameKeywordRef(): void {
    if (this.atKeywordRef()) this.become(this.LA(1), T.Identifier);
  }

  /** Whether a word names nothing by itself, imported keywords aside. */
  protected isKeyword(name: string): boolean {
    if (this.version === 0) return isKeywordOfV0(name);
    return isKeyword(name) || (this.version === 2 && T.importedKeyword(name) !== undefined);
  }

  // ---- findings ----

  /** Stops the statement with a finding. */
  protected fail<C extends keyof Codes>(code: C, params: ParamsFor<C>, at: Span, help?: string): never {
    return this.failWith(syntaxDiagnostic(code, params as never, at, help ? { help } : {}));
  }

  protected failWith(diagnostic: Diagnostic): never {
    if (this.RECORDING_PHASE) return undefined as never;
    throw new SyntaxProblem(diagnostic, this.LA(1), this.LA(0));
  }

  protected unexpected(expected: string): never {
    const token = this.LA(1);
    return this.fail("rego/unexpected-token", { token: T.describeToken(token), expected }, this.spanOf(token));
  }

  /** Notes a finding and goes on. */
  protected note<C extends keyof Codes>(code: C, params: ParamsFor<C>, at: Span, help?: string): void {
    if (!this.RECORDING_PHASE) this.found.push(syntaxDiagnostic(code, params as never, at, help ? { help } : {}));
  }

  /** Notes what stopped a statement. */
  protected noteProblem(problem: Error): void {
    this.found.push(withHabitHint(this.diagnosticOf(problem)));
  }

  protected diagnosticOf(problem: Error): Diagnostic {
    if (problem instanceof SyntaxProblem) return problem.diagnostic;
    const { token, message } = problem as MismatchedTokenException;
    const params = { token: T.describeToken(token), expected: message };
    return syntaxDiagnostic("rego/unexpected-token", params, this.spanOf(token));
  }

  // ---- recovery ----

  /**
   * A rule of the grammar. What is wrong in one stops the statement that it is part of, unless `config` says that it is
   * where the parser recovers: a statement is given up as a whole, with one finding and no guess at what was meant.
   */
  protected define<Args extends unknown[], Result>(
    name: string,
    implementation: (...args: Args) => Result,
    config?: IRuleConfig<Result>,
  ): ParserMethod<Args, Result> {
    return this.RULE(name, implementation, { resyncEnabled: false, ...config });
  }

  protected override canTokenTypeBeInsertedInRecovery(): boolean {
    return false;
  }

  protected override canTokenTypeBeDeletedInRecovery(): boolean {
    return false;
  }

  /** Part of chevrotain that its types leave out: repetitions are not mended either. */
  protected readonly attemptInRepetitionRecovery = (): void => {};

  // ---- choices that one token does not tell ----

  /** The first alternative where `isFirst` says so, else the second; chevrotain records both, as its `or(occurrence, …)`. */
  protected choose<X>(occurrence: number, isFirst: () => boolean, first: () => X, second: () => X): X {
    if (this.RECORDING_PHASE)
      return this.or(occurrence, { DEF: [{ ALT: first }, { ALT: second }], IGNORE_AMBIGUITIES: true });
    return isFirst() ? first() : second();
  }

  // ---- reading on, and nesting ----

  /** Reads on; if that fails everything is as before, but for words that were made names. */
  protected attempt<X>(parse: () => X): Attempt<X> {
    const { place, depth } = this;
    const findings = this.found.length;
    try {
      return { value: parse() };
    } catch (problem) {
      if (!(problem instanceof Error) || !isRecognitionException(problem)) throw problem;
      const failedAt = this.place;
      this.moveTo(place);
      this.found.length = findings;
      this.depth = depth;
      return { problem, place: failedAt };
    }
  }

  /** One level down; every recursive rule goes through here, and comes back by `leave`. */
  protected enter(): void {
    if (++this.depth > maxDepth) this.fail("rego/too-deep", { limit: maxDepth }, this.spanOf(this.LA(1)));
  }

  /** One level up. What fails below never gets here: who tries it has the depth. */
  protected leave(): void {
    this.depth--;
  }

  protected resetDepth(): void {
    this.depth = 0;
    this.linksRead = 0;
  }

  /** Chains lean to one side: each link is one level of the tree. */
  protected limitChain(length: number, at: T.Token): void {
    if (length > maxChain) this.fail("rego/too-deep", { limit: maxChain }, this.spanOf(at));
    if (++this.linksRead > maxChain) this.mayBeHigh = true;
  }
}
