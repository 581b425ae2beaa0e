/** For arbitrary policies and requests, every decision is exactly what the independent statement of its gates demands. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEED, sampled } from "../../campaign.ts";
import { decisionNames, statements } from "../../statements/index.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { field } from "../../statements/values.ts";
import { approvalCalls, approvalPolicy } from "./approval-calls.ts";
import { extensions, requestsTo, requirements } from "./arbitraries.ts";
import { policies } from "./arbitrary-policies.ts";
import { argumentPolicies, argumentRequests } from "./argument-arbitraries.ts";
import { disagreements } from "./disagreements.ts";
import type { Batch } from "./evaluator.ts";
import { evaluators } from "./evaluators.ts";
import { gates } from "./gates.ts";
import { limitPolicies, limitRequests } from "./limit-calls.ts";
import { SCALE } from "./runs.ts";

describe.each(evaluators)("by $name, for anything at all", (evaluator) => {
  const count = evaluator.requests;
  const size = { minLength: count, maxLength: count, size: "max" } as const;
  const numRuns = Math.ceil(evaluator.policies * SCALE);

  it.each(decisionNames)("%s agrees with its statement", async (decision) => {
    const batch: fc.Arbitrary<Batch> = fc.record({ policy: policies, inputs: fc.array(requestsTo(decision), size) });
    const batches = fc.sample(batch, { numRuns, seed: SEED });
    const answers = await evaluator.decide(decision, batches);
    expect(disagreements(batches, answers, decision)).toEqual([]);
  });

  it.each(decisionNames)("%s with an extension agrees with its statement", async (decision) => {
    const inputs = fc.array(requestsTo(decision), size);
    const batch: fc.Arbitrary<Batch> = fc.record({ policy: policies, extension: extensions, inputs });
    const batches = fc.sample(batch, { numRuns: Math.ceil(numRuns / 2), seed: SEED + 1 });
    const answers = await evaluator.decide(decision, batches);
    expect(disagreements(batches, answers, decision)).toEqual([]);
  });

  it.each(decisionNames)("%s with requirements agrees with its statement", async (decision) => {
    const inputs = fc.array(requestsTo(decision), size);
    const demanding = fc.record({ policy: policies, requirements, inputs });
    const both = fc.record({ policy: policies, extension: extensions, requirements, inputs });
    const batches: Batch[] = fc.sample(fc.oneof(demanding, both), { numRuns: Math.ceil(numRuns / 2), seed: SEED + 2 });
    const answers = await evaluator.decide(decision, batches);
    expect(disagreements(batches, answers, decision)).toEqual([]);
  });
});

describe("the arbitrary requests", () => {
  // Some decisions in `make test`: the rarest gates take thousands of requests.
  it.each(sampled(decisionNames, 1 / 4))("meet every gate of %s", (decision) => {
    const reached = new Set<string>();
    // Most gates are met at once; the rarest of exec is met once in some thousand requests.
    for (let part = 0; part < 100 && reached.size < gates[decision].length; part++) {
      const seed = 20_260_214 + part;
      const samples = fc.sample(fc.tuple(policies, requestsTo(decision)), { numRuns: 250, seed });
      // Arguments, limits and approvals are written for policies of their own.
      if (decision === "call")
        samples.push(
          ...fc.sample(fc.tuple(argumentPolicies, argumentRequests), { numRuns: 50, seed }),
          ...fc.sample(fc.tuple(limitPolicies, limitRequests), { numRuns: 50, seed }),
          // What no chance gives: digests and revisions that fit.
          ...(part === 0 ? approvalCalls().map((call): [PolicyData, unknown] => [approvalPolicy, call]) : []),
        );
      for (const [policy, input] of samples) {
        const answer = statements[decision](policy, input);
        for (const found of [answer, ...violationsOf(answer)]) {
          const reason = String(field(found, "reason")).replace(/^Persona '.*'/s, "Persona '<as given>'");
          reached.add(`${String(field(found, "gate"))} ${reason}`);
        }
      }
    }
    expect([...reached].sort()).toEqual([...gates[decision]].sort());
  });
});

function violationsOf(answer: unknown): readonly unknown[] {
  const violations = field(answer, "violations");
  return Array.isArray(violations) ? violations : [];
}
