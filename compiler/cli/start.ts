/** Starts the command line in a process of its own: with V8 set for what the command does, and with little code to read. */

import { COMMANDS } from "./commands.ts";
import type { ExitCode } from "./exit.ts";

/** Throws only where not even the program can be read. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  if (COMMANDS.find((c) => c.name === argv[0])?.compilesMostly) {
    const [shortRun, packed] = await Promise.all([import("./short-run.ts"), import("./packed-program.ts")]);
    shortRun.tuneForShortRun();
    const found = packed.packedProgram(new URL("../short/", import.meta.url));
    if (found !== undefined) return found.program.main(argv);
  }
  const program = await import("./main.ts");
  return program.main(argv);
}
