/** How a hook ends: what its process writes, and the code that it ends with. */

import { denial, shortened, undecided } from "@portcullis/enforcement/gateway";
import { type EXIT_OK, EXIT_USAGE } from "./exit.ts";

export interface HookOutcome {
  readonly code: typeof EXIT_OK | typeof EXIT_USAGE;
  readonly out: string;
  readonly err: string;
}

/** The outcome where nothing was decided. */
export function denied(problem: string): HookOutcome {
  const message = shortened(undecided(problem));
  return { code: EXIT_USAGE, out: `${JSON.stringify(denial(message))}\n`, err: `${message}\n` };
}
