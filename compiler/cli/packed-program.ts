/**
 * The command line as one script with what V8 has compiled of it: a quarter of the time that a check takes is reading code.
 * The build writes both, from the same sources as the modules of dist/bin, and a process of another V8 does not use them.
 *
 *   program.js     `//ID` and a line end, then an expression: (module, exports, require, __filename, importModule) => …
 *   program.code   HEAD bytes that say for which script and which V8, padded with spaces; then V8's own
 *
 * INVARIANT: the two lie in the package beside the code that they replace. V8 does not look at what it is given: a folder of a
 * user's, where others write, is no place for them.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { importModule } from "./import-module.ts";

export interface Program {
  main(argv: readonly string[]): Promise<number>;
}

export interface PackedProgram {
  readonly program: Program;
  readonly script: Script;
}

/** Bytes before V8's own: a multiple of what V8 wants its data aligned to. */
const HEAD = 128;
const ID = /^\/\/([0-9a-f]{64})\n/;

/** `undefined` where there is none for this engine; then the modules are loaded one by one. Cost: a few milliseconds. */
export function packedProgram(folder: URL): PackedProgram | undefined {
  if ("bun" in process.versions) return undefined;
  try {
    // ASCII alone, so a character is a byte.
    const source = readFileSync(new URL("program.js", folder), "latin1");
    const code = readFileSync(new URL("program.code", folder));
    if (code.toString("latin1", 0, HEAD) !== codeHead(source)) return undefined;
    return runProgram(folder, source, code.subarray(HEAD));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** What stands before V8's data: of this script, and this V8. */
export function codeHead(source: string): string {
  const id = ID.exec(source)?.[1] ?? "";
  return `${id} ${process.versions.v8} ${process.arch}`.padEnd(HEAD);
}

/** V8 refuses data that was made under other flags, and compiles the script itself. */
export function runProgram(folder: URL, source: string, cachedData: Buffer | undefined): PackedProgram {
  // The name is part of the data, and no place on the machine that made it.
  const script = new Script(source, { filename: "program.js", ...(cachedData === undefined ? {} : { cachedData }) });
  const file = fileURLToPath(new URL("program.js", folder));
  const module = { exports: {} as Program };
  (script.runInThisContext() as ProgramFunction)(module, module.exports, late(createRequire(file)), file, importModule);
  return { program: module.exports, script };
}

/** Node's own modules that take a while to load, and that most runs do not need. */
const LATE: ReadonlySet<string> = new Set(["node:child_process", "node:crypto", "node:readline"]);

/** `require`, but that what these export is looked up when it is used. The program reads members of them, and no lists. */
function late(require: Require): Require {
  return (id) =>
    LATE.has(id)
      ? new Proxy({}, { get: (_, name) => (require(id) as Record<PropertyKey, unknown>)[name] })
      : require(id);
}

type Require = (id: string) => unknown;

type ProgramFunction = (
  module: object,
  exports: object,
  require: Require,
  filename: string,
  importer: typeof importModule,
) => void;
