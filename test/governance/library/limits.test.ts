/** What the statement of `history.md` says of a call is what every evaluator answers: at the edges of each limit, and any call. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEED } from "../../campaign.ts";
import { statements } from "../../statements/index.ts";
import { disagreements } from "./disagreements.ts";
import { evaluators } from "./evaluators.ts";
import { limitCalls, limitPolicies, limitPolicy, limitRequests } from "./limit-calls.ts";

describe("calls at the edges of limits", () => {
  it("meet every reason of every limit", () => {
    const answers = limitCalls.map((input) => statements.call(limitPolicy, input));
    const met = new Set(answers.map(({ reason, limit }) => (limit === undefined ? reason : `${limit} ${reason}`)));
    expect([...met].sort()).toEqual(
      [
        "call_allowed",
        "scope_malformed",
        ...["limit_key_missing", "history_missing", "limit_calls", "limit_sum"].map((reason) => `pay ${reason}`),
        ...["limit_key_missing", "history_missing", "limit_order"].flatMap((r) => [`order ${r}`, `taint ${r}`]),
        ...["history_missing", "limit_order"].map((reason) => `first ${reason}`),
        ...["limit_key_missing", "limit_sum", "limit_order"].map((reason) => `both ${reason}`),
        ...["history_missing", "limit_hours"].flatMap((reason) => [`hours ${reason}`, `night ${reason}`]),
        "\uff5e limit_calls",
      ].sort(),
    );
    expect(answers.filter((answer) => "retry_after_ms" in answer).length).toBeGreaterThan(100);
    expect(answers.filter((answer) => answer["allowed"] === true).length).toBeGreaterThan(300);
  });
});

describe.each(evaluators)("$name", (evaluator) => {
  it("agrees at the edges of limits", async () => {
    const batches = [{ policy: limitPolicy, inputs: limitCalls }];
    const found = disagreements(batches, await evaluator.decide("call", batches), "call");
    // The policy is above, and long.
    expect(found.map(({ policy: _, ...rest }) => rest)).toEqual([]);
  });

  it("agrees on any call under any limits", async () => {
    const inputs = fc.array(limitRequests, { minLength: 60, maxLength: 60, size: "max" });
    const batches = fc.sample(fc.record({ policy: limitPolicies, inputs }), {
      numRuns: evaluator.policies,
      seed: SEED,
    });
    expect(disagreements(batches, await evaluator.decide("call", batches), "call")).toEqual([]);
  });
});
