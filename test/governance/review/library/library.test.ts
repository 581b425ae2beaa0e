/**
 * What the specification says of calls, chains, turns, arguments and limits, as claims: they hold of the library, and a mutant of it
 * that lets something through is found by them alone. The mutants are those of `make mutation`.
 */

import { afterAll, describe, expect, it } from "vitest";
import { answerOf, verdictOf as saidBy } from "../../../../compiler/governance/review/decision-space.ts";
import { type OpenedPolicy, type Property, prove } from "../../../../compiler/governance/review/index.ts";
import { SourceFile } from "../../../../compiler/rego/diagnostics/source-file.ts";
import { sampled } from "../../../campaign.ts";
import { letsThrough } from "../../../mutation/battery.ts";
import { explanationOf } from "../../../mutation/equivalents.ts";
import { type Mutant, mutantsOf } from "../../../mutation/mutants.ts";
import { operatorMutantsOf } from "../../../mutation/operator-mutants.ts";
import { subjectOf } from "../../../mutation/questions.ts";
import { libraryModules } from "../../library/library-modules.ts";
import { withModule } from "../mutated-library.ts";
import { opened } from "../opened.ts";
import { native } from "../solvers.ts";
import { verdictOf, z3 } from "../symbolic-claims.ts";
import { ARGUMENTS } from "./arguments-world.ts";
import { CALLS } from "./calls-world.ts";
import { PLACED, TOLD } from "./chains-worlds.ts";
import { houseOf } from "./house-world.ts";
import { LIMITS } from "./limits-world.ts";
import { PEOPLE } from "./people-world.ts";
import { reasonOf, unmet } from "./unclaimed.ts";
import { allowedIn, claimsOf, type World } from "./world.ts";

const HOUSES = (["lane", "tool"] as const).map(houseOf);

/** By module: the policy sets whose claims speak of it, those that need no solver first. */
const SETS: Readonly<Record<string, readonly World[]>> = {
  "agents.rego": [PEOPLE],
  "call.rego": [houseOf("call"), ARGUMENTS, CALLS, PLACED, TOLD, LIMITS],
  "lineage.rego": [houseOf("lineage"), PLACED, TOLD],
  "subagent.rego": [PEOPLE, houseOf("subagent")],
};
/** Those of modules whose mutants are not all looked at yet are held against the library alone. */
const WORLDS = [...new Set([...Object.values(SETS).flat(), ...HOUSES])];
const library = libraryModules();
const MUTANTS = library
  .filter(({ name }) => name in SETS)
  .flatMap((module) => [...mutantsOf(module), ...operatorMutantsOf(module)])
  .filter((mutant) => explanationOf(mutant) === undefined);

/** All of them take a quarter of an hour: `make fuzz WITH=z3`. */
const WHOLE = process.env["PORTCULLIS_CLAIMED"] === undefined ? 1 / 8 : 1;

/** What comes of a mutant; `closed`: no request of `make mutation`'s battery is let through, and no claim is refuted. */
type Outcome = "found" | "closed" | "listed" | "refused by the compiler";
const outcomes = new Map<Outcome, number>();

const policies = new Map<World, OpenedPolicy>();
/** Requests that some mutant let through, by the set whose own gates denied them. */
const letIn = new Map<World, unknown[]>();

const needsSolver = ({ gates }: World): boolean => gates.length > 0;

async function policyOf(world: World): Promise<OpenedPolicy> {
  const policy = policies.get(world) ?? (await opened(world.files));
  policies.set(world, policy);
  return policy;
}

async function claimed(policy: OpenedPolicy, world: World, claims: readonly string[]): Promise<readonly Property[]> {
  const text = `claims:\n${claims.map((claim) => `  - ${claim}\n`).join("")}`;
  const solving = needsSolver(world) ? { solver: z3 } : {};
  const result = await prove(policy, { claims: new SourceFile("claims.yaml", text), removals: 0, ...solving });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value.properties.slice(-claims.length);
}

