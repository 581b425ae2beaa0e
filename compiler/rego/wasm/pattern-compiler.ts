/**
 * Regular expressions and globs as programs of the runtime library's matching machine, and the strings of `strings.replace_n` as
 * its block of replacements, made by that library itself.
 */

import { unreachable } from "../diagnostics/index.ts";
import type { Value } from "../value/index.ts";
import { type RtlibInstance, runningRtlib } from "./rtlib-instance.ts";

export type Pattern =
  | { readonly kind: "Regex"; readonly text: Value }
  | { readonly kind: "Glob"; readonly text: Value; readonly separators: Value }
  | { readonly kind: "Replacements"; readonly strings: Value };

/** Where a program says how many bytes it has; a block of replacements says it there, too. */
const PROGRAM_LENGTH = 4;
/** Larger programs are left to evaluations, of which few need one: a module should not carry them. */
const MAX_BYTES = 1 << 16;
/** To compile it in. */
const MEMORY = 1 << 26;
const STEPS = 1 << 26;

/** The words of the pattern's program; `undefined` if it has no program, or a large one. */
export function programOf(pattern: Pattern): readonly number[] | undefined {
  const rtlib = runningRtlib();
  return rtlib.within(STEPS, MEMORY, () => {
    const program = build(rtlib, pattern);
    const length = program === 0 ? 0 : rtlib.word(program + PROGRAM_LENGTH);
    if (length === 0 || length > MAX_BYTES) return undefined;
    return Array.from({ length: length / 4 }, (_, i) => rtlib.word(program + i * 4));
  });
}

function build(rtlib: RtlibInstance, pattern: Pattern): number {
  switch (pattern.kind) {
    case "Regex":
      return rtlib.call("build_regex", rtlib.write(pattern.text));
    case "Glob":
      return rtlib.call("build_glob", rtlib.write(pattern.text), rtlib.write(pattern.separators));
    case "Replacements":
      return rtlib.call("build_replacements", rtlib.write(pattern.strings));
    default:
      return unreachable(pattern);
  }
}
