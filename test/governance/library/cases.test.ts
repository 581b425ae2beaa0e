/** Every case of the specification holds: the policy compiles or is refused, and each decision says what is expected. */
import { describe, expect, it } from "vitest";
import { sampled } from "../../campaign.ts";
import { type DecisionName, decisionNames, statements } from "../../statements/index.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { field } from "../../statements/values.ts";
import { type Case, hasCases, lowered, policyFiles, readCases } from "./case-files.ts";
import { disagreements } from "./disagreements.ts";
import type { Batch } from "./evaluator.ts";
import { evaluators } from "./evaluators.ts";

interface Asked {
  readonly id: string;
  readonly decision: DecisionName;
  readonly policy: PolicyData;
  readonly input: unknown;
  readonly expected: { readonly [key: string]: unknown };
}

/** The smallest policy set that any decision can be asked of. */
const NOTHING = { "roles.yaml": "roles: []\n" };

const refusals: { readonly id: string; readonly refused: boolean; readonly errors: readonly string[] }[] = [];

function asked(name: string): Asked[] {
  return readCases(name).flatMap((one) => {
    const files = policyFiles(one.policy);
    const result = lowered(Object.keys(files).length === 0 ? NOTHING : files);
    const errors = "errors" in result ? result.errors : [];
    refusals.push({ id: one.id, refused: one.expected["compile_error"] === true, errors });
    return "errors" in result || one.expected["compile_error"] === true ? [] : decisionsOf(name, one, result.policy);
  });
}

function decisionsOf(name: string, one: Case, policy: PolicyData): Asked[] {
  const { id, input, expected } = one;
  const decision = name === "arguments" || name === "limits" ? "call" : (name as DecisionName);
  if (name !== "harness") return [{ id, decision, policy, input, expected }];
  if (expected["invalid_request"] === true || expected["exit"] !== 0) return [];
  const request = field(input, "request") ?? JSON.parse(String(field(input, "request_raw")));
  const asks = {
    role: field(request, "agent_role"),
    lane: field(request, "lane_id"),
    tool: field(request, "tool_name"),
  };
  return (["lane", "tool"] as const).map((decision) => {
    const said = expected[decision === "lane" ? "lane_authorized" : "tool_allowed"];
    const allowed = field(said, "outcome") === "success";
    return {
      id,
      decision,
      policy,
      input: asks,
      expected: { allowed, ...(allowed ? {} : { reason: field(said, "reason") }) },
    };
  });
}

const files = ["subagent", "lineage", "handoff", "exec", "close", "call", "arguments", "limits", "harness"];
const all = hasCases ? files.flatMap(asked) : [];

describe.skipIf(!hasCases)("the cases of the specification", () => {
  it("are refused by the compiler where they shall be, and only there", () => {
    const wrong = refusals.filter(({ refused, errors }) => refused !== errors.length > 0);
    expect(wrong).toEqual([]);
  });

  it("are all there", () => {
    expect(refusals.length).toBe(2054);
  });

  it.each(decisionNames)("agree with the statement of %s", (decision) => {
    const mine = all.filter((one) => one.decision === decision);
    expect(
      failures(
        mine,
        mine.map((one) => statements[decision](one.policy, one.input)),
      ),
    ).toEqual([]);
  });
});

describe.skipIf(!hasCases).each(evaluators)("the cases by $name", (evaluator) => {
  it.each(decisionNames)("hold for %s", async (decision) => {
    const every = all.filter((one) => one.decision === decision);
    const mine = evaluator.compilesEach ? sampled(every, 1 / 30) : every;
    const batches: Batch[] = mine.map(({ policy, input }) => ({ policy, inputs: [input] }));
    const answers = await evaluator.decide(decision, batches);
    expect(
      failures(
        mine,
        answers.map((one) => one[0]),
      ),
    ).toEqual([]);
    expect(disagreements(batches, answers, decision)).toEqual([]);
  });
});

/** The cases whose answer lacks or contradicts something expected. `reasons` are those among the violations. */
function failures(cases: readonly Asked[], answers: readonly unknown[]): object[] {
  return cases.flatMap((one, i) => {
    const answer = answers[i];
    const wrong = Object.entries(one.expected).filter(([key, value]) => {
      if (key !== "reasons") return JSON.stringify(field(answer, key)) !== JSON.stringify(value);
      const violations = field(answer, "violations") as readonly unknown[];
      const reasons = new Set(violations.map((violation) => field(violation, "reason")));
      return JSON.stringify([...reasons].sort()) !== JSON.stringify(value);
    });
    return wrong.length === 0 ? [] : [{ id: one.id, wrong: Object.fromEntries(wrong), answer }];
  });
}
