/** A log in chunks of whole lines: a file, one that is packed by gzip, or standard input. */

import { isUtf8 } from "node:buffer";
import { createReadStream, statSync } from "node:fs";
import { createGunzip } from "node:zlib";
import { CliError, fileProblem } from "./exit.ts";

export interface LogChunk {
  /** From 1. */
  readonly firstLine: number;
  /** `undefined` stands for one that cannot be read: it is too long, or not UTF-8, which readers make different texts of. */
  readonly lines: readonly (string | undefined)[];
  /** How much of the file was read so far, from 0 to 1; 0 for standard input. */
  readonly part: number;
}

const LINE_END = 10;
const CHUNK_BYTES = 1024 * 1024;
/** Bytes: twice as many as a call that is decided has. To read a line takes some fifteen times its length of memory. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** `-` is standard input; a name that ends in `.gz` is unpacked. Throws CliError. Cost: linear, and memory for a chunk and a line. */
export async function* logChunks(path: string): AsyncGenerator<LogChunk> {
  try {
    yield* chunksOf(path);
  } catch (error) {
    if (typeof (error as { code?: unknown }).code !== "string" || error instanceof CliError) throw error;
    throw new CliError(`cannot read \`${path}\`: ${fileProblem(error)}`);
  }
}

async function* chunksOf(path: string): AsyncGenerator<LogChunk> {
  const size = path === "-" ? 0 : statSync(path).size;
  const file = path === "-" ? process.stdin : createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const gunzip = path.endsWith(".gz") ? file.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : undefined;
  const input = gunzip ?? file;
  // An error of the file does not reach what is piped from it.
  if (gunzip !== undefined) file.on("error", (error: Error) => gunzip.destroy(error));
  const unended = new UnendedLine();
  let firstLine = 1;
  for await (const bytes of input as AsyncIterable<Uint8Array>) {
    const lines: (string | undefined)[] = [];
    const first = bytes.indexOf(LINE_END);
    const last = bytes.lastIndexOf(LINE_END);
    if (first >= 0) {
      unended.add(bytes.subarray(0, first));
      lines.push(unended.end());
      if (last > first) lines.push(...linesIn(bytes.subarray(first + 1, last)));
    }
    unended.add(bytes.subarray(last + 1));
    const read = "bytesRead" in file ? file.bytesRead : 0;
    if (lines.length > 0) yield { firstLine, lines, part: size === 0 ? 0 : read / size };
    firstLine += lines.length;
  }
  // Node ends where a zero follows what is packed, whatever stands behind it.
  if (gunzip !== undefined && "bytesRead" in file && gunzip.bytesWritten < file.bytesRead)
    throw new CliError(`cannot read \`${path}\`: it goes on behind what is packed`);
  yield { firstLine, lines: [unended.end()], part: 1 };
}

/** The line whose end is still to come. */
class UnendedLine {
  private pieces: Uint8Array[] = [];
  private length = 0;

  add(piece: Uint8Array): void {
    this.length += piece.length;
    if (this.length <= LONGEST_LINE) this.pieces.push(piece);
    else this.pieces = [];
  }

  /** The line as text; `undefined` if it is too long, or not UTF-8. */
  end(): string | undefined {
    const text = this.length > LONGEST_LINE ? undefined : textOf(Buffer.concat(this.pieces));
    this.pieces = [];
    this.length = 0;
    return text;
  }
}

function linesIn(bytes: Uint8Array): (string | undefined)[] {
  const whole = textOf(bytes);
  if (whole !== undefined) return whole.split("\n");
  const lines: (string | undefined)[] = [];
  for (let from = 0; from <= bytes.length; ) {
    const end = bytes.indexOf(LINE_END, from);
    const to = end < 0 ? bytes.length : end;
    lines.push(textOf(bytes.subarray(from, to)));
    from = to + 1;
  }
  return lines;
}

function textOf(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString() : undefined;
}
