/**
 * Every kind of edit that a reviewer may be shown, over four sets of our own and the example: what both policies answer to a space
 * of requests is held against what `diff`, the page of `explore --against` and `prove` say. None is silent, and none contradicts.
 */

import { describe, expect, it } from "vitest";
import {
  diffPolicies,
  exploreFacts,
  isProved,
  type OpenedPolicy,
  prove,
  proveNoMore,
} from "../../../../compiler/governance/review/index.ts";
import { OWN_REVISION } from "../../../../compiler/governance/review/search/approval-questions.ts";
import { SourceFile } from "../../../../compiler/rego/diagnostics/source-file.ts";
import { isWhole, SEED, sampled } from "../../../campaign.ts";
import { Random } from "../../../rego/plan/generate/random.ts";
import { opened } from "../opened.ts";
import { native } from "../solvers.ts";
import { ACCESS } from "./access-set.ts";
import { ARGUMENTS } from "./arguments-set.ts";
import { filesOf, mutantsOf } from "./edits.ts";
import { EXAMPLE } from "./example-set.ts";
import { LIMITS } from "./limits-set.ts";
import { expectMarked, expectRulesMarked } from "./marked-cells.ts";
import { PAPERS } from "./papers-set.ts";
import { type Differs, differences, OWN, under, type World } from "./requests.ts";

const WORLDS: Readonly<Record<string, World>> = { ACCESS, ARGUMENTS, LIMITS, PAPERS, EXAMPLE };
const ALL = Object.entries(WORLDS).flatMap(([set, { documents, places }]) =>
  [...mutantsOf(documents, places)].map((mutant) => ({ set, ...mutant })),
);
const NAMED = ALL.map((one) => [`${one.set}, ${one.kind}: ${one.name}`, one] as const);
/** A whole campaign tries this many, others with each seed. */
const WHOLE = 300;
/** One mutant in this many is shown to `diff` itself, too, which the page asks; and one to a solver, which takes seconds. */
const [DIFFED, SOLVED] = [5, 25];

type Changes = NonNullable<Awaited<ReturnType<typeof exploreFacts>>["changes"]>;

/** A share for `make test`; or as many as a whole campaign tries, in an order of the seed's. */
function tried(): typeof NAMED {
  if (!isWhole) return [...sampled(NAMED, 1 / 300)];
  const random = new Random(SEED);
  const drawn = NAMED.map((one) => ({ one, at: random.int(2 ** 30) })).sort((a, b) => a.at - b.at);
  return drawn.slice(0, WHOLE).map(({ one }) => one);
}

const bases = new Map<string, OpenedPolicy>();
async function base(set: string): Promise<OpenedPolicy> {
  const known = bases.get(set);
  if (known !== undefined) return known;
  const policy = await opened(filesOf((WORLDS[set] as World).documents));
  bases.set(set, policy);
  return policy;
}

it("there are 300 and more, no two alike", () => {
  const counts: Record<string, number> = {};
  for (const { kind } of ALL) counts[kind] = (counts[kind] ?? 0) + 1;
  if (process.env["PORTCULLIS_FIGURES"] !== undefined)
    process.stdout.write(`${ALL.length}: ${JSON.stringify(counts)}\n`);
  expect(ALL.length).toBeGreaterThanOrEqual(WHOLE);
  expect(new Set(ALL.map(({ set, documents }) => `${set} ${JSON.stringify(documents)}`)).size).toBe(ALL.length);
  expect(new Set(ALL.map(({ set, name }) => `${set} ${name}`)).size).toBe(ALL.length);
});

/** What the oracle found, the page names with its direction, or it says that something is not known. */
function expectNamed(differs: readonly Differs[], { decisions, found, unseen, contents }: Changes): void {
  const shown = (kind: Differs["kind"]): number =>
    decisions[kind].total + found.shown.filter((one) => one.kind === kind).length;
  if (differs.length > 0) expect(contents.total).toBeGreaterThan(0);
  for (const kind of ["newly-allowed", "newly-denied"] as const) {
    const example = differs.find((one) => one.kind === kind);
    if (example !== undefined) expect([example, shown(kind) + unseen.total]).not.toEqual([example, 0]);
  }
}

/** What the page shows, both policies answer. */
function expectTrue({ found, decisions }: Changes, before: OpenedPolicy, after: OpenedPolicy): void {
  const asked = (input: object): object => {
    const { approval } = input as { approval?: { policy_revision?: unknown } | null };
    return approval?.policy_revision === OWN_REVISION
      ? { ...input, approval: { ...approval, policy_revision: OWN } }
      : input;
  };
  const allowed = (decision: string, input: object): unknown[] =>
    [before, after].map(({ policy, data }) => {
      const answer = policy.evaluate(`portcullis/${decision}/decision`, under(asked(input), data));
      return (answer as { allowed?: unknown }).allowed;
    });
  const expected = { "newly-allowed": [false, true], "newly-denied": [true, false], "changed-reason": [false, false] };
  for (const { kind, decision, input, before: old } of found.shown)
    if (kind !== "changed-reason" || !old.allowed)
      expect([input, allowed(decision, input)]).toEqual([input, expected[kind]]);
  for (const kind of ["newly-allowed", "newly-denied"] as const)
    for (const { space, request } of decisions[kind].shown)
      if (space === "lane" || space === "tool") expect(allowed(space, request)).toEqual(expected[kind]);
}

