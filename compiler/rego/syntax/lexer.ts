/** Cuts a source into tokens and comments, and reports every literal and character that is not Rego. */

import { type Diagnostic, type SourceFile, span } from "../diagnostics/index.ts";
import type { Comment } from "./ast.ts";
import type { ILexingError } from "./chevrotain.ts";
import { syntaxDiagnostic } from "./codes.ts";
import { withHabitHint } from "./habit-hints.ts";
import { checkNumber, decodeRawString, decodeString, decodeTemplateText } from "./literals.ts";
import * as T from "./token.ts";

export interface Lexed {
  readonly tokens: T.Token[];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
}

/** O(length of the text). */
export function lexRego(file: SourceFile): Lexed {
  const { tokens: words, groups, errors } = T.regoLexer().tokenize(file.text);
  const tokens = errors.length === 0 ? words : withIllegal(file, words, errors);
  const diagnostics: Diagnostic[] = [];
  for (const token of tokens) {
    const found = judge(file, token);
    if (found) diagnostics.push(found);
  }
  const comments = (groups["comments"] ?? []).map((token) => commentOf(file, token));
  diagnostics.push(...forbiddenCharacters(file));
  return { tokens, comments, diagnostics };
}

function commentOf(file: SourceFile, { image, startOffset }: T.Token): Comment {
  const text = image.length > 1 && image.endsWith("\r") ? image.slice(1, -1) : image.slice(1);
  return { kind: "Comment", span: span(file, startOffset, startOffset + 1 + text.length), text };
}

/**
 * Puts the characters that the lexer left out back into their places: nothing of a text may be passed over in silence, but
 * for a byte-order mark before the first character. (A brace too many closes no mode, but it is a token.)
 */
function withIllegal(file: SourceFile, words: T.Token[], errors: readonly ILexingError[]): T.Token[] {
  const illegal: T.Token[] = [];
  for (const { offset, length } of errors) {
    if (file.text[offset] === "}") continue;
    const from = offset === 0 && file.text.startsWith("\ufeff") ? 1 : offset;
    const image = file.text.slice(from, offset + length);
    if (image === "") continue;
    const { tokenTypeIdx = 0 } = T.Illegal;
    illegal.push({ image, startOffset: from, tokenType: T.Illegal, tokenTypeIdx });
  }
  if (illegal.length === 0) return words;
  return [...words, ...illegal].sort((a, b) => a.startOffset - b.startOffset);
}

/** What is wrong with a token by itself. */
function judge(file: SourceFile, token: T.Token): Diagnostic | undefined {
  const { tokenType, image } = token;
  switch (tokenType) {
    case T.StringLiteral:
      if (image.length > 1 && image.endsWith('"') && !image.includes("\\")) return undefined;
      return illegalString(file, token, decodeString(image).problem);
    case T.RawStringLiteral:
      return illegalString(file, token, decodeRawString(image).problem);
    case T.TemplateText:
      return illegalString(file, token, decodeTemplateText(image).problem);
    case T.TemplateBreak:
      return illegalString(file, token, "non-terminated string");
    case T.NumberLiteral: {
      const reason = checkNumber(image);
      return reason
        ? syntaxDiagnostic("rego/illegal-number", { number: `\`${image}\``, reason }, at(file, token))
        : undefined;
    }
    case T.Illegal:
      return withHabitHint(
        syntaxDiagnostic("rego/illegal-character", { character: describeCharacter(image) }, at(file, token)),
      );
    default:
      return undefined;
  }
}

function at(file: SourceFile, token: T.Token) {
  return span(file, token.startOffset, T.endOf(token));
}

function illegalString(file: SourceFile, token: T.Token, reason: string | undefined): Diagnostic | undefined {
  return reason ? syntaxDiagnostic("rego/illegal-string", { reason }, at(file, token)) : undefined;
}

/** NUL nowhere, a byte-order mark only at the beginning, not even in strings and comments. */
function forbiddenCharacters(file: SourceFile): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const match of file.text.matchAll(/[\u0000\ufeff]/g)) {
    if (match.index === 0 && match[0] === "\ufeff") continue;
    const character = match[0] === "\u0000" ? "null" : "byte-order mark";
    found.push(syntaxDiagnostic("rego/illegal-character", { character }, span(file, match.index, match.index + 1)));
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
