/** What a command gets, and the one thing it gives back. */

import type { ExitCode } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

export interface Context {
  readonly terminal: Terminal;
  finish(code: ExitCode): void;
}
