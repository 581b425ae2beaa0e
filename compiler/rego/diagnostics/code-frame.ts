/** A few lines of source with the finding underlined, as people know it from other compilers. */

import type { Span } from "./span.ts";

/** Colours are functions, so that this file knows nothing of terminals. */
export interface FramePaint {
  readonly dim: (text: string) => string;
  readonly mark: (text: string) => string;
}

const plain: FramePaint = { dim: (t) => t, mark: (t) => t };
/** Longer lines are cut around the marked part: minified data must not flood a terminal. */
const MAX_WIDTH = 120;

/** Renders the line of `span.start`, one line of context above, and carets under the range. No trailing newline. */
export function codeFrame(span: Span, paint: FramePaint = plain): string {
  const from = span.file.positionAt(span.start);
  const to = span.file.positionAt(Math.max(span.start, span.end));
  const width = String(from.line).length;
  const gutter = (n: number | undefined): string =>
    paint.dim(`${(n === undefined ? "" : String(n)).padStart(width)} | `);
  const line = span.file.lineText(from.line);
  const lastColumn = to.line === from.line ? to.column : line.length + 1;
  const cut = Math.max(0, Math.min(from.column - 1 - 40, line.length - MAX_WIDTH));
  const shown = visible(line.slice(cut, cut + MAX_WIDTH));
  const before = visible(line.slice(cut, from.column - 1)).replace(/[^\t]/gu, " ");
  const marked = Math.max(1, Math.min(lastColumn, cut + MAX_WIDTH + 1) - from.column);
  const rows: string[] = [];
  const previous = span.file.lineText(from.line - 1);
  if (from.line > 1 && previous.trim() !== "" && cut === 0)
    rows.push(gutter(from.line - 1) + visible(previous.slice(0, MAX_WIDTH)));
  rows.push(gutter(from.line) + shown);
  rows.push(gutter(undefined) + before + paint.mark("^".repeat(marked)));
  return rows.join("\n");
}

/** Control characters (escape sequences above all) never reach a terminal from somebody's source text. */
function visible(text: string): string {
  let out = "";
  for (const c of text) {
    const code = c.codePointAt(0) as number;
    out +=
      (code < 0x20 && c !== "\t") || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029 ? "\ufffd" : c;
  }
  return out;
}
