/** What a gateway tells people: single lines, without anything that a terminal would obey, and not without end. */

import type { Readable, Writable } from "node:stream";
import { LIMITS } from "./limits.ts";
import { Lines } from "./lines.ts";

type Log = (line: string) => void;

/** Faults that are logged; further ones are counted. */
const MOST_FAULTS = 20;
/** Lines of the server's standard error that are passed on in a second; the others are dropped, so that it need not wait. */
const LINES_PER_SECOND = 100;

export interface FaultLog {
  readonly fault: Log;
  /** Says how many faults were not logged. */
  rest(): void;
}

export function faultLog(log: Log): FaultLog {
  let faults = 0;
  return {
    fault: (line) => {
      if (++faults <= MOST_FAULTS) log(printable(line));
    },
    rest: () => {
      if (faults > MOST_FAULTS) log(`${faults - MOST_FAULTS} further faults were not logged`);
    },
  };
}

/** Passes on what the server writes to its standard error. */
export function copyErrors(stderr: Readable, sink: Writable, log: Log): void {
  const lines = new Lines({ ...LIMITS, messageBytes: 4096, messagesPerSecond: 1e9 }, [sink], () => {});
  let second = 0;
  let count = 0;
  stderr.pipe(lines).on("data", (line: Buffer) => {
    const now = Math.floor(performance.now() / 1000);
    count = now === second ? count + 1 : 1;
    second = now;
    if (count <= LINES_PER_SECOND) log(`server: ${printable(line.toString("utf8").trimEnd())}`);
  });
}

/** Control characters, and what some readers take for an end of line, escaped. */
function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
