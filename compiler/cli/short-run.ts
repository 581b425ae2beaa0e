/**
 * Most builds end before optimised machine code pays: V8's default is to make it early, on the cores that the build needs.
 * Here it waits some nine times longer for JavaScript, and about a second of work for a function of binaryen's, which halves the
 * CPU time of a small build and is nothing to a large one.
 */

import { setFlagsFromString } from "node:v8";

/** Majors of Node whose V8 knows these flags; another one would complain of them. */
const KNOWN = [20, 22, 24];

/** For commands that compile and end. One that evaluates policies afterwards must not call this: it would measure the wrong thing. */
export function tuneForShortRun(): void {
  if (!KNOWN.includes(Number.parseInt(process.versions.node, 10)) || "bun" in process.versions) return;
  setFlagsFromString("--interrupt-budget=600000");
  setFlagsFromString("--wasm-tiering-budget=1000000000");
}
