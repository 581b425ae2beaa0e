/** The policy whose state is asked for, and names of calls in it. */
import type { FactPolicy } from "@portcullis/runtime";

export const key = (n: number): string => n.toString(16).padStart(64, "0");
export const policy: FactPolicy = {
  historyName: "desk",
  limits: {
    PAY: {
      calls: { tools: { pay: true } },
      max_calls: 2,
      max_sum: { of: "args.cents", at_most: 100 },
      within_ms: 3600,
    },
    CALLS: { max_calls: 1 },
    SUM: { max_sum: { of: "args.cents", at_most: 9 } },
    AFTER: { only_after: { tools: { review: true, look: true }, within_ms: 60_000 } },
    NEVER: { never_after: { tools: { fetch: true } } },
    BOTH: { only_after: { tools: { a: true } }, never_after: { tools: { b: true } } },
  },
};
