/** Proofs for all requests agree with asking, between solvers, and find what a mutant of the library lets through. */

import { describe, expect, it } from "vitest";
import {
  type OpenedPolicy,
  type Property,
  prove,
  proveNoMore,
  type Solver,
} from "../../../compiler/governance/review/index.ts";
import { readAnswer } from "../../../compiler/governance/review/prove/symbolic/solver.ts";
import type { Policy } from "../../../runtime/index.ts";
import { sampled } from "../../campaign.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { withModule } from "./mutated-library.ts";
import { opened } from "./opened.ts";
import { callsTo, requestsTo } from "./policy-requests.ts";
import { filesOf, type PolicySet, randomSet, WEAKENINGS } from "./policy-sets.ts";
import { native, npm, npmAnswers } from "./solvers.ts";
import { claimed, DRAFTS, EXTENDED, SMALL, verdictOf, z3 } from "./symbolic-claims.ts";

/** Policies of which four claims each are proved; `make fuzz WITH=z3` tries more, and more policies that are weakened. */
const POLICIES = Number(process.env["PORTCULLIS_CLAIMED"] || 30);
const WEAKENED = Math.ceil(POLICIES / 30);

interface Claim {
  readonly holds: "never" | "always";
  readonly decision: "lane" | "tool" | "call";
  readonly ids: { readonly [axis: string]: string };
}

function randomClaim(random: Random, set: PolicySet): Claim {
  const decision = random.chance(0.2) ? "lane" : random.chance(0.5) ? "tool" : "call";
  const axes = { role: set.roles, lane: set.lanes.map(({ id }) => id), tool: set.tools.map(({ id }) => id) };
  const ids = Object.entries(axes).flatMap(([axis, from]) =>
    (decision === "lane" && axis === "tool") || random.chance(0.25)
      ? []
      : [[axis, from[random.int(from.length)] as string] as const],
  );
  return { holds: random.chance(0.7) ? "never" : "always", decision, ids: Object.fromEntries(ids) };
}

const inYaml = ({ holds, decision, ids }: Claim): string => `${holds}: ${JSON.stringify({ decision, ...ids })}`;

const allows = (policy: Policy, decision: string, request: unknown): boolean =>
  (policy.evaluate(`portcullis/${decision}/decision`, request) as { allowed?: unknown } | undefined)?.allowed === true;

describe.skipIf(native === undefined)("claims on generated policies", () => {
  const seeds = Array.from({ length: POLICIES }, (_, i) => i);
  const texts: string[] = [];
  const verdicts: string[] = [];
  const recording: Solver = async (text) => {
    const answer = await z3(text);
    texts.push(text);
    verdicts.push(readAnswer(answer).verdict);
    return answer;
  };

  it.each(sampled(seeds, 2 / POLICIES))("agree with asking: policy %i", async (seed) => {
    const random = new Random(seed);
    const set = randomSet(random);
    const policy = await opened(filesOf(set));
    const requests = [...requestsTo(set), ...callsTo(set, random, 2000)];
    const claims = Array.from({ length: 4 }, () => randomClaim(random, set));
    for (const [i, property] of (await claimed(policy, claims.map(inYaml), recording)).entries()) {
      const claim = claims[i] as Claim;
      const { holds, decision, ids } = claim;
      const isRefuted = requests.some(
        (request) =>
          Object.entries(ids).every(([axis, id]) => request[axis] === id) &&
          allows(policy.policy, decision, request) === (holds === "never"),
      );
      const verdict = verdictOf(property);
      // Calls read more than the fragment has: of some it is not known.
      if (decision !== "call") expect([claim, verdict]).not.toEqual([claim, "unknown"]);
      // What asking finds, the solver finds; what the solver finds is asked here again, without it.
      if (isRefuted) expect([claim, verdict]).not.toEqual([claim, "proved"]);
      for (const { request } of property.counterexamples) {
        expect(request).toMatchObject(ids);
        expect(allows(policy.policy, decision, request)).toBe(holds === "never");
      }
    }
  });

  it.skipIf(npm === undefined)("are answered alike by both solvers", async () => {
    // Most claims are refuted by asking. One of these is for the solver to refute, and one to prove, whatever the sample.
    const policy = await opened(EXTENDED('must contains "A" if is_array(input.args.x)'));
    await claimed(policy, [DRAFTS, "never: { decision: tool, tool: erase }"], recording);
    const others = npmAnswers(npm ?? "", texts).map((answer) => readAnswer(answer).verdict);
    expect(others).toEqual(verdicts);
    expect(new Set(verdicts)).toEqual(new Set(["sat", "unsat"]));
  });
});

it.skipIf(native === undefined)("a solver that thinks of no object is asked for one", async () => {
  const policy = await opened(SMALL);
  // The request is the first unknown, and null the second kind: it likes null best, as some do.
  const liking: Solver = (text) => z3(text.replace("(check-sat-using smt)", "(assert-soft (= k0 1))\n(check-sat)"));
  const [property] = await claimed(policy, ["always: { decision: lane }"], liking);
  expect(verdictOf(property as Property)).toBe("refuted");
});

