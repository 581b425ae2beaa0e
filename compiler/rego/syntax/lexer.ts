/**
 * Cuts a source into tokens and comments, and reports every literal and character that is no Rego.
 *
 * The lexer has three modes: `code` is ordinary Rego; `template` and `raw template` are the insides of `$"…"` and `` $`…` ``.
 * Every `{` enters `code` and every `}` leaves it again, so that the `}` which ends an interpolation returns to its string.
 */

import { type Diagnostic, diagnosticsOf, type SourceFile, span } from "../diagnostics/index.ts";
import type { Comment } from "./ast.ts";
import { codes } from "./codes.ts";
import { withHabitHint } from "./habit-hints.ts";
import { checkNumber, decodeRawString, decodeString, decodeTemplateText } from "./literals.ts";
import { keywordOf, type Sign, type Token, type TokenKind } from "./token.ts";

const report = diagnosticsOf(codes);

export interface Lexed {
  /** The last one is the end of the text. */
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
}

/** O(length of the text). */
export function lexRego(file: SourceFile): Lexed {
  return new Lexer(file).run();
}

type Mode = "code" | "template" | "raw template";

const SIGNS: readonly Sign[] = [
  ...(["(", ")", "[", "]", "{", "}", ",", ";", ".", ":", "="] as const),
  ...(["<", ">", "+", "-", "*", "/", "%", "&", "|"] as const),
];
const SIGNS_BEFORE_EQUAL = [":=", "==", "!=", "<=", ">="] as const;

/** By the code of a sign's first character: the sign alone, and the one with `=` behind it. */
const signs: (Sign | undefined)[] = new Array(128).fill(undefined);
const signsBeforeEqual: (Sign | undefined)[] = new Array(128).fill(undefined);
for (const sign of SIGNS) signs[sign.charCodeAt(0)] = sign;
for (const sign of SIGNS_BEFORE_EQUAL) signsBeforeEqual[sign.charCodeAt(0)] = sign;

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const HASH = 35;
const DOLLAR = 36;
const EQUAL = 61;
const BACKSLASH = 92;
const BACKTICK = 96;
const LEFT_BRACE = 123;
const BYTE_ORDER_MARK = 0xfeff;

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === TAB || code === CARRIAGE_RETURN;
}

/** What may follow the first letter of a name: the digits of other scripts, too. */
const restOfName = /[A-Za-z0-9_\p{Nd}]*/uy;
/** Everything that a reader takes for one number (`0a2b`, `1.`, `007`); `checkNumber` finds the fault. */
const wholeNumber = /[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?[A-Za-z0-9_]*/y;

/** Where the match of a sticky pattern ends. */
function endOfMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.test(text);
  return pattern.lastIndex;
}

class Lexer {
  private readonly file: SourceFile;
  private readonly text: string;
  /** The offset of the first character that is not read. */
  private at = 0;
  private before: Token["before"] = "space";
  private readonly modes: Mode[] = ["code"];
  private readonly tokens: Token[] = [];
  private readonly comments: Comment[] = [];
  private readonly found: Diagnostic[] = [];

  constructor(file: SourceFile) {
    this.file = file;
    this.text = file.text;
  }

  run(): Lexed {
    const { text } = this;
    // Allowed, and meaningless, before the first character.
    if (text.charCodeAt(0) === BYTE_ORDER_MARK) this.at = 1;
    while (this.at < text.length) {
      const mode = this.modes[this.modes.length - 1];
      if (mode === "template") this.template();
      else if (mode === "raw template") this.rawTemplate();
      else this.code(text.charCodeAt(this.at));
    }
    this.tokens.push({ kind: "end of text", text: "", start: text.length, end: text.length, before: this.endGap() });
    this.found.push(...forbiddenCharacters(this.file));
    return { tokens: this.tokens, comments: this.comments, diagnostics: this.found };
  }

