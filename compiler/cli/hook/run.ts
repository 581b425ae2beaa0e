/** One run of `portcullis hook` in memory. However it ends, it has an answer that hosts obey. */

import { decideCall } from "./decide.ts";
import { readHookFlags } from "./options.ts";
import { denied, type HookOutcome, outcomeOf } from "./outcome.ts";

/** Never rejects. `argv` is what stands behind `hook`. */
export async function runHook(argv: readonly string[], input: () => Promise<Uint8Array>): Promise<HookOutcome> {
  try {
    return outcomeOf(await decideCall(readHookFlags(argv), input));
  } catch (error) {
    return denied(error instanceof Error ? error.message : String(error));
  }
}