describe.skipIf(native === undefined)("`no request is newly allowed` agrees with asking", () => {
  const cases = WEAKENINGS.flatMap(([name], at) =>
    Array.from({ length: WEAKENED }, (_, seed) => [name, at, seed] as const),
  );
  it.each(sampled(cases, 1 / cases.length))("%s", async (_, at, seed) => {
    const random = new Random(100 + seed);
    const set = randomSet(random);
    const [, weaken] = WEAKENINGS[at] as (typeof WEAKENINGS)[number];
    const weaker = weaken(set, random);
    const [before, after] = [await opened(filesOf(set)), await opened(filesOf(weaker))];
    for (const [older, newer] of [
      [before, after],
      [after, before],
    ] as const) {
      const result = await proveNoMore(older, newer, z3);
      if (!result.ok) throw new Error(result.problem.message);
      for (const property of result.value) {
        const decision = property.name.split(":")[0] as string;
        const isMore = [...requestsTo(set), ...requestsTo(weaker), ...callsTo(weaker, random, 2000)].some(
          (request) => allows(newer.policy, decision, request) && !allows(older.policy, decision, request),
        );
        if (decision !== "call") expect(verdictOf(property)).not.toBe("unknown");
        if (isMore) expect(verdictOf(property)).not.toBe("proved");
        for (const { request } of property.counterexamples)
          expect([older, newer].map(({ policy }) => allows(policy, decision, request))).toEqual([false, true]);
      }
    }
  });
});

/** A module of the library, what stands in it, and what a mutant has there: each lets something through. */
const MUTANTS: readonly (readonly [module: string, from: string, to: string])[] = [
  ["lane", "role_allowed if policy.lanes[input.lane].roles[input.role]", "role_allowed if policy.lanes[input.lane]"],
  ["lane", "role_allowed if policy.lanes[input.lane].roles[input.role]", "role_allowed if input.role"],
  ["lane", "\tnot role_allowed\n", "\tnot lane_defined\n"],
  ["lane", '"allowed": false, "gate": "LANE_ROLE"', '"allowed": true, "gate": "LANE_ROLE"'],
  ["lane", '"allowed": false, "gate": "LANE"', '"allowed": true, "gate": "LANE"'],
  ["lane", '"allowed": false, "gate": "ROLE"', '"allowed": true, "gate": "ROLE"'],
  [
    "lane",
    "role_allowed if policy.lanes[input.lane].roles[input.role]",
    'role_allowed if policy.lanes[input.lane].roles[input.role]\n\nrole_allowed if startswith(input.role, "ED")',
  ],
  ["tool", "\tnot lane.decision.allowed\n", "\tnot lane.role_defined\n"],
  [
    "tool",
    "tool_in_lane if policy.lanes[input.lane].tools[input.tool]",
    "tool_in_lane if policy.lanes[_].tools[input.tool]",
  ],
  ["tool", "\tnot tool_in_lane\n", "\tnot tool_registered\n"],
  ["tool", "\tnot tool_implemented\n", "\tnot tool_registered\n"],
  [
    "tool",
    'tool_implemented if policy.tools[input.tool].implementation_status == "implemented"',
    "tool_implemented if policy.tools[input.tool].implementation_status",
  ],
  ["tool", '"allowed": false, "gate": "TOOL_IMPLEMENTED"', '"allowed": true, "gate": "TOOL_IMPLEMENTED"'],
  [
    "tool",
    '"allowed": false, "gate": "TOOL_ENABLED", "reason": "tool_disabled"',
    '"allowed": true, "gate": "TOOL_ENABLED", "reason": "tool_disabled"',
  ],
  [
    "tool",
    "} else := verdict\n",
    '} else := verdict if {\n\tcount(input.scope) < 2\n} else := {"allowed": true, "gate": "ALLOW", "reason": "tool_allowed"}\n',
  ],
];

/** The policy with another library. */
async function mutated(policy: OpenedPolicy, module: string, from: string, to: string): Promise<OpenedPolicy> {
  const text = new TextDecoder().decode(policy.files.get(`portcullis/${module}.rego`));
  expect(text).toContain(from);
  const other = await withModule(policy, `${module}.rego`, text.replace(from, to));
  if (other === undefined) throw new Error("it does not compile");
  return other;
}

describe.skipIf(native === undefined)("a mutant of the library", () => {
  it.each(sampled(MUTANTS, 1 / 6))("is found by what holds of every policy: %s: %s", async (module, from, to) => {
    const policy = await mutated(await opened(SMALL), module, from, to);
    const result = await prove(policy, { solver: z3, removals: 0 });
    if (!result.ok) throw new Error(result.problem.message);
    const proofs = result.value.properties.filter(({ proof }) => proof !== undefined);
    expect(proofs).toHaveLength(2);
    expect(proofs.map(verdictOf)).toContain("refuted");
    expect(proofs.map(verdictOf)).not.toContain("unknown");
  });

  it("that changes nothing is not found", async () => {
    const policy = await mutated(await opened(SMALL), "lane", "\tis_string(input.role)\n", "");
    const result = await prove(policy, { solver: z3, removals: 0 });
    if (!result.ok) throw new Error(result.problem.message);
    expect(result.value.properties.filter(({ proof }) => proof !== undefined).map(verdictOf)).toEqual([
      "proved",
      "proved",
    ]);
  });
});
