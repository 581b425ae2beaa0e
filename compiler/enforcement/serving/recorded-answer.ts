/** Answers that are given when their decisions are in the log. */

import { type Answer, problem } from "./answer.ts";

/** A decision log, and how many events it was given so far. */
export interface RecordingLog {
  readonly status: { readonly pending: number; readonly delivered: number; readonly dropped: number };
  /** Rejects where an event that was given before the call is not in the log. */
  flush(): Promise<void>;
}

/** An answer is made again where it could not be recorded: the policy denies what its log does not take. */
const ATTEMPTS = 3;

/**
 * What `make` answers, when its decisions are in the log. `make` asks a policy that denies what `log` does not take
 * (`unrecorded: "deny"`). Without a log: what it answers, at once.
 */
export async function recordedAnswer(log: RecordingLog | undefined, make: () => Answer): Promise<Answer> {
  if (log === undefined) return make();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = given(log);
    const answer = make();
    // Nothing was decided, or all of it was denied without a record.
    if (given(log) === before) return answer;
    try {
      await log.flush();
      return answer;
    } catch {
      // The log says why, and so will the next denial.
    }
  }
  return problem(503, "internal_error", "the decision could not be recorded");
}

function given({ status: { pending, delivered, dropped } }: RecordingLog): number {
  return pending + delivered + dropped;
}
