/** Whether changes that were shown are to be written. */

import { createInterface } from "node:readline";
import type { Terminal } from "./terminal.ts";

export interface Consent {
  /** Writes without asking. */
  readonly yes: boolean;
  /** Only shows. */
  readonly dryRun: boolean;
}

/** What is asked, and what is said where no person can be. */
export interface Question {
  readonly question: string;
  readonly unasked: string;
}

const WRITING: Question = {
  question: "write these changes?",
  unasked: "nothing was written: `--yes` writes without asking, `--dry-run` only shows",
};

/** Asks at the terminal, where a person is there; without one the answer is no. */
export async function agreed(
  terminal: Terminal,
  { yes, dryRun }: Consent,
  { question, unasked }: Question = WRITING,
): Promise<boolean> {
  if (dryRun) return false;
  if (yes) return true;
  if (!terminal.interactive || terminal.streams === undefined || process.stdin.isTTY !== true) {
    terminal.err(`${unasked}\n`);
    return false;
  }
  terminal.err(`${question} [y/N] `);
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
