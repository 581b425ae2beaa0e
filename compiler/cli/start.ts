/**
 * Starts the command line in a process of its own: with V8 set for what the command does, and with little code to read. Node
 * takes a fifth less of its time to start with one script in its older format than with a dozen modules, and what asks for no
 * command is answered from here.
 */

import { COMMANDS } from "./commands.ts";
import { importModule } from "./import-module.ts";
import type { Program } from "./packed-program.ts";

const WITHOUT_COMMAND = ["help", "--help", "-h", "--version", "-V"];

/** Throws only where not even the program can be read. A hook ends the process itself. */
export async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === "hook") {
    const { hookProcess } = await import("./hook-process.ts");
    return hookProcess(argv, new URL("hook-worker.js", import.meta.url));
  }
  const { main: run } = await programFor(argv);
  return run(argv);
}

async function programFor(argv: readonly string[]): Promise<Program> {
  const [word, ...rest] = argv;
  if (word === undefined || (rest.length === 0 && WITHOUT_COMMAND.includes(word))) return import("./main.ts");
  if (COMMANDS.find((c) => c.name === word)?.compilesMostly) {
    const [shortRun, packed] = await Promise.all([import("./short-run.ts"), import("./packed-program.ts")]);
    shortRun.tuneForShortRun();
    const found = packed.packedProgram(new URL("../short/", import.meta.url));
    if (found !== undefined) return found.program;
  }
  // The modules of all commands, which the build writes beside this.
  return (await importModule(new URL("main.js", import.meta.url).href)) as Program;
}
