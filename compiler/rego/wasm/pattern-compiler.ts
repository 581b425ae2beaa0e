/** Regular expressions and globs as programs of the runtime library's matching machine, made by that library itself. */

import type { Value } from "../value/index.ts";
import { RtlibInstance } from "./rtlib-instance.ts";

/** `separators`: those of a glob; undefined for a regular expression. */
export interface Pattern {
  readonly text: string;
  readonly separators?: Value;
}

/** Where a program says how many bytes it has. */
const PROGRAM_LENGTH = 4;
/** Larger programs are left to evaluations, of which few need one: a module should not carry them. */
const MAX_BYTES = 1 << 16;
/** To compile it in. */
const MEMORY = 1 << 26;
const STEPS = 1 << 26;

let compiler: RtlibInstance | undefined;

/** The words of the pattern's program; `undefined` if it has no program, or a large one. */
export function programOf({ text, separators }: Pattern): readonly number[] | undefined {
  compiler ??= new RtlibInstance(new Set(["build_regex", "build_glob"]));
  const rtlib = compiler;
  return rtlib.within(STEPS, MEMORY, () => {
    const pattern = rtlib.write({ kind: "string", value: text });
    const program =
      separators === undefined
        ? rtlib.call("build_regex", pattern)
        : rtlib.call("build_glob", pattern, rtlib.write(separators));
    const length = program === 0 ? 0 : rtlib.word(program + PROGRAM_LENGTH);
    if (length === 0 || length > MAX_BYTES) return undefined;
    return Array.from({ length: length / 4 }, (_, i) => rtlib.word(program + i * 4));
  });
}
