/** The characters of a YAML text with a position, and what stands around it. */

import { bad } from "./node.ts";

/** Characters that YAML lets stand in a text; U+FEFF may only begin one. */
const forbidden = /[^\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const breaks = "\n\r\u0085\u2028\u2029";

export class Source {
  readonly text: string;
  at = 0;
  /** Where the line of `at` begins. */
  lineStart = 0;

  constructor(text: string) {
    this.text = text.startsWith("\ufeff") ? text.slice(1) : text;
    if (forbidden.test(this.text)) bad("control characters are not allowed");
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  get char(): string {
    return this.text[this.at] ?? "";
  }

  /** Whether only spaces stand before the position on its line. */
  get inIndentation(): boolean {
    return /^ *$/.test(this.text.slice(this.lineStart, this.at));
  }

  peek(distance: number): string {
    return this.text[this.at + distance] ?? "";
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  isBreak(char: string): boolean {
    return char !== "" && breaks.includes(char);
  }

  /** A blank, a line break, or the end. */
  isBlankOrEnd(char: string): boolean {
    return char === "" || char === " " || char === "\t" || breaks.includes(char);
  }

  /** Passes a line break, and says how it counts: CR LF and the like are one `\n`. */
  takeBreak(): string {
    const char = this.char;
    this.at += char === "\r" && this.peek(1) === "\n" ? 2 : 1;
    this.lineStart = this.at;
    return char === "\u2028" || char === "\u2029" ? char : "\n";
  }

  /** Whether a document marker stands here: `---` or `...` at the start of a line. */
  atMarker(): boolean {
    if (this.column !== 0) return false;
    const marker = this.text.slice(this.at, this.at + 3);
    return (marker === "---" || marker === "...") && this.isBlankOrEnd(this.peek(3));
  }

  /** Passes spaces and tabs. */
  skipBlanks(): void {
    while (this.char === " " || this.char === "\t") this.at++;
  }

  /** Passes blanks, comments and line breaks. Tabs count as blanks only where no indentation is awaited. */
  skipToToken(tabs: boolean): void {
    let lineBegun = this.inIndentation;
    for (;;) {
      while (this.char === " " || (this.char === "\t" && (tabs || !lineBegun))) this.at++;
      // Also right behind a text in quotes, or a bracket: go-yaml asks for no blank between tokens.
      if (this.char === "#") {
        while (!this.atEnd && !this.isBreak(this.char)) this.at++;
      }
      if (!this.isBreak(this.char)) return;
      this.takeBreak();
      lineBegun = true;
    }
  }
}
