/** The words of Rego by what they are, for highlighting that does not guess. */

import type { SourceFile } from "@portcullis/rego/diagnostics";
import { builtins, type Word, wordsOf } from "@portcullis/rego/syntax";
import { type SemanticTokens, SemanticTokensBuilder, type SemanticTokensLegend } from "vscode-languageserver";
import { positionOf } from "./text.ts";

const TYPES = [
  "keyword",
  "string",
  "number",
  "comment",
  "operator",
  "variable",
  "property",
  "function",
  "namespace",
] as const;
const MODIFIERS = ["defaultLibrary", "declaration"] as const;

type TokenType = (typeof TYPES)[number];
type Modifier = (typeof MODIFIERS)[number];

export const LEGEND: SemanticTokensLegend = { tokenTypes: [...TYPES], tokenModifiers: [...MODIFIERS] };

export function semanticTokens(file: SourceFile): SemanticTokens {
  const builder = new SemanticTokensBuilder();
  const words = wordsOf(file);
  words.forEach((word, i) => {
    const found = classify(file, words, i);
    if (found === undefined) return;
    const [type, modifier] = found;
    const bits = modifier === undefined ? 0 : 1 << MODIFIERS.indexOf(modifier);
    for (const { start, length } of lineParts(file, word)) {
      const { line, character } = positionOf(file, start);
      builder.push(line, character, length, TYPES.indexOf(type), bits);
    }
  });
  return builder.build();
}

/** The pieces of a word, one a line: a token of the protocol does not cross lines. */
function lineParts(file: SourceFile, { start, end }: Word): { start: number; length: number }[] {
  const parts: { start: number; length: number }[] = [];
  let from = start;
  for (const piece of file.text.slice(start, end).split(/(\r\n|\n|\r)/)) {
    if (!/^[\r\n]*$/.test(piece)) parts.push({ start: from, length: piece.length });
    from += piece.length;
  }
  return parts;
}

function classify(file: SourceFile, words: readonly Word[], i: number): [TokenType, Modifier?] | undefined {
  const { kind, start, end } = words[i] as Word;
  if (kind === "sign") return undefined;
  if (kind !== "name") return [kind];
  const text = file.text.slice(start, end);
  const code = (step: 1 | -1, from: number): Word | undefined => {
    let at = from + step;
    while (words[at]?.kind === "comment") at += step;
    return words[at];
  };
  const wordText = (word: Word | undefined): string =>
    word === undefined ? "" : file.text.slice(word.start, word.end);
  const before = wordText(code(-1, i));
  const after = wordText(code(1, i));
  if (isPath(file, words, i)) return ["namespace"];
  if (after === "(") return builtins().has(fullName(file, words, i)) ? ["function", "defaultLibrary"] : ["function"];
  if (before === ".") return ["property"];
  if (text === "input" || text === "data") return ["variable", "defaultLibrary"];
  const column = positionOf(file, start).character;
  return column === 0 ? ["variable", "declaration"] : ["variable"];
}

/** Whether a name belongs to the path behind `package` or `import`. */
function isPath(file: SourceFile, words: readonly Word[], i: number): boolean {
  for (let at = i - 1; at >= 0; at--) {
    const { kind, start, end } = words[at] as Word;
    const text = file.text.slice(start, end);
    if (kind === "keyword") return text === "package" || text === "import";
    if (kind === "name" ? (words[at + 1]?.start ?? end) !== end : text !== ".") return false;
  }
  return false;
}

/** `io.jwt.decode` for its last part. */
function fullName(file: SourceFile, words: readonly Word[], i: number): string {
  let first = i;
  const isDot = (at: number): boolean => file.text.slice(words[at]?.start, words[at]?.end) === ".";
  while (first > 1 && isDot(first - 1) && words[first - 2]?.kind === "name") first -= 2;
  return file.text.slice((words[first] as Word).start, (words[i] as Word).end);
}
