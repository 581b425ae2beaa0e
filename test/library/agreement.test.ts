/** For arbitrary policies and requests, every decision is exactly what the independent statement of its gates demands. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decisionNames, statements } from "../statements/index.ts";
import { field } from "../statements/values.ts";
import { extensions, policies, requestsTo } from "./arbitraries.ts";
import { disagreements } from "./disagreements.ts";
import { type Batch, evaluators } from "./evaluator.ts";
import { gates } from "./gates.ts";
import { RUNS, SEED } from "./runs.ts";

const REQUESTS_A_POLICY = 100;

describe.skipIf(evaluators.length === 0).each(evaluators)("by $name, for anything at all", (evaluator) => {
  it.each(decisionNames)("%s agrees with its statement", async (decision) => {
    const numRuns = Math.ceil((RUNS * evaluator.effort) / REQUESTS_A_POLICY);
    const size = { minLength: REQUESTS_A_POLICY, maxLength: REQUESTS_A_POLICY, size: "max" } as const;
    const batch: fc.Arbitrary<Batch> = fc.record({ policy: policies, inputs: fc.array(requestsTo(decision), size) });
    const batches = fc.sample(batch, { numRuns, seed: SEED });
    const answers = await evaluator.decide(decision, batches);
    expect(disagreements(batches, answers, decision)).toEqual([]);
  });

  it.each(decisionNames)("%s with an extension agrees with its statement", async (decision) => {
    const numRuns = Math.ceil((RUNS * evaluator.effort) / REQUESTS_A_POLICY);
    const size = { minLength: REQUESTS_A_POLICY / 2, maxLength: REQUESTS_A_POLICY / 2, size: "max" } as const;
    const extension = extensions;
    const some = fc.record({ policy: policies, extension, inputs: fc.array(requestsTo(decision), size) });
    const batches = fc.sample(some, { numRuns: numRuns * 2, seed: SEED });
    const answers = await evaluator.decide(decision, batches);
    expect(disagreements(batches, answers, decision)).toEqual([]);
  });
});

describe("the arbitrary requests", () => {
  it.each(decisionNames)("meet every gate of %s", (decision) => {
    const reached = new Set<string>();
    const samples = fc.sample(fc.tuple(policies, requestsTo(decision)), { numRuns: 5_000, seed: SEED });
    for (const [policy, input] of samples) {
      const answer = statements[decision](policy, input);
      for (const found of [answer, ...violationsOf(answer)]) {
        const reason = String(field(found, "reason")).replace(/^Persona '.*'/s, "Persona '<as given>'");
        reached.add(`${String(field(found, "gate"))} ${reason}`);
      }
    }
    expect([...reached].sort()).toEqual([...gates[decision]].sort());
  });
});

function violationsOf(answer: unknown): readonly unknown[] {
  const violations = field(answer, "violations");
  return Array.isArray(violations) ? violations : [];
}
