/** A line that says how far a long piece of work is: drawn over itself, only while a person watches, only after a second. */

import type { Terminal } from "./terminal.ts";

const FIRST_MS = 1000;
const NEXT_MS = 200;

export interface Progress {
  /** To be called often; costs a look at the clock every thousandth time. */
  step(): void;
  /** Takes the line away again. */
  end(): void;
}

export function progress(terminal: Terminal, label: string, total: number): Progress {
  let done = 0;
  let drawn = false;
  let due = performance.now() + FIRST_MS;
  return {
    step() {
      done++;
      if (!terminal.interactive || (done & 1023) !== 0 || performance.now() < due) return;
      due = performance.now() + NEXT_MS;
      drawn = true;
      terminal.err(`\r${label}: ${Math.floor((100 * done) / total)} %`);
    },
    end() {
      if (drawn) terminal.err(`\r${" ".repeat(label.length + 8)}\r`);
    },
  };
}
