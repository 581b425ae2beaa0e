/** What a mutant has to survive: fixed requests to every decision that its module has a part in. */
import fc from "fast-check";
import { extensions, policies, requestsTo } from "../library/arbitraries.ts";
import { combinations, combined } from "../library/combinations.ts";
import { disagreements } from "../library/disagreements.ts";
import type { Batch, Evaluator } from "../library/evaluator.ts";
import { SEED } from "../library/runs.ts";
import { type DecisionName, decisionNames } from "../statements/index.ts";

/** The decisions in whose answers a module of the library has a part, the likeliest to notice first. */
export function decisionsOf(module: string): readonly DecisionName[] {
  switch (module) {
    case "lane.rego":
      return ["lane", "tool"];
    case "path.rego":
      return ["close", "exec"];
    case "text.rego":
      return ["subagent", "handoff", "close"];
    case "extension.rego":
      return ["lane", "handoff"];
    default:
      return decisionNames.filter((name) => `${name}.rego` === module);
  }
}

const POLICIES = 30;
const REQUESTS_A_POLICY = 100;

const batteries = new Map<DecisionName, Batch[]>();

function batteryOf(decision: DecisionName): Batch[] {
  const known = batteries.get(decision);
  if (known !== undefined) return known;
  const size = { minLength: REQUESTS_A_POLICY, maxLength: REQUESTS_A_POLICY, size: "max" } as const;
  const inputs = fc.array(requestsTo(decision), size);
  const plain = fc.sample(fc.record({ policy: policies, inputs }), { numRuns: POLICIES, seed: SEED });
  const extended = fc.record({ policy: policies, extension: extensions, inputs });
  // A stride that shares no factor with the number of outcomes still meets every one of them.
  const every = combinations[decision]?.() ?? [];
  const some = every.filter((_, i) => every.length < 5_000 || i % 11 === 0);
  const made = [
    { policy: combined, inputs: some },
    ...plain,
    ...fc.sample(extended, { numRuns: POLICIES / 2, seed: SEED + 1 }),
  ];
  batteries.set(decision, made);
  return made;
}

/** What told the mutant from the library: a disagreement, or a fault where there should be answers. */
export type Verdict =
  | { readonly kind: "Survived" }
  | { readonly kind: "Killed"; readonly decision: DecisionName; readonly input: unknown }
  | { readonly kind: "Faulty"; readonly message: string };

export async function judge(module: string, evaluator: Evaluator): Promise<Verdict> {
  for (const decision of decisionsOf(module)) {
    const battery = batteryOf(decision);
    try {
      // Most mutants are noticed at once; only what survives is asked everything.
      for (const part of [battery.slice(0, 6), battery.slice(6)]) {
        const [first] = disagreements(part, await evaluator.decide(decision, part), decision);
        if (first !== undefined) return { kind: "Killed", decision, input: first.input };
      }
    } catch (fault) {
      return { kind: "Faulty", message: fault instanceof Error ? fault.message : String(fault) };
    }
  }
  return { kind: "Survived" };
}