/** Whether a mutant refutes a claim of the set. The counterexamples are asked of it, and of the library, once more. */
async function isFoundIn(world: World, { module, text }: Mutant): Promise<boolean | undefined> {
  const policy = await policyOf(world);
  const mutant = await withModule(policy, module, text);
  if (mutant === undefined) return undefined;
  const properties = await claimed(mutant, world, claimsOf(world));
  const decide = ({ policy: asked }: OpenedPolicy, request: unknown): unknown =>
    asked.evaluate("portcullis/call/decision", request);
  const isDeniedByOwn = (of: OpenedPolicy, request: unknown): boolean => {
    const { allowed, gate } = answerOf(decide(of, request));
    return !allowed && world.gates.includes(gate);
  };
  for (const property of properties) {
    const isProof = property.proof !== undefined;
    for (const { request } of property.counterexamples) {
      const { entrypoint, input } = (isProof ? {} : request) as { entrypoint?: string; input?: unknown };
      if (isProof) {
        expect([isDeniedByOwn(mutant, request), isDeniedByOwn(policy, request)]).toEqual([true, false]);
        expect(answerOf(decide(policy, request)).allowed).toBe(false);
        letIn.set(world, [...(letIn.get(world) ?? []), request]);
      } else if (entrypoint !== undefined) {
        const said = [mutant, policy].map((of) => saidBy(of.policy.evaluate(entrypoint, input)));
        expect([input, ...said]).toEqual([input, true, false]);
      }
    }
    // What is proved, no request breaks that another mutant let in.
    if (isProof && verdictOf(property) === "proved")
      expect((letIn.get(world) ?? []).filter((request) => isDeniedByOwn(mutant, request))).toEqual([]);
  }
  return properties.some((property) => verdictOf(property) === "refuted");
}

async function outcomeOf(mutant: Mutant): Promise<Outcome> {
  const worlds = SETS[mutant.module] ?? [];
  const listed = reasonOf(mutant);
  const find = async (some: readonly World[]): Promise<Outcome | undefined> => {
    for (const world of some) {
      const isFound = await isFoundIn(world, mutant);
      if (isFound !== false) return isFound === true ? "found" : "refused by the compiler";
    }
    return undefined;
  };
  const soon = await find(worlds.filter((world) => !needsSolver(world)));
  if (soon !== undefined) return soon;
  const { module, text } = mutant;
  const changed = library.map((one) => (one.name === module ? { name: module, text } : one));
  if (!(await letsThrough(module, subjectOf(changed)))) return "closed";
  const later = await find(worlds.filter(needsSolver));
  if (later !== undefined) return later;
  expect(listed, "it lets something through").toBeDefined();
  return "listed";
}

describe("hold of the library", () => {
  for (const [at, world] of sampled([...WORLDS.entries()], 1 / 3))
    it.skipIf(needsSolver(world) && native === undefined)(`set ${at}`, async () => {
      const properties = await claimed(await policyOf(world), world, [...claimsOf(world), ...allowedIn(world)]);
      const others = properties.filter((property) => verdictOf(property) !== "proved");
      expect(others).toEqual([]);
    });
});

describe.skipIf(native === undefined)("find what lets something through", () => {
  const cases = sampled(MUTANTS, 1 / 200, WHOLE).map(
    (mutant) =>
      [
        `${mutant.module}:${mutant.line} ${mutant.operation}: ${mutant.written.slice(0, 60)} -> ${mutant.to.slice(0, 40).replace(/\s+/g, " ")}`,
        mutant,
      ] as const,
  );

  it.each(cases)("%s", async (_, mutant) => {
    const outcome = await outcomeOf(mutant);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (outcome === "found") expect(reasonOf(mutant)).toBe(undefined);
  });

  it("no entry of the list is left over", () => {
    for (const mutant of MUTANTS) reasonOf(mutant);
    expect(unmet(Object.keys(SETS))).toEqual([]);
  });

  afterAll(() => {
    if (process.env["PORTCULLIS_FIGURES"] !== undefined)
      process.stdout.write(`${cases.length} mutants: ${JSON.stringify(Object.fromEntries(outcomes))}\n`);
  });
});
