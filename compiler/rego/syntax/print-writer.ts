/**
 * Lines with indentation, and the comments of the source on their way into them. A comment belongs to a row: one that
 * stood above a node is written above it, one that stood behind it at the end of the line that the node ends up in.
 * No comment is ever lost or joined with another: where two would end one line, the first moves above it.
 */

import type { SourceFile } from "../diagnostics/index.ts";
import type { Comment } from "./ast.ts";

interface RowComment {
  readonly row: number;
  /** Whether it stood at the beginning of its line: only such comments go on with a block of metadata. */
  readonly first: boolean;
  readonly text: string;
}

const METADATA = /^#\s*METADATA/;

export class Writer {
  private readonly file: SourceFile;
  private readonly comments: readonly RowComment[];
  private nextComment = 0;
  private done: string[] = [];
  private line = "";
  private level = 0;
  /** Whether a comment of the first column came after the last line that begins a block of metadata. */
  private isInBlock = false;
  /** Whether a line has been begun. */
  private inline = false;
  /** The comment for the end of the current line, or of the first line inside of brackets that open there. */
  private pending: string | undefined;

  constructor(file: SourceFile, comments: readonly Comment[]) {
    this.file = file;
    this.comments = comments.map(({ span, text }) => ({
      row: this.row(span.start),
      first: this.file.positionAt(span.start).column === 1,
      text: `#${text.trimEnd()}`,
    }));
  }

  row(offset: number): number {
    return this.file.positionAt(offset).line;
  }

  write(text: string): void {
    this.startLine();
    this.line += text;
  }

  startLine(): void {
    if (this.inline) return;
    this.inline = true;
    this.line = "\t".repeat(this.level);
  }

  /** `keepComment`: the line ends with an opening bracket, and its comment goes with the lines that follow. */
  endLine(keepComment = false): void {
    if (!this.inline) return;
    this.inline = false;
    if (this.pending !== undefined && !keepComment) {
      this.line += ` ${this.pending}`;
      this.pending = undefined;
    }
    this.done.push(this.line);
    this.line = "";
  }

  blankLine(): void {
    this.endLine();
    this.done.push("");
  }

  indent(): void {
    this.level++;
  }

  outdent(): void {
    this.level--;
  }

  /** Comes to `row`: writes the comments above it, and keeps the one behind it for the end of the line. */
  reach(row: number): void {
    this.comeTo(row);
    while (this.comments[this.nextComment]?.row === row) {
      this.hoistPending();
      this.pending = this.comments[this.nextComment++]?.text;
    }
  }

  private writeAbove(comments: readonly RowComment[], row: number): void {
    this.hoistPending();
    // In the middle of a line there is no place above but above the whole line; blank lines would tear it apart.
    const tight = this.inline && this.line.trim() !== "";
    let last = comments[0]?.row ?? row;
    let inBlock = false;
    for (const comment of comments) {
      const isApart = comment.row - last > 1;
      const begins = comment.first && METADATA.test(comment.text);
      // A block of metadata does not go on with the next one.
      if ((isApart || (begins && inBlock)) && !tight) this.done.push("");
      inBlock = begins || (inBlock && !isApart);
      if (tight || !comment.first) this.hoist(comment.text);
      else {
        this.isInBlock = !METADATA.test(comment.text);
        this.done.push("\t".repeat(this.level) + comment.text);
      }
      last = comment.row;
    }
    if (row - last > 1 && !tight) this.done.push("");
  }

  private hoistPending(): void {
    if (this.pending === undefined) return;
    this.hoist(this.pending);
    this.pending = undefined;
  }

  /** Puts a comment above the current line, apart from a block of metadata. */
  private hoist(text: string): void {
    if (this.level === 0 && this.inMetadata()) this.done.push("");
    if (METADATA.test(text)) this.isInBlock = false;
    this.done.push("\t".repeat(this.level) + text);
  }

  /** Whether the last line is of a block of metadata that says something: only comments of the first column do. */
  private inMetadata(): boolean {
    for (let i = this.done.length - 1; i >= 0 && this.done[i]?.startsWith("#"); i--) {
      if (METADATA.test(this.done[i] as string)) return this.isInBlock;
    }
    return false;
  }

  /** Like `reach`, but leaves the comment behind `row` where it is, for `takeComments`. */
  comeTo(row: number): void {
    const from = this.nextComment;
    while ((this.comments[this.nextComment]?.row ?? row) < row) this.nextComment++;
    if (this.nextComment > from) this.writeAbove(this.comments.slice(from, this.nextComment), row);
  }

  /** Whether comments wait to be written before or with `row`. */
  hasCommentBefore(row: number): boolean {
    const next = this.comments[this.nextComment];
    return this.pending !== undefined || (next !== undefined && next.row < row);
  }

  /** The comments down to this row, out of their turn: imports are sorted, and their comments with them. */
  takeComments(row: number): readonly string[] {
    const taken: string[] = [];
    for (; (this.comments[this.nextComment]?.row ?? row + 1) <= row; this.nextComment++) {
      taken.push((this.comments[this.nextComment] as RowComment).text);
    }
    return taken;
  }

  /** The text, with the comments that are left at its end. */
  finish(): string {
    this.endLine();
    const rest = this.comments.slice(this.nextComment);
    for (const { text } of rest) this.done.push(text);
    return `${this.done.join("\n").replace(/\n+$/, "")}\n`;
  }
}
