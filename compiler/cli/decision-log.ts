/** A file of decisions, one line of JSON each. */

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import type { CallRecord } from "@portcullis/runtime";
import { CliError, fileProblem } from "./exit.ts";

const NO_FILE = "it is no regular file";
const WITHOUT_WAITING = constants.O_NONBLOCK ?? 0;

export interface DecisionLog {
  /** `more` is written beside the record. */
  readonly write: (record: CallRecord, name: string, more?: object) => void;
  /** Says, where no line could after it, how many calls were refused because their line was not written. */
  close(): void;
}

/**
 * Each line is written at once, and whole: what is in the file was decided, and what was decided is in the file. A line says
 * how many were `refused` before it, as theirs could not be written. Other processes may write there, and the file may be moved
 * away: lines go to the file that has the name.
 */
export function decisionLog(path: string | undefined): DecisionLog {
  if (path === undefined) return { write: () => {}, close: () => {} };
  let file = opened(path);
  /** Where our last line ended: what others write goes on from there. */
  let end: number | undefined;
  let isHalf = false;
  let refused = 0;
  const writeLine = (event: object): void => {
    let there = statSync(path, { throwIfNoEntry: false });
    if (there === undefined || !isSame(there, fstatSync(file))) {
      const another = opened(path);
      closeSync(file);
      file = another;
      there = fstatSync(file);
      end = undefined;
      isHalf = false;
    }
    const { size } = there;
    const said = refused > 0 ? { refused } : {};
    // What there is of a line that was not written whole ends first.
    const isWhole = (size === end && !isHalf) || (endsInLine(path, size) ?? !isHalf);
    const ending = isWhole ? "" : "\n";
    const line = Buffer.from(`${ending}${JSON.stringify({ time: new Date().toISOString(), ...event, ...said })}\n`);
    // A disk that gets full takes a part, without an error.
    const written = writeSync(file, line);
    end = size + written;
    isHalf = written !== line.length && !isTakenBack(file, size, end);
    if (written !== line.length) throw new Error("the decision log takes no more");
    refused = 0;
  };
  return {
    write: (record, name, more) => {
      try {
        writeLine({ name, ...more, ...record });
      } catch (error) {
        refused++;
        throw error;
      }
    },
    close: () => {
      try {
        if (refused > 0) writeLine({});
      } catch {
        // The disk is full still: what stands in the file is true, and ends here.
      }
      closeSync(file);
    },
  };
}

/** A part may lack the end of its line alone, and would say that the call was allowed. What another process wrote since stays. */
function isTakenBack(file: number, before: number, end: number): boolean {
  try {
    if (fstatSync(file).size !== end) return false;
    ftruncateSync(file, before);
    return true;
  } catch {
    return false;
  }
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/**
 * A regular file, by what was opened. A pipe without a reader would hang a call for good, and its process with it: so nothing is
 * waited for. Windows has no such flag, and no such pipes.
 */
function opened(path: string): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | WITHOUT_WAITING;
  let file: number;
  try {
    file = openSync(path, flags, 0o600);
  } catch (error) {
    const isPipe = (error as { code?: unknown }).code === "ENXIO";
    throw new CliError(`cannot write \`${path}\`: ${isPipe ? NO_FILE : fileProblem(error)}`);
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new CliError(`cannot write \`${path}\`: ${NO_FILE}`);
}

/** Whether a file of this size ends with a line: a process that was stopped, or found the disk full, may have left a part of one. */
function endsInLine(path: string, size: number): boolean | undefined {
  if (size === 0) return true;
  let reading: number;
  try {
    reading = openSync(path, constants.O_RDONLY | WITHOUT_WAITING);
  } catch {
    // With write permission alone we cannot read the file to find out.
    return undefined;
  }
  try {
    const last = Buffer.alloc(1, "\n");
    readSync(reading, last, 0, 1, size - 1);
    return last.toString() === "\n";
  } finally {
    closeSync(reading);
  }
}
