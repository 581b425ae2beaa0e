/** Places of the compiler and of the protocol: both count UTF-16 units; lines count from 1 here and from 0 there. */

import { requoted, type SourceFile, type Span } from "@portcullis/rego/diagnostics";
import type { Position, Range, TextEdit } from "vscode-languageserver";

export function positionOf(file: SourceFile, offset: number): Position {
  const { line, column } = file.positionAt(offset);
  return { line: line - 1, character: column - 1 };
}

export function rangeOf({ file, start, end }: Span): Range {
  return { start: positionOf(file, start), end: positionOf(file, Math.max(start, end)) };
}

/** The offset of a position; one behind the end of its line is that end. */
export function offsetOf(file: SourceFile, { line, character }: Position): number {
  const start = file.lineStarts()[line];
  if (start === undefined) return file.text.length;
  return start + Math.min(character, file.lineText(line + 1).length);
}

/** Writes another text where a string stands, in the way of quoting that is there. */
export function retext(at: Span, text: string): TextEdit {
  return { range: rangeOf(at), newText: requoted(at, text) };
}

/** The least edit that makes one text of another: the parts that are alike at both ends stay, and with them the cursor. */
export function editBetween(file: SourceFile, text: string): TextEdit[] {
  const old = file.text;
  if (old === text) return [];
  let start = 0;
  const shorter = Math.min(old.length, text.length);
  while (start < shorter && old[start] === text[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
  const range = { start: positionOf(file, start), end: positionOf(file, old.length - end) };
  return [{ range, newText: text.slice(start, text.length - end) }];
}
