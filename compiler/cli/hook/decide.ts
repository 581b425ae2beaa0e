/** One call, decided by what the options name. Loads the runtime, and no compiler. */

import { answerHook, type HookAnswer, refusal, type Spawns } from "@portcullis/enforcement/gateway";
import type { Policy } from "@portcullis/runtime";
import { readCaller } from "../caller-options.ts";
import { decisionLog } from "../decision-log.ts";
import { readHostData } from "../host-data.ts";
import { wholeNumber } from "../option-words.ts";
import { openState } from "../state.ts";
import { loadBundle } from "./bundle.ts";
import { MOST_DEADLINE_SECONDS, MOST_INPUT_BYTES } from "./limits.ts";
import { demandAbsolute, type HookFlags } from "./options.ts";

/** Never rejects: whatever goes wrong is a denial. `input` is asked for once options and policy are in order. */
export async function decideCall(flags: HookFlags, input: () => Promise<Uint8Array>): Promise<HookAnswer> {
  try {
    wholeNumber("--deadline", flags.deadline, MOST_DEADLINE_SECONDS);
    demandAbsolute(flags);
    const { caller, tools } = await readCaller(flags);
    const policy = await loadBundle(flags);
    const text = decodedText(await input());
    const log = decisionLog(flags.decisionLog);
    const spawns = spawnsOf(flags, policy);
    const state = await openState(flags, policy);
    const facts = { root: flags.root, history: state.history, approvals: state.approvals };
    const given = { policy, caller, tools, spawns, ...facts, record: log.write };
    const answer = await answerHook(text, given, flags);
    await state.close();
    log.close();
    return answer;
  } catch (error) {
    return refusal(error instanceof Error ? error.message : String(error));
  }
}

/** Throws CliError for a file that cannot be read. */
function spawnsOf({ governance }: HookFlags, policy: Policy): Spawns | undefined {
  if (governance === undefined) return undefined;
  return { policy, governance: readHostData(governance), env: process.env };
}

/** Throws for too much input, and for bytes that are not UTF-8. */
function decodedText(bytes: Uint8Array): string {
  if (bytes.length > MOST_INPUT_BYTES) throw new Error(`standard input has more than ${MOST_INPUT_BYTES} bytes`);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
