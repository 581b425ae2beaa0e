/** The host's sources during one evaluation after the other. */

import type { EvaluationSources, HostSources } from "./builtin.ts";
import type { JsonLike } from "./value.ts";

/** The sources of one policy, for one evaluation after the other. */
export interface SourceSession {
  readonly sources: EvaluationSources;
  /** To be called before every evaluation: forgets the time and the answers of the last one. */
  readonly beginEvaluation: () => void;
}

/**
 * Makes sources under which the clock stands still and a call has one answer, until `beginEvaluation` is called again.
 */
export function openSession({ now: readClock, random, runtime }: HostSources = {}): SourceSession {
  let now: bigint | undefined;
  const answers = new Map<string, JsonLike | undefined>();
  return {
    sources: {
      now: readClock && (() => (now ??= readClock())),
      random,
      runtime,
      once: (call, answer) => {
        if (!answers.has(call)) answers.set(call, answer());
        return answers.get(call);
      },
    },
    beginEvaluation: () => {
      now = undefined;
      answers.clear();
    },
  };
}
