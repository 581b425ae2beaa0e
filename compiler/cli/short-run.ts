/**
 * Most builds end before optimised machine code pays: V8's default is to make it early, on the cores that the build needs.
 * Here it waits some 35 times longer for JavaScript where that can be said, and
 * about a second of work for a function of a policy, which halves the CPU time of a small build and is nothing to a large one.
 */

import { setFlagsFromString } from "node:v8";

const WASM_BUDGET = "--wasm-tiering-budget=1000000000";
const SCRIPT_BUDGET = "--interrupt-budget=2400000";

/** By major of Node, the flags that its V8 knows: of another it would complain on stderr. */
const FLAGS: ReadonlyMap<number, readonly string[]> = new Map([
  [20, [SCRIPT_BUDGET, WASM_BUDGET]],
  [22, [WASM_BUDGET]],
  [24, [WASM_BUDGET]],
]);

/** For commands whose time goes into compiling. One that measures evaluations must not call this: it would measure the wrong thing. */
export function tuneForShortRun(): void {
  if ("bun" in process.versions) return;
  for (const flag of FLAGS.get(Number.parseInt(process.versions.node, 10)) ?? []) setFlagsFromString(flag);
}
