/** A range of a source file: where something was written, so that a finding can point at it. */

import type { SourceFile } from "./source-file.ts";

/** Half-open range `[start, end)` of UTF-16 offsets into `file.text`. */
export interface Span {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

export function span(file: SourceFile, start: number, end: number): Span {
  return { file, start, end };
}

/** The smallest span that covers both; they must be of one file. */
export function joinSpans(a: Span, b: Span): Span {
  return { file: a.file, start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
}

/** What stands there, as it is written. */
export function sourceText({ file, start, end }: Span): string {
  return file.text.slice(start, end);
}
