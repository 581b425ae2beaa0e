/** What the statement of `arguments.md` says of a call is what every evaluator answers: near misses of each member, and any call. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEED } from "../../campaign.ts";
import { statements } from "../../statements/index.ts";
import { argumentPolicies, argumentRequests } from "./argument-arbitraries.ts";
import { argumentCalls, argumentPolicy } from "./argument-calls.ts";
import { disagreements } from "./disagreements.ts";
import { evaluators } from "./evaluators.ts";

const calls = argumentCalls();

describe("calls near the edge of a member", () => {
  it("meet every reason, and every member that refuses", () => {
    const answers = calls.map((input) => statements.call(argumentPolicy, input));
    const met = (key: string): unknown[] =>
      [...new Set(answers.map((answer) => answer[key]))].filter((one) => one !== undefined).sort();
    expect(met("reason")).toEqual(
      [
        "approval_not_human",
        "approval_required",
        "argument_missing",
        "argument_not_allowed",
        "argument_type",
        "argument_unknown",
      ].concat(["arguments_malformed", "call_allowed", "command_not_plain", "flag_prohibited", "path_unresolved"]),
    );
    expect(met("rule")).toEqual([
      "commands",
      "hosts",
      "max",
      "max_length",
      "min",
      "one_of",
      "paths",
      "pattern",
      "schemes",
    ]);
    expect(met("index")).toEqual([0, 1, 3]);
    expect(answers.filter((answer) => answer["allowed"] === true).length).toBeGreaterThan(300);
  });
});

describe.each(evaluators)("$name", (evaluator) => {
  it("agrees on calls near the edge of a member", async () => {
    const batches = [{ policy: argumentPolicy, inputs: calls }];
    const found = disagreements(batches, await evaluator.decide("call", batches), "call");
    // The policy is above, and long.
    expect(found.map(({ policy: _, ...rest }) => rest)).toEqual([]);
  });

  it("agrees on any call of any tool", async () => {
    const inputs = fc.array(argumentRequests, { minLength: 60, maxLength: 60, size: "max" });
    const batches = fc.sample(fc.record({ policy: argumentPolicies, inputs }), {
      numRuns: evaluator.policies,
      seed: SEED,
    });
    expect(disagreements(batches, await evaluator.decide("call", batches), "call")).toEqual([]);
  });
});
