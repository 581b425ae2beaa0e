/** How a hook ends: what its process writes, and the code that it ends with. */

import { denial, type HookAnswer, shortened, undecided } from "@portcullis/enforcement/gateway";
import { EXIT_OK, EXIT_USAGE } from "../exit.ts";

export interface HookOutcome {
  readonly code: typeof EXIT_OK | typeof EXIT_USAGE;
  readonly out: string;
  readonly err: string;
}

export function outcomeOf({ verdict, output, message }: HookAnswer): HookOutcome {
  const out = output === undefined ? "" : `${JSON.stringify(output)}\n`;
  return verdict === "deny" ? { code: EXIT_USAGE, out, err: `${message}\n` } : { code: EXIT_OK, out, err: "" };
}

/** The outcome where nothing was decided. */
export function denied(problem: string): HookOutcome {
  const message = shortened(undecided(problem));
  return { code: EXIT_USAGE, out: `${JSON.stringify(denial(message))}\n`, err: `${message}\n` };
}
