/** The context of a command, and its exit code. */

import type { Command } from "commander";
import type { ExitCode } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

export interface Context {
  readonly terminal: Terminal;
  finish(code: ExitCode): void;
  /** The definitions of every command by name, and in full of the one that these words ask for. */
  definitions(words: readonly string[]): Promise<Command>;
}
