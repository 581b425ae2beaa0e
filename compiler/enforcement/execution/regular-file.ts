/**
 * The one way in which the host's side opens files that somebody else wrote: contracts, packets, records, scripts, artifacts,
 * files of a work tree. A pipe would hang its reader, a device would never end, a link would lead elsewhere: only regular
 * files are read, by the file that was opened, up to a size and for a time.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";

/** Why a file was not read. */
export type FileProblem = "absent" | "no-regular-file" | "too-large" | "too-slow" | "unreadable";

export class FileError extends Error {
  override readonly name = "FileError";
  readonly problem: FileProblem;

  constructor(problem: FileProblem) {
    super(WORDS[problem]);
    this.problem = problem;
  }
}

const WORDS: Readonly<Record<FileProblem, string>> = {
  absent: "no such file",
  "no-regular-file": "not a regular file",
  "too-large": "too large",
  "too-slow": "reading it takes too long",
  unreadable: "cannot be read",
};

/** Most bytes of a document that a person or an agent writes. */
export const LARGEST_DOCUMENT = 16 << 20;

/** In milliseconds, for one file. */
const LONGEST_READ = 60_000;

const CHUNK = 1 << 20;

export interface ReadLimits {
  /** Bytes; default LARGEST_DOCUMENT. */
  readonly bytes?: number;
  /** Until when, by `performance.now()`; default a minute from now. */
  readonly until?: number;
}

/** The bytes of a regular file. Throws FileError. */
export function readRegularFile(path: string | Buffer, limits: ReadLimits = {}): Buffer {
  const chunks: Buffer[] = [];
  eachChunk(path, limits, (chunk) => void chunks.push(Buffer.from(chunk)));
  return Buffer.concat(chunks);
}

/**
 * Hands a regular file to `use`, in pieces that hold only until the next one; `begin` gets its size first. Gives the number of
 * bytes. Throws FileError.
 */
export function eachChunk(
  path: string | Buffer,
  { bytes = LARGEST_DOCUMENT, until = performance.now() + LONGEST_READ }: ReadLimits,
  use: (chunk: Buffer) => void,
  begin: (size: number) => void = () => {},
): number {
  const file = openRegular(path);
  try {
    const { size } = fstatSync(file);
    if (size > bytes) throw new FileError("too-large");
    begin(size);
    // One byte more than there should be shows a file that grows.
    const buffer = Buffer.allocUnsafe(Math.min(size + 1, CHUNK));
    let read = 0;
    for (;;) {
      const count = readSync(file, buffer, 0, buffer.length, null);
      if (count === 0) return read;
      read += count;
      if (read > bytes) throw new FileError("too-large");
      if (performance.now() > until) throw new FileError("too-slow");
      use(buffer.subarray(0, count));
    }
  } catch (error) {
    throw error instanceof FileError ? error : new FileError("unreadable");
  } finally {
    closeSync(file);
  }
}

/** Not blocking, so that a pipe does not hang the caller; no link at the path itself. Windows has neither flag. */
function openRegular(path: string | Buffer): number {
  let file: number;
  try {
    // On Windows the flag is missing, and a link has to be seen before.
    if (constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink()) throw new FileError("no-regular-file");
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(problemOf(error));
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new FileError("no-regular-file");
}

/** A link says ELOOP (EMLINK on some systems), a socket or a pipe without a writer ENXIO. */
function problemOf(error: unknown): FileProblem {
  const { code } = error as { code?: unknown };
  if (code === "ENOENT" || code === "ENOTDIR") return "absent";
  return code === "ELOOP" || code === "EMLINK" || code === "ENXIO" || code === "EISDIR"
    ? "no-regular-file"
    : "unreadable";
}