/** Claims that a newly allowed request refutes, if ids can say it. */
function claimsAgainst(differs: readonly Differs[], { data }: OpenedPolicy): string[] {
  const { policy: tables } = (data as { portcullis: { policy: { [table: string]: object } } }).portcullis;
  const known = (table: string, id: unknown): boolean => Object.hasOwn(tables[table] ?? {}, String(id));
  const typed = (type: unknown): unknown => (known("manifests", type) ? type : "(unlisted)");
  const isOfChains = Object.keys(tables["manifests"] ?? {}).length > 0;
  const claims = differs.flatMap(({ kind, decision, input }): object[] => {
    if (kind !== "newly-allowed") return [];
    const { role, lane, tool, lineage, approval } = input as { [member: string]: never };
    const agents = Array.isArray(lineage) ? (lineage as { agent_type: string }[]) : [];
    const [root, agent] = [agents[0], agents.at(-1)].map((one) => typed(one?.agent_type));
    if (decision === "lineage") return agents.length > 0 && isOfChains ? [{ decision: "chain", root, agent }] : [];
    if (!known("roles", role) || !known("lanes", lane) || (decision !== "lane" && !known("tools", tool))) return [];
    if (decision === "lane") return [{ decision, role, lane }];
    if (decision === "tool") return [{ decision, role, lane, tool }];
    if (decision !== "call") return [];
    if (isOfChains && agents.length > 0) return [{ decision: "reach", root, agent, tool }];
    const { by, signature } = (approval ?? {}) as { by?: string; signature?: string };
    const approver = signature !== undefined && known("approvers", by) ? by : by === "zoe" ? "(unsigned)" : undefined;
    return [{ decision: "approval", role, lane, tool, approver: approval === null ? "(unapproved)" : approver }];
  });
  return [...new Set(claims.map((claim) => JSON.stringify({ never: claim })))].slice(0, 40);
}

async function expectNotProved(differs: readonly Differs[], after: OpenedPolicy): Promise<void> {
  const claims = claimsAgainst(differs, after);
  if (claims.length === 0) return;
  const file = new SourceFile("claims.yaml", `claims:\n${claims.map((claim) => `  - ${claim}\n`).join("")}`);
  const result = await prove(after, { claims: file, removals: 0 });
  if (!result.ok) throw new Error(result.problem.message);
  const proved = result.value.properties.slice(-result.value.claims).filter(isProved);
  expect(proved.map(({ name }) => name)).toEqual([]);
}

describe("nothing is silent, and nothing contradicts", () => {
  it.each(tried())("%s", async (_, { set, name, rows, documents }) => {
    const before = await base(set);
    const after = await opened(filesOf(documents));
    const { differs } = differences(before, after, WORLDS[set] as World, rows);
    const facts = await exploreFacts(after, before, {});
    const changes = facts.changes as Changes;
    expectNamed(differs, changes);
    expectTrue(changes, before, after);
    expectMarked(facts, before, after);
    expectRulesMarked(facts, before, after);
    await expectNotProved(differs, after);
    const at = ALL.findIndex((one) => one.set === set && one.name === name);
    if (at % DIFFED === 0) {
      const diff = await diffPolicies(before, after);
      if (!diff.ok) throw new Error(diff.problem.message);
      const { decisions, found, unseen, rules, contents } = changes;
      expect(
        Object.values(decisions)
          .map(({ total }) => total)
          .reduce((a, b) => a + b),
      ).toBe(diff.value.changes.length);
      expect([found, unseen, rules, contents].map(({ shown }) => shown)).toEqual([
        ...[diff.value.found, diff.value.unseen, diff.value.rules, diff.value.contents],
      ]);
    }
    if (native === undefined || at % SOLVED !== 0) return;
    const proofs = await proveNoMore(before, after, native);
    if (!proofs.ok) throw new Error(proofs.problem.message);
    // A proof for lists of this many elements at most says it, and knows nothing of a longer one.
    const proved = proofs.value.filter((one) => isProved(one) && one.proof?.upTo.length === 0);
    for (const { name: claim } of proved)
      expect(differs.filter((d) => d.kind === "newly-allowed" && claim.startsWith(`${d.decision}:`))).toEqual([]);
  });
});
