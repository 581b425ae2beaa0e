/** The words of a text with their kinds, for highlighting; also of a text that is no Rego. */

import type { SourceFile } from "../diagnostics/index.ts";
import { lexRego } from "./lexer.ts";
import { isInfixOperator, isKeywordKind, type TokenKind } from "./token.ts";

export interface Word {
  readonly kind: "keyword" | "name" | "string" | "number" | "comment" | "operator" | "sign";
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
}

/** In the order of the text. */
export function wordsOf(file: SourceFile): Word[] {
  const { tokens, comments } = lexRego(file);
  const words = tokens.slice(0, -1).map(({ kind, start, end }): Word => ({ kind: kindOf(kind), start, end }));
  for (const { span } of comments) words.push({ kind: "comment", start: span.start, end: span.end });
  return words.sort((a, b) => a.start - b.start);
}

const STRINGS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  ...(["string", "raw string", '$"', "$`", "template text", "raw template text", '"', "`"] as const),
]);

function kindOf(kind: TokenKind): Word["kind"] {
  if (kind === "identifier") return "name";
  if (kind === "number") return "number";
  if (STRINGS.has(kind)) return "string";
  if (isKeywordKind(kind)) return "keyword";
  if (isInfixOperator(kind) || kind === ":=" || kind === "=") return "operator";
  return "sign";
}
