/** Cuts a source into tokens and comments, and reports every literal and character that is no Rego. */

import { type Diagnostic, diagnosticsOf } from "../base/diagnostic.ts";
import type { SourceFile } from "../base/source-file.ts";
import { span } from "../base/span.ts";
import type { Comment } from "./ast.ts";
import type { ILexingError, IToken } from "./chevrotain.ts";
import { codes } from "./codes.ts";
import { withHabitHint } from "./habit-hints.ts";
import { checkNumber, decodeRawString, decodeString, decodeTemplateText } from "./literals.ts";
import * as T from "./tokens.ts";

const report = diagnosticsOf(codes);

export interface Lexed {
  readonly tokens: IToken[];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The offset after a token. */
export function endOf(token: IToken): number {
  return token.startOffset + token.image.length;
}

export function lexRego(file: SourceFile): Lexed {
  const { tokens: words, groups, errors } = T.regoLexer().tokenize(file.text);
  const tokens = withIllegal(file, words, errors);
  const diagnostics: Diagnostic[] = [];
  for (const token of tokens) {
    const found = judge(file, token);
    if (found) diagnostics.push(found);
  }
  const comments = (groups["comments"] ?? []).map((token): Comment => {
    const text = token.image.endsWith("\r") ? token.image.slice(1, -1) : token.image.slice(1);
    return {
      kind: "Comment",
      span: span(file, token.startOffset, token.startOffset + 1 + text.length),
      text,
    };
  });
  diagnostics.push(...forbiddenCharacters(file));
  return { tokens, comments, diagnostics };
}

/**
 * Puts the characters that the lexer left out back into their places: it passes over what begins no word. Nothing of a
 * text may be passed over in silence. (A brace too many closes no mode, but it is a token, and the parser's business.)
 */
function withIllegal(file: SourceFile, words: IToken[], errors: readonly ILexingError[]): IToken[] {
  const skipped = errors.filter(({ offset }) => file.text[offset] !== "}");
  if (skipped.length === 0) return words;
  const illegal = skipped.map(({ offset, length }): IToken => {
    const image = file.text.slice(offset, offset + length);
    return { image, startOffset: offset, tokenType: T.Illegal, tokenTypeIdx: T.Illegal.tokenTypeIdx as number };
  });
  return [...words, ...illegal].sort((a, b) => a.startOffset - b.startOffset);
}

function judge(file: SourceFile, token: IToken): Diagnostic | undefined {
  const at = span(file, token.startOffset, endOf(token));
  const string = (reason: string | undefined) => (reason ? report("rego/illegal-string", { reason }, at) : undefined);
  switch (token.tokenType) {
    case T.StringLiteral:
      return string(decodeString(token.image).problem);
    case T.RawStringLiteral:
      return string(decodeRawString(token.image).problem);
    case T.TemplateText:
      return string(decodeTemplateText(token.image).problem);
    case T.TemplateBreak:
      return string("non-terminated string");
    case T.NumberLiteral: {
      const reason = checkNumber(token.image);
      return reason ? report("rego/illegal-number", { number: `\`${token.image}\``, reason }, at) : undefined;
    }
    case T.Illegal:
      return withHabitHint(report("rego/illegal-character", { character: show(token.image) }, at));
    default:
      return undefined;
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
function show(text: string): string {
  const code = text.codePointAt(0) ?? 0;
  const character = String.fromCodePoint(code);
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return code > 32 && code !== 127 && !/\p{Surrogate}/u.test(character) ? `\`${character}\` (${name})` : name;
}
