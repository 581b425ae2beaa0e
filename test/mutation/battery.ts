/** What a mutant has to survive: fixed requests to every decision that its module has a part in. */
import fc from "fast-check";
import { SEED } from "../campaign.ts";
import { type Adapter, adapters } from "../governance/library/adapter-requests.ts";
import { approvalCalls, approvalPolicy } from "../governance/library/approval-calls.ts";
import { extensions, requestsTo, requirements } from "../governance/library/arbitraries.ts";
import { policies } from "../governance/library/arbitrary-policies.ts";
import { argumentCalls, argumentPolicy } from "../governance/library/argument-calls.ts";
import { combinations, combined, oneByOne } from "../governance/library/combinations.ts";
import { type Batch, EvaluationFault, RefusedModules } from "../governance/library/evaluator.ts";
import { limitCalls, limitPolicy } from "../governance/library/limit-calls.ts";
import { right } from "../governance/library/right-requests.ts";
import { withFolds } from "../governance/library/with-folds.ts";
import type { Extension, Requirements } from "../statements/extension.ts";
import { type DecisionName, decisionNames, statements } from "../statements/index.ts";
import {
  type Questions,
  questionsAboutFault,
  questionsTo,
  questionsToAdapter,
  questionsUnder,
  type Subject,
} from "./questions.ts";

/** The decisions in whose answers a module of the library has a part, the likeliest to notice first. */
export function decisionsOf(module: string): readonly DecisionName[] {
  switch (module) {
    case "lane.rego":
      return ["lane", "tool"];
    case "approval.rego":
    case "arguments.rego":
    case "limits.rego":
      return ["call"];
    case "agents.rego":
      return ["call", "subagent"];
    case "handoff_artifacts.rego":
    case "handoff_mutations.rego":
    case "handoff_next_action.rego":
    case "handoff_outcome.rego":
    case "handoff_report.rego":
    case "handoff_roles.rego":
      return ["handoff"];
    case "path.rego":
      return ["close", "exec", "handoff"];
    case "text.rego":
      return ["subagent", "handoff", "close"];
    case "extension.rego":
      return ["lane", "handoff"];
    default:
      return decisionNames.filter((name) => `${name}.rego` === module);
  }
}

const denial = { gate: "FREEZE", reason: "frozen" };

/** Answers of extensions, each unreadable in one way, and a good one: what is unreadable denies in words of its own. */
const answers: readonly Extension[] = [
  // A list of good denials is no set of them.
  { kind: "Value", value: [denial] },
  ...[
    denial,
    { ...denial, gate: "" },
    { ...denial, gate: 1 },
    { gate: "FREEZE", reason: "" },
    { gate: "FREEZE", reason: 1 },
    { gate: "FREEZE" },
    { reason: "frozen" },
    { ...denial, gate: "ALLOW" },
  ].map((answer): Extension => ({ kind: "Set", answers: [answer] })),
];

/** Names that only their order, their reasons or the rules that are true tell apart. */
const demands: readonly Requirements[] = [
  { gates: { B: "b", A: "a" }, met: ["A", "B"] },
  { gates: { B: "b", A: "a" }, met: ["A"] },
  { gates: { B: "b", A: "a" }, met: ["B"] },
  { gates: { B: "b", A: "a" }, met: [] },
];

const pathOf = (name: DecisionName): string => `portcullis/${name}/decision`;

/** A chain that is longer than the library takes where the policy does not say how long it may be. */
const chain = Array.from({ length: 65 }, (_, i) => ({ agent_type: "a", spawn_depth: i, agent_id: `x${i}` }));
const { max_chain: _, ...lineage } = combined.settings.lineage;
const { required_fields: __, ...handoff } = combined.handoff;

/** Policies that do not say what the library has a default for, and say it. */
const unsaid: { readonly [D in DecisionName]?: Questions[] } = {
  lineage: [
    questionsUnder(
      pathOf("lineage"),
      { ...combined, settings: { ...combined.settings, lineage } },
      [{ lineage: chain }],
      (input) =>
        statements.lineage(
          { ...combined, settings: { ...combined.settings, lineage: { ...lineage, max_chain: 64 } } },
          input,
        ),
    ),
  ],
  handoff: [
    questionsUnder(
      pathOf("handoff"),
      withFolds({ ...combined, handoff } as typeof combined),
      [right.handoff],
      (input) => statements.handoff({ ...combined, handoff: { ...handoff, required_fields: [] } }, input),
    ),
  ],
};

const POLICIES = 30;
const REQUESTS_A_POLICY = 100;

