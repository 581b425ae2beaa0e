/** The host's sources during one evaluation after the other. */

import type { Answers, EvaluationSources, HostSources } from "./builtin.ts";
import type { JsonLike } from "./value.ts";
import { HostNumber } from "./value.ts";

/** The sources of one policy, for one evaluation after the other. */
export interface SourceSession {
  readonly sources: EvaluationSources;
  /**
   * To be called before every evaluation: forgets the time and the answers of the last one. With `recorded`, sources answer
   * what they answered then, and nothing else.
   */
  readonly beginEvaluation: (recorded?: Answers) => void;
  /** What sources have answered since then. */
  readonly answers: Answers;
  /** The source that was asked for what is not recorded. */
  readonly missing: () => string | undefined;
}

const NOW = "time.now_ns []";

/**
 * Makes sources under which the clock stands still and a call has one answer, until `beginEvaluation` is called again.
 */
export function openSession({ now: readClock, random, runtime }: HostSources = {}): SourceSession {
  let recorded: Answers | undefined;
  let missing: string | undefined;
  let now: bigint | undefined;
  const answers = new Map<string, JsonLike | undefined>();
  const fresh = <T>(source: string, ask: () => T): T => {
    if (recorded === undefined) return ask();
    missing = source;
    throw new Error("not recorded");
  };
  const once = (call: string, answer: () => JsonLike | undefined): JsonLike | undefined => {
    if (!answers.has(call)) answers.set(call, recorded?.get(call) ?? answer());
    return answers.get(call);
  };
  const clock = (read: () => bigint): bigint => {
    if (now !== undefined) return now;
    const answer = once(NOW, () => new HostNumber(String(fresh("now", read))));
    // What a record has in its place, and is not a time, is as good as missing.
    now = answer instanceof HostNumber && /^-?\d+$/.test(answer.text) ? BigInt(answer.text) : fresh("now", read);
    return now;
  };
  return {
    sources: {
      now: readClock && (() => clock(readClock)),
      random: random && ((length) => fresh("random", () => random(length))),
      runtime,
      once,
    },
    beginEvaluation: (given) => {
      recorded = given;
      missing = undefined;
      now = undefined;
      answers.clear();
    },
    answers,
    missing: () => missing,
  };
}
