/** Builtins whose calls cannot be noticed: whether they are made once, often, or not at all. */

import { builtin } from "../syntax/index.ts";

/** Whether it gives a result, or none, and does nothing else. An author's own builtin may end the evaluation. */
export function isSilent(name: string): boolean {
  return builtin(name)?.nondeterministic === false && !/^(trace|internal\.(print|test_case))$/.test(name);
}