const batteries = new Map<string, Questions[]>();

/** All questions in whose answers a module has a part. */
function batteryOf(module: string): Questions[] {
  const known = batteries.get(module);
  if (known !== undefined) return known;
  const asked: readonly Adapter[] = adapters.filter(
    (one) => module === "adapter.rego" || module === `${one.split("/")[1]}.rego`,
  );
  const decisions = decisionsOf(module);
  const entrypoints = [...asked, ...decisions.filter((name) => `${name}.rego` === module).map(pathOf)];
  const made = [
    ...asked.map(questionsToAdapter),
    ...decisions.flatMap(questionsOf),
    ...decisions.flatMap((name) => unsaid[name] ?? []),
    ...entrypoints.map(questionsAboutFault),
  ];
  batteries.set(module, made);
  return made;
}

function questionsOf(decision: DecisionName): Questions[] {
  return batchesOf(decision).map((batch) => questionsTo(decision, batch));
}

/** Under this one signatures do not lapse. */
const lasting = { ...combined, exec: { ...combined.exec, hat_lifetime_seconds: null } };

/** Calls whose arguments raise what lane or tool prohibit, or say that they do not. */
const flagged = ["loud", "bulk", "quiet"].flatMap((flag) =>
  [true, 1, "", {}, false, null].map((value) => ({ ...right.call, args: { [flag]: value } })),
);

function batchesOf(decision: DecisionName): Batch[] {
  const size = { minLength: REQUESTS_A_POLICY, maxLength: REQUESTS_A_POLICY, size: "max" } as const;
  const inputs = fc.array(requestsTo(decision), size);
  const plain = fc.sample(fc.record({ policy: policies, inputs }), { numRuns: POLICIES, seed: SEED });
  const extended = fc.record({ policy: policies, extension: extensions, inputs });
  const demanding = fc.record({ policy: policies, requirements, inputs });
  // A stride that shares no factor with the number of outcomes still meets every one of them.
  const every = decision in combinations ? combinations[decision as keyof typeof combinations]() : [];
  const some = every.filter((_, i) => every.length < 5_000 || i % 37 === 0);
  return [
    ...(decision === "call" ? [{ policy: argumentPolicy, inputs: argumentCalls() }] : []),
    ...(decision === "call" ? [{ policy: approvalPolicy, inputs: approvalCalls() }] : []),
    ...(decision === "call" ? [{ policy: limitPolicy, inputs: limitCalls }] : []),
    ...(decision === "call" ? [{ policy: combined, inputs: flagged }] : []),
    ...(decision === "exec" ? [{ policy: lasting, inputs: oneByOne.exec() }] : []),
    { policy: combined, inputs: [...oneByOne[decision](), ...some] },
    ...plain,
    ...answers.map((extension) => ({ policy: combined, extension, inputs: [right[decision]] })),
    ...demands.map((demanded) => ({ policy: combined, requirements: demanded, inputs: [right[decision], {}] })),
    ...demands.map((demanded) => ({
      ...{ policy: combined, requirements: demanded, inputs: [right[decision]] },
      extension: { kind: "Set" as const, answers: [denial] },
    })),
    ...fc.sample(extended, { numRuns: POLICIES / 2, seed: SEED + 1 }),
    ...fc.sample(demanding, { numRuns: POLICIES / 2, seed: SEED + 2 }),
  ];
}

/** Whether the mutant allows a request that the statements deny. */
export async function letsThrough(module: string, subject: Subject): Promise<boolean> {
  for (const questions of batteryOf(module)) {
    try {
      if (await questions.areLetThrough(subject)) return true;
    } catch (fault) {
      // What cannot be decided is denied.
      if (!(fault instanceof EvaluationFault || fault instanceof RefusedModules)) throw fault;
    }
  }
  return false;
}

/** Whether the suite told the mutant from the library, by a wrong answer or by none; or whether it is no Rego at all. */
export type Verdict = "survived" | "killed" | "refused";

/** `subject`: the library with the change in `module`. */
export async function judge(module: string, subject: Subject): Promise<Verdict> {
  const battery = batteryOf(module);
  for (const [i, questions] of battery.entries()) {
    try {
      if (!(await questions.tellApart(subject))) continue;
    } catch (fault) {
      if (fault instanceof RefusedModules) return "refused";
      if (!(fault instanceof EvaluationFault)) throw fault;
    }
    // What has told one mutant is asked of the next one earlier.
    if (i > 1) battery.splice(1, 0, ...battery.splice(i, 1));
    return "killed";
  }
  return "survived";
}
