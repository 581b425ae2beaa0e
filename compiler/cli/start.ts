/** Starts the command line in a process of its own. A hook has its own start, which ends the process itself. */

/** Throws only where not even the program can be read. */
export async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === "hook") {
    const { hookProcess } = await import("./hook-process.ts");
    return hookProcess(argv, new URL("hook-worker.js", import.meta.url));
  }
  const { main: run } = await import("./main.ts");
  return run(argv);
}
