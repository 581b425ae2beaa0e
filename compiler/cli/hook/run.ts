/** One run of `portcullis hook` in memory. However it ends, it has an answer that hosts obey. */

import { readFlags } from "../option-words.ts";
import { decideCall } from "./decide.ts";
import { HOOK_OPTIONS, type HookFlags } from "./options.ts";
import { denied, type HookOutcome, outcomeOf } from "./outcome.ts";

/** Never rejects. `argv` is what stands behind `hook`. */
export async function runHook(argv: readonly string[], input: () => Promise<Uint8Array>): Promise<HookOutcome> {
  try {
    return outcomeOf(await decideCall(readFlags(argv, HOOK_OPTIONS) as unknown as HookFlags, input));
  } catch (error) {
    return denied(error instanceof Error ? error.message : String(error));
  }
}
