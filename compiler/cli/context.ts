/** The context of a command, and its exit code. */

import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

export interface Context {
  readonly terminal: Terminal;
  /** An exit code of ours, or that of a program which the command ran. */
  finish(code: number): void;
  /** The definitions of every command by name, and in full of the one that these words ask for. */
  definitions(words: readonly string[]): Promise<Command>;
}