  /** The end of the text touches nothing. */
  private endGap(): Token["before"] {
    return this.before === "nothing" ? "space" : this.before;
  }

  private add(kind: TokenKind, end: number, text = this.text.slice(this.at, end)): Token {
    const token: Token = { kind, text, start: this.at, end, before: this.before };
    this.tokens.push(token);
    this.at = end;
    this.before = "nothing";
    return token;
  }

  // ---- code ----

  /** One token, comment, or stretch of whitespace. */
  private code(first: number): void {
    if (isSpace(first)) this.whitespace();
    else if (isLetter(first)) this.word();
    else if (isDigit(first)) this.number();
    else if (first === QUOTE) this.string();
    else if (first === BACKTICK) this.rawString();
    else if (first === HASH) this.comment();
    else {
      const sign = this.signAt(this.at);
      if (sign !== undefined) this.sign(sign);
      else if (this.opensTemplate(this.at)) this.openTemplate();
      else this.illegal();
    }
  }

  private whitespace(): void {
    let end = this.at;
    for (let code = this.text.charCodeAt(end); isSpace(code); code = this.text.charCodeAt(++end)) {
      if (code === LINE_FEED) this.before = "line end";
      else if (this.before === "nothing") this.before = "space";
    }
    this.at = end;
  }

  private comment(): void {
    const { at, file } = this;
    const line = this.text.indexOf("\n", at);
    const end = line < 0 ? this.text.length : line;
    const isWide = end > at + 1 && this.text.charCodeAt(end - 1) === CARRIAGE_RETURN;
    const text = this.text.slice(at + 1, isWide ? end - 1 : end);
    this.comments.push({ kind: "Comment", span: span(file, at, at + 1 + text.length), text });
    this.at = end;
    if (this.before === "nothing") this.before = "space";
  }

  private word(): void {
    let end = this.at + 1;
    let code = this.text.charCodeAt(end);
    while (isLetter(code) || isDigit(code)) code = this.text.charCodeAt(++end);
    if (code > 127) end = endOfMatch(restOfName, this.text, end);
    const word = this.text.slice(this.at, end);
    this.add(keywordOf(word) ?? "identifier", end, word);
  }

  private number(): void {
    const token = this.add("number", endOfMatch(wholeNumber, this.text, this.at));
    const reason = checkNumber(token.text);
    if (reason)
      this.found.push(report("rego/illegal-number", { number: `\`${token.text}\``, reason }, this.spanOf(token)));
  }

  private signAt(at: number): Sign | undefined {
    const code = this.text.charCodeAt(at);
    const long = this.text.charCodeAt(at + 1) === EQUAL ? signsBeforeEqual[code] : undefined;
    return long ?? signs[code];
  }

  private sign(sign: Sign): void {
    this.add(sign, this.at + sign.length, sign);
    if (sign === "{") this.modes.push("code");
    // A brace too many closes no mode, but it is a token, and the parser's business.
    else if (sign === "}" && this.modes.length > 1) this.modes.pop();
  }

  /** Characters that begin no token: nothing of a text may be passed over in silence. */
  private illegal(): void {
    let end = this.at + 1;
    while (end < this.text.length && !this.begins(end)) end++;
    const token = this.add("illegal character", end);
    const character = describeCharacter(token.text);
    this.found.push(withHabitHint(report("rego/illegal-character", { character }, this.spanOf(token))));
  }

  /** Whether something that is Rego begins at an offset. */
  private begins(at: number): boolean {
    const code = this.text.charCodeAt(at);
    if (isSpace(code) || isLetter(code) || isDigit(code)) return true;
    if (code === QUOTE || code === BACKTICK || code === HASH) return true;
    return this.signAt(at) !== undefined || this.opensTemplate(at);
  }

  // ---- strings ----

