/** The words of a text with their kinds, for highlighting; also of a text that is not Rego. */

import type { SourceFile } from "../diagnostics/index.ts";
import type { TokenType } from "./chevrotain.ts";
import { lexRego } from "./lexer.ts";
import * as T from "./token.ts";

export interface Word {
  readonly kind: "keyword" | "name" | "string" | "number" | "comment" | "operator" | "sign";
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
}

/** In the order of the text. */
export function wordsOf(file: SourceFile): Word[] {
  const { tokens, comments } = lexRego(file);
  const words = tokens.map((token): Word => ({ kind: kindOf(token), start: token.startOffset, end: T.endOf(token) }));
  for (const { span } of comments) words.push({ kind: "comment", start: span.start, end: span.end });
  return words.sort((a, b) => a.start - b.start);
}

const STRINGS: ReadonlySet<TokenType> = new Set([
  ...[T.StringLiteral, T.RawStringLiteral, T.TemplateOpen, T.RawTemplateOpen],
  ...[T.TemplateText, T.RawTemplateText, T.TemplateClose, T.RawTemplateClose],
]);

function kindOf(token: T.Token): Word["kind"] {
  const { tokenType } = token;
  if (tokenType === T.Identifier) return "name";
  if (tokenType === T.NumberLiteral) return "number";
  if (STRINGS.has(tokenType)) return "string";
  if (T.isKeywordToken(token)) return "keyword";
  if (T.isInfixOperator(token) || tokenType === T.Assign || tokenType === T.Unify) return "operator";
  return "sign";
}
