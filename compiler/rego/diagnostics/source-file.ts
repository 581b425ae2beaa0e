/** A source text with its name, and the map from offsets to lines. */

/** A version of the language. 2 has the keywords `and`, `or` and the new `not` without an import. */
export type RegoVersion = 0 | 1 | 2;

/** A location for a person: line and column count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Name (as the user gave it, with `/`) and text of one source. Line starts are found on first use, once. */
export class SourceFile {
  readonly name: string;
  readonly text: string;
  /** A module's version by its bundle's manifest: every reader of the text reads it as this version. */
  readonly regoVersion: RegoVersion;
  private starts: number[] | undefined;
  /** The line, from 0, of the last position: the next one mostly lies in it too. */
  private lastLine = 0;

  constructor(name: string, text: string, regoVersion: RegoVersion = 1) {
    this.name = name;
    this.text = text;
    this.regoVersion = regoVersion;
  }

  /** Offsets at which the lines begin. `\n`, `\r\n` and a lone `\r` end a line. */
  lineStarts(): readonly number[] {
    this.starts ??= lineStarts(this.text);
    return this.starts;
  }

  /** The position of an offset; offsets outside the text are clamped into it. O(log lines). */
  positionAt(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.text.length));
    const starts = this.lineStarts();
    const last = this.lastLine;
    const isIn = at >= (starts[last] as number) && at < (starts[last + 1] ?? Number.POSITIVE_INFINITY);
    let low = isIn ? last : 0;
    let high = isIn ? last : starts.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if ((starts[mid] as number) <= at) low = mid;
      else high = mid - 1;
    }
    this.lastLine = low;
    return { line: low + 1, column: at - (starts[low] as number) + 1 };
  }

  /** The text of a line (from 1), without its end. Empty when there is no such line. */
  lineText(line: number): string {
    const starts = this.lineStarts();
    const start = starts[line - 1];
    if (start === undefined) return "";
    const end = starts[line] ?? this.text.length;
    return this.text.slice(start, end).replace(/[\r\n]+$/, "");
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  if (!text.includes("\r")) {
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
    return starts;
  }
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 10 || (c === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1);
  }
  return starts;
}