  /** Up to the closing quote or, unclosed, the end of the line; `decodeString` judges it. */
  private string(): void {
    const { text } = this;
    let end = this.at + 1;
    let code = text.charCodeAt(end);
    let isPlain = true;
    while (end < text.length && code !== QUOTE && code !== LINE_FEED) {
      if (code === BACKSLASH) {
        isPlain = false;
        if (text.charCodeAt(end + 1) !== LINE_FEED) end++;
      }
      code = text.charCodeAt(++end);
    }
    const isClosed = code === QUOTE;
    const token = this.add("string", Math.min(isClosed ? end + 1 : end, text.length));
    if (!isClosed || !isPlain) this.judge(token, decodeString(token.text).problem);
  }

  private rawString(): void {
    const close = this.text.indexOf("`", this.at + 1);
    const token = this.add("raw string", close < 0 ? this.text.length : close + 1);
    if (close < 0) this.judge(token, decodeRawString(token.text).problem);
  }

  private judge(token: Token, reason: string | undefined): void {
    if (reason) this.found.push(report("rego/illegal-string", { reason }, this.spanOf(token)));
  }

  private spanOf({ start, end }: Token) {
    return span(this.file, start, end);
  }

  // ---- template strings ----

  private opensTemplate(at: number): boolean {
    if (this.text.charCodeAt(at) !== DOLLAR) return false;
    const next = this.text.charCodeAt(at + 1);
    return next === QUOTE || next === BACKTICK;
  }

  private openTemplate(): void {
    const isRaw = this.text.charCodeAt(this.at + 1) === BACKTICK;
    this.add(isRaw ? "$`" : '$"', this.at + 2);
    this.modes.push(isRaw ? "raw template" : "template");
  }

  /** One token of the inside of `$"…"`. */
  private template(): void {
    const { text } = this;
    let end = this.at;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === QUOTE || code === LEFT_BRACE || code === LINE_FEED) break;
      if (code !== BACKSLASH) continue;
      if (end + 1 === text.length || text.charCodeAt(end + 1) === LINE_FEED) break;
      end++;
    }
    if (end > this.at) {
      const token = this.add("template text", end);
      this.judge(token, decodeTemplateText(token.text).problem);
    } else if (text.charCodeAt(end) === LEFT_BRACE) this.sign("{");
    else if (text.charCodeAt(end) === QUOTE) this.closeTemplate('"', 1);
    else if (end + 1 === text.length && text.charCodeAt(end) === BACKSLASH) this.illegal();
    else {
      const token = this.closeTemplate("template break", text.charCodeAt(end) === BACKSLASH ? 2 : 1);
      this.judge(token, "non-terminated string");
    }
  }

  private rawTemplate(): void {
    const { text } = this;
    let end = this.at;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === BACKTICK || code === LEFT_BRACE) break;
      if (code === BACKSLASH && text.charCodeAt(end + 1) === LEFT_BRACE) end++;
    }
    if (end > this.at) this.add("raw template text", end);
    else if (text.charCodeAt(end) === LEFT_BRACE) this.sign("{");
    else this.closeTemplate("`", 1);
  }

  private closeTemplate(kind: TokenKind, length: number): Token {
    this.modes.pop();
    return this.add(kind, this.at + length);
  }
}

/** NUL nowhere, a byte-order mark only at the beginning, not even in strings and comments. */
function forbiddenCharacters(file: SourceFile): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const match of file.text.matchAll(/[\u0000\ufeff]/g)) {
    if (match.index === 0 && match[0] === "\ufeff") continue;
    const character = match[0] === "\u0000" ? "null" : "byte-order mark";
    found.push(report("rego/illegal-character", { character }, span(file, match.index, match.index + 1)));
    if (found.length === 10) break;
  }
  return found;
}

/** The first of some illegal characters. */
function describeCharacter(text: string): string {
  const code = text.codePointAt(0) ?? 0;
  const character = String.fromCodePoint(code);
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return code > 32 && code !== 127 && !/\p{Surrogate}/u.test(character) ? `\`${character}\` (${name})` : name;
}
