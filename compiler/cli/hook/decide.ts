/** One call, decided by what the options name. Loads the runtime, and no compiler. */

import { answerHook, type HookAnswer, refusal } from "@portcullis/enforcement/gateway";
import { readCaller } from "../caller-options.ts";
import { decisionLog } from "../decision-log.ts";
import { demandAbsolute, type Flags, wholeNumber } from "../option-words.ts";
import { loadBundle } from "./bundle.ts";
import { MOST_DEADLINE_SECONDS, MOST_INPUT_BYTES } from "./limits.ts";
import { HOOK_OPTIONS, type HookFlags } from "./options.ts";

/** Never rejects: whatever goes wrong is a denial. `input` is asked for once options and policy are in order. */
export async function decideCall(flags: HookFlags, input: () => Promise<Uint8Array>): Promise<HookAnswer> {
  try {
    wholeNumber("--deadline", flags.deadline, MOST_DEADLINE_SECONDS);
    demandAbsolute(flags as unknown as Flags, HOOK_OPTIONS);
    const { caller, tools } = await readCaller(flags);
    const policy = await loadBundle(flags);
    const text = decodedText(await input());
    const log = decisionLog(flags.decisionLog);
    const answer = await answerHook(text, { policy, caller, tools, root: flags.root, record: log.write }, flags);
    log.close();
    return answer;
  } catch (error) {
    return refusal(error instanceof Error ? error.message : String(error));
  }
}

/** Throws for too much input, and for bytes that are not UTF-8. */
function decodedText(bytes: Uint8Array): string {
  if (bytes.length > MOST_INPUT_BYTES) throw new Error(`standard input has more than ${MOST_INPUT_BYTES} bytes`);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
