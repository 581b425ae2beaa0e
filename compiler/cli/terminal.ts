/** The terminal of a command: it prints, and knows whether a person is watching. Tests give a voice over arrays. */

import { fstatSync, writeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import colors from "picocolors";
import { EXIT_USAGE, fileProblem } from "./exit.ts";

type Formatter = (text: string) => string;

export interface Paint {
  readonly bold: Formatter;
  readonly dim: Formatter;
  readonly red: Formatter;
  readonly green: Formatter;
  readonly yellow: Formatter;
  readonly cyan: Formatter;
}

/** A promise where a stream is full: it resolves when there is room again, or its reader is gone. */
export type Written = Promise<void> | void;

/** Where text goes as it is. Only the printer speaks with it. */
export interface Voice {
  out(text: string): void;
  /** Bytes to standard output as they are. A promise where its reader is slower: until then more would only fill memory. */
  outBytes(bytes: Uint8Array): Written;
  err(text: string): Written;
  /** All of standard input. */
  readInput(): Promise<Uint8Array>;
  /** Standard input and output themselves, for a command that goes on while it reads. */
  readonly streams?: { readonly input: Readable; readonly output: Writable } | undefined;
  readonly paint: Paint;
  /** Whether progress lines may be drawn over. */
  readonly interactive: boolean;
}

/** What commands print with: a voice behind the printer, so that nothing from outside is obeyed. */
export interface Terminal extends Voice {
  /** One line: what a text from outside has in it begins no other, which would look like ours. */
  line(text: string): void;
  /** A line that a CI is meant to take for a command. */
  command(line: string): void;
  /** A line on standard error over the one that is there. */
  draw(text: string): void;
}

/** Whether a person looks at a stream, on a terminal that can draw over a line. A CI may have a terminal, but no person. */
export function isWatched(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env["TERM"] !== "dumb" && (env["CI"] ?? "") === "";
}

export function nodeVoice(): Voice {
  // EPIPE means that the reader (`| head`) has enough: end normally. Any other write error leaves the output incomplete, so
  // exit with a failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.stderr.write(`error: cannot write to standard output: ${fileProblem(error)}\n`);
    process.exit(EXIT_USAGE);
  });
  process.stderr.on("error", () => {});
  const outBytes = writerOf(process.stdout);
  return {
    out: (text) => void outBytes(Buffer.from(text)),
    outBytes,
    err: (text) => writeTo(process.stderr, text),
    async readInput() {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    get streams() {
      return { input: process.stdin, output: process.stdout };
    },
    paint: colors.createColors(colors.isColorSupported && (process.stdout.isTTY ?? false)),
    interactive: isWatched(process.stderr, process.env),
  };
}

/** Writes all of the bytes. To a file Node itself writes once, whatever a disk that gets full takes of it. */
function writerOf(stream: Writable & { readonly fd: number }): (bytes: Uint8Array) => Written {
  if (!isFile(stream.fd)) return (bytes) => writeTo(stream, bytes);
  return (bytes) => {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(stream.fd, bytes, at);
    } catch (error) {
      stream.destroy(error as Error);
    }
  };
}

/** One for all who write to a stream that is full. */
const waiting = new WeakMap<Writable, Promise<void>>();

function writeTo(stream: Writable, content: string | Uint8Array): Written {
  stream.write(content);
  if (!stream.writableNeedDrain) return undefined;
  const known = waiting.get(stream) ?? roomIn(stream);
  waiting.set(stream, known);
  return known;
}

function roomIn(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const events = ["drain", "close", "error"];
    const done = (): void => {
      for (const event of events) stream.off(event, done);
      waiting.delete(stream);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}

/** Not of a descriptor that is closed. */
function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** Lines up columns of plain text by their widest cell. `paint` sees the padded cell, so colours do not shift columns. */
export function table(
  rows: readonly (readonly string[])[],
  paint: (cell: string, column: number, row: number) => string = (c) => c,
): string {
  const widths: number[] = [];
  // A row is a line, whatever stands in it.
  const lines = rows.map((row) => row.map((cell) => cell.replace(/\n/g, "\\n")));
  for (const row of lines) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return lines
    .map((row, r) =>
      row
        .map((cell, i) => paint(i === row.length - 1 ? cell : cell.padEnd(widths[i] as number), i, r))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
