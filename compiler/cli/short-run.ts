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

/** V8's own budgets, by major of Node: those that were changed. */
const OWN_BUDGETS: ReadonlyMap<number, readonly string[]> = new Map([[20, ["--interrupt-budget=67584"]]]);

/** For commands whose time goes into compiling. One that measures evaluations must not call this: it would measure the wrong thing. */
export function tuneForShortRun(): void {
  set(FLAGS);
}

/** For a run that turned out to be long: from here on, what is run often gets machine code as early as V8 wants. */
export function tuneForLongRun(): void {
  set(OWN_BUDGETS);
}

function set(flags: ReadonlyMap<number, readonly string[]>): void {
  if ("bun" in process.versions) return;
  for (const flag of flags.get(Number.parseInt(process.versions.node, 10)) ?? []) setFlagsFromString(flag);
}
