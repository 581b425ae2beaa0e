// The programs of the patterns that a policy names itself: made by the compiler (compiler/rego/wasm/patterns.ts), static, and
// found by the address of the pattern's string, which is that string's alone. The object of `strings.replace_n` is a pattern, too.
//
// The table: the index mask, then open-addressed entries of 12 bytes, probed from `address >> 3` on:
//
//   +0  address of the pattern, 0 for a free entry      +4  address of the separators, 0 for anything but a glob
//   +8  address of the program

import { HEADER_PATTERNS } from "../../../../../../runtime/abi/layout";
import { isStatic } from "../../value";

/** The program of a pattern, or 0 where the compiler made none. `separators`: those of a glob, 0 for any other. */
export function knownProgram(pattern: usize, separators: usize): usize {
  const table: usize = load<u32>(HEADER_PATTERNS);
  if (table == 0 || !isStatic(pattern)) return 0;
  const mask = load<u32>(table);
  let i = <u32>(pattern >> 3) & mask;
  while (true) {
    const entry = table + 4 + <usize>i * 12;
    const found: usize = load<u32>(entry);
    if (found == 0) return 0;
    if (found == pattern && <usize>load<u32>(entry, 4) == separators) return load<u32>(entry, 8);
    i = (i + 1) & mask;
  }
}
