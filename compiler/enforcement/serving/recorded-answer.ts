/** Answers that are given when their decisions are in the log. */

import type { FactHost } from "@portcullis/runtime";
import { type Answer, problem } from "./answer.ts";
import { Calls } from "./call-history.ts";

/** A decision log, and how many events it has lost so far. */
export interface RecordingLog {
  readonly status: { readonly dropped: number };
  /** Rejects where an event that was given before the call is not in the log. Of these ids the log says then that they were not given. */
  flush(held: ReadonlySet<string>): Promise<void>;
}

/** An answer is made again where it could not be recorded: the policy denies what its log does not take. */
const ATTEMPTS = 3;

/**
 * What `make` answers, when its decisions are in the log. `make` asks a policy that denies what `log` does not take
 * (`unrecorded: "deny"`). Without a log: what it answers, at once. The calls of an answer that is not given use up nothing.
 */
export async function recordedAnswer(
  log: RecordingLog | undefined,
  host: FactHost,
  make: (calls: Calls) => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const calls = new Calls(host);
    try {
      const dropped = log?.status.dropped;
      const answer = await make(calls);
      // Otherwise nothing was decided, or all of it was denied without a record.
      const isHeld = log !== undefined && calls.ids.size > 0;
      // What the sink refused while the answer was made waits no more, and is not in the log.
      if (isHeld && !((await isFlushed(log, calls.ids)) && log.status.dropped === dropped)) {
        await calls.undone();
        continue;
      }
      calls.given();
      return answer;
    } catch (error) {
      await calls.undone();
      throw error;
    }
  }
  return problem(503, "internal_error", "the decision could not be recorded");
}

/** If it is not, the log says why, and so will the next denial. */
async function isFlushed(log: RecordingLog, held: ReadonlySet<string>): Promise<boolean> {
  try {
    await log.flush(held);
    return true;
  } catch {
    return false;
  }
}
