/** A file of decisions, one line of JSON each. */

import { closeSync, openSync, writeSync } from "node:fs";
import type { CallRecord } from "@portcullis/runtime";
import { CliError, fileProblem } from "../exit.ts";

export interface DecisionLog {
  readonly write: (record: CallRecord, name: string) => void;
  close(): void;
}

/** Each line is written at once, and whole: what is in the file was decided, and what was decided is in the file. */
export function decisionLog(path: string | undefined): DecisionLog {
  if (path === undefined) return { write: () => {}, close: () => {} };
  const file = opened(path);
  /** Ends what there is of a line that was not written whole. */
  let ending = "";
  return {
    write: (record, name) => {
      const line = Buffer.from(`${ending}${JSON.stringify({ time: new Date().toISOString(), name, ...record })}\n`);
      // A disk that gets full takes a part, and that is no error yet.
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
