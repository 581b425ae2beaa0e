/** Whether changes that were shown are to be written. */

import { createInterface } from "node:readline";
import type { Terminal } from "./terminal.ts";

export interface Consent {
  /** Writes without asking. */
  readonly yes: boolean;
  /** Only shows. */
  readonly dryRun: boolean;
}

/** Asks at the terminal, where a person is there; without one nothing is written. */
export async function agreed(terminal: Terminal, { yes, dryRun }: Consent): Promise<boolean> {
  if (dryRun) return false;
  if (yes) return true;
  if (!terminal.interactive || terminal.streams === undefined || process.stdin.isTTY !== true) {
    terminal.err("nothing was written: `--yes` writes without asking, `--dry-run` only shows\n");
    return false;
  }
  terminal.err("write these changes? [y/N] ");
  // The terminal's own line editing: Ctrl-C ends the program, with nothing written, and Ctrl-D is no answer.
  const answers = createInterface({ input: terminal.streams.input, terminal: false });
  try {
    for await (const answer of answers) return /^y(es)?$/i.test(answer.trim());
  } finally {
    // Left open, the terminal would keep the program alive.
    answers.close();
    terminal.streams.input.destroy();
  }
  terminal.err("\n");
  return false;
}
