/** The words of a text with their kinds, for highlighting; also of a text that is no Rego. */

import type { SourceFile } from "../base/source-file.ts";
import type { IToken } from "./chevrotain.ts";
import { endOf, lexRego } from "./lex.ts";
import * as T from "./tokens.ts";

export interface Word {
  readonly kind: "keyword" | "name" | "string" | "number" | "comment" | "operator" | "sign";
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
}

const STRINGS = new Set([
  ...[T.StringLiteral, T.RawStringLiteral, T.TemplateOpen, T.RawTemplateOpen, T.TemplateText, T.RawTemplateText],
  ...[T.TemplateClose, T.RawTemplateClose],
]);

/** In the order of the text. */
export function wordsOf(file: SourceFile): Word[] {
  const { tokens, comments } = lexRego(file);
  const words = tokens.map((token): Word => ({ kind: kindOf(token), start: token.startOffset, end: endOf(token) }));
  for (const { span } of comments) words.push({ kind: "comment", start: span.start, end: span.end });
  return words.sort((a, b) => a.start - b.start);
}

function kindOf({ tokenType }: IToken): Word["kind"] {
  if (tokenType === T.Identifier) return "name";
  if (tokenType === T.NumberLiteral) return "number";
  if (STRINGS.has(tokenType)) return "string";
  if (tokenType.CATEGORIES?.includes(T.Keyword)) return "keyword";
  if (tokenType.CATEGORIES?.includes(T.InfixOperator) || tokenType === T.Assign || tokenType === T.Unify)
    return "operator";
  return "sign";
}
