/** A file of decisions, one line of JSON each. */

import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import type { CallRecord } from "@portcullis/runtime";
import { CliError, fileProblem } from "./exit.ts";

export interface DecisionLog {
  /** `more` is written beside the record. */
  readonly write: (record: CallRecord, name: string, more?: object) => void;
  close(): void;
}

/** Each line is written at once, and whole: what is in the file was decided, and what was decided is in the file. */
export function decisionLog(path: string | undefined): DecisionLog {
  if (path === undefined) return { write: () => {}, close: () => {} };
  const file = opened(path);
  /** Ends what there is of a line that was not written whole. */
  let ending = endsInLine(path, file) ? "" : "\n";
  return {
    write: (record, name, more) => {
      const event = { time: new Date().toISOString(), name, ...more, ...record };
      const line = Buffer.from(`${ending}${JSON.stringify(event)}\n`);
      // A disk that gets full takes a part, without an error.
      const isWhole = writeSync(file, line) === line.length;
      ending = isWhole ? "" : "\n";
      if (!isWhole) throw new Error("the decision log takes no more");
    },
    close: () => closeSync(file),
  };
}

function opened(path: string): number {
  try {
    return openSync(path, "a", 0o600);
  } catch (error) {
    throw new CliError(`cannot write \`${path}\`: ${fileProblem(error)}`);
  }
}

/** Whether the file ends with a line: a process that was stopped, or found the disk full, may have left a part of one. */
function endsInLine(path: string, file: number): boolean {
  const there = fstatSync(file);
  if (!there.isFile() || there.size === 0) return true;
  let reading: number;
  try {
    reading = openSync(path, "r");
  } catch {
    // With write permission alone we cannot read the file to find out.
    return true;
  }
  try {
    const last = Buffer.alloc(1, "\n");
    readSync(reading, last, 0, 1, there.size - 1);
    return last.toString() === "\n";
  } finally {
    closeSync(reading);
  }
}
