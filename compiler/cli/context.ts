/** The context of a command, and its exit code. */

import type { ExitCode } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

export interface Context {
  readonly terminal: Terminal;
  finish(code: ExitCode): void;
}
