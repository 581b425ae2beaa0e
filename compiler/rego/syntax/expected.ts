/** What may come next in a text that is being written: chevrotain's content assist over the statement that it ends with. */

import { SourceFile } from "../diagnostics/index.ts";
import type { TokenType } from "./chevrotain.ts";
import { lexRego } from "./lexer.ts";
import { continuing, RegoParser } from "./parse-module.ts";
import * as T from "./token.ts";

/** What may come next in a text. */
export interface Expected {
  /** In the order of the grammar. */
  readonly keywords: readonly string[];
  /** Whether a name may stand there: of a rule, a variable, an import or a builtin. */
  readonly name: boolean;
}

/** Statements of more words are not looked at: paths through the grammar multiply. */
const MOST_WORDS = 150;
/** How much deeper in brackets the text is behind each. */
const DEPTH = new Map<TokenType, number>([
  [T.LBrace, 1],
  [T.LBracket, 1],
  [T.LParen, 1],
  [T.RBrace, -1],
  [T.RBracket, -1],
  [T.RParen, -1],
]);

let parser: RegoParser | undefined;

/** `undefined` where the grammar cannot tell: the statement has an error before its end, or is too long. */
export function expectedAfter(text: string): Expected | undefined {
  const { tokens } = lexRego(new SourceFile("text", text));
  const { statement, depth } = lastStatement(text, tokens);
  if (statement.length > MOST_WORDS) return undefined;
  const isNewLine = /\n[^\S\n]*$/.test(text);
  const types = [...typesAfter(statement), ...(isNewLine && depth === 0 ? typesAfter([]) : [])];
  if (types.length === 0) return undefined;
  const name = types.includes(T.Identifier);
  const keywords = new Set(types.flatMap((type) => T.keywordOf(type) ?? []));
  // It is a name as well wherever one may stand.
  if (name) keywords.delete("contains");
  return { keywords: [...keywords], name };
}

function typesAfter(statement: T.Token[]): TokenType[] {
  parser ??= new RegoParser();
  return parser.computeContentAssist("moduleStatement", statement).map(({ nextTokenType }) => nextTokenType);
}

/** The words from the last line that begins outside of all brackets with a word that begins a statement. */
function lastStatement(text: string, tokens: readonly T.Token[]): { statement: T.Token[]; depth: number } {
  let first = 0;
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1];
    const isFirst = before === undefined || text.slice(T.endOf(before), token.startOffset).includes("\n");
    if (depth <= 0 && isFirst && !continuing.has(token.tokenType)) first = i;
    depth += DEPTH.get(token.tokenType) ?? 0;
  }
  return { statement: tokens.slice(first), depth };
}
