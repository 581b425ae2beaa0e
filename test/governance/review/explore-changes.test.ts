/** The page of `explore --against` says all that `diff` says, for every way to change a policy set by one text; and none is silent. */

import { beforeAll, describe, expect, it } from "vitest";
import {
  diffPolicies,
  exploreFacts,
  type OpenedPolicy,
  type PolicyDiff,
  prove,
} from "../../../compiler/governance/review/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { sampled } from "../../campaign.ts";
import { MODEL, MODEL_MUTATIONS } from "./mutated-model.ts";
import { FILES, MUTATIONS } from "./mutated-rules.ts";
import { opened } from "./opened.ts";

type Facts = Awaited<ReturnType<typeof exploreFacts>>;
/** The cells of the page, which needs no browser for them. */
interface Cells {
  toolInLane(tool: string, lane: string, role?: string): { readonly state: string };
  roleInLane(role: string, lane: string): { readonly state: string };
}
const page: string = "../../../compiler/governance/review/explore/page/cells.mjs";
const { cellsOf } = (await import(page)) as { cellsOf: (facts: Facts, policies: object) => Cells };

const BASES = [FILES, MODEL] as const;
const ALL = [
  ...MUTATIONS.map(([file, from, to]) => [0, file, from, to] as const),
  ...MODEL_MUTATIONS.map(([file, from, to]) => [1, file, from, to] as const),
];
const before: OpenedPolicy[] = [];
beforeAll(async () => {
  for (const files of BASES) before.push(await opened(files));
}, 120_000);

const UNMARKED = ["allow", "request", "person", "deny"];

/** Decisions on a role that changed are marked in the tables of that role, and in those of every role. */
function expectMarked(cells: Cells, { changes }: PolicyDiff): void {
  for (const { space, kind, request } of changes) {
    const { role = "", lane = "", tool = "" } = request;
    if (kind === "changed-reason" || (space !== "lane" && space !== "tool")) continue;
    const states =
      space === "lane"
        ? [cells.roleInLane(role, lane).state]
        : [cells.toolInLane(tool, lane, role).state, cells.toolInLane(tool, lane).state];
    for (const state of states) expect(UNMARKED, JSON.stringify(request)).not.toContain(state);
  }
}

/** What is said otherwise of a tool that somebody may use is marked wherever it may be used. */
function expectRulesMarked(facts: Facts, cells: Cells): void {
  for (const { rule } of facts.changes?.rules.shown ?? []) {
    const tool = /^(?:approval|arguments) of (.*)$/.exec(rule)?.[1];
    if (tool === undefined) continue;
    const states = facts.lanes.map(([lane]) => cells.toolInLane(tool, lane).state);
    expect(states.filter((state) => state !== "deny").every((state) => !UNMARKED.includes(state))).toBe(true);
  }
}

/** What is newly allowed refutes the claim that it never is, which held before. */
async function expectRefuted(old: OpenedPolicy, now: OpenedPolicy, { changes }: PolicyDiff): Promise<void> {
  const change = changes.find(({ kind, space }) => kind === "newly-allowed" && (space === "lane" || space === "tool"));
  // What a gate of the house denied, another request with the same ids may have been allowed.
  if (change === undefined || change.before.gate === "SMALL") return;
  const claim = { decision: change.space, ...change.request };
  const ids = new Set([old, now].map(({ data }) => JSON.stringify(data).includes(`"${change.request["role"]}"`)));
  if (ids.has(false)) return;
  const claims = new SourceFile("claims.yaml", JSON.stringify({ claims: [{ never: claim }] }));
  const [held, holds] = await Promise.all([old, now].map((one) => prove(one, { claims })));
  const refutations = [held, holds].map((proof) =>
    proof?.ok ? proof.value.properties.at(-1)?.counterexamples.length : -1,
  );
  expect(refutations[1]).toBeGreaterThan(0);
  expect(refutations[0]).not.toBeGreaterThan(0);
}

describe("the page tells", () => {
  it.each(sampled(ALL, 1 / 15))("of set %i, %s: %s -> %s", { timeout: 300_000 }, async (set, file, from, to) => {
    const files = BASES[set] as Readonly<Record<string, string>>;
    expect(files[file]?.split(from)).toHaveLength(2);
    const [old, now] = [
      before[set] as OpenedPolicy,
      await opened({ ...files, [file]: (files[file] as string).replace(from, to) }),
    ];
    const result = await diffPolicies(old, now);
    if (!result.ok) throw new Error(result.problem.message);
    const diff = result.value;
    const facts = await exploreFacts(now, old, {});
    const { decisions, found, unseen, rules, contents, tooMany } = facts.changes as NonNullable<Facts["changes"]>;
    const list = (some: { readonly shown: readonly unknown[] }): readonly unknown[] => some.shown;
    expect(Object.values(decisions).flatMap(list)).toHaveLength(diff.changes.length);
    expect(diff.changes).toEqual(expect.arrayContaining(Object.values(decisions).flatMap(list)));
    expect([found, unseen, rules, contents].map(list)).toEqual([diff.found, diff.unseen, diff.rules, diff.contents]);
    expect(tooMany).toBe(false);
    // A difference that decides has its place in each source that has it, unless its author wrote it in Rego.
    expect(contents.total).toBeGreaterThan(0);
    const cells = cellsOf(facts, { now: now.policy, before: old.policy });
    expectMarked(cells, diff);
    expectRulesMarked(facts, cells);
    await expectRefuted(old, now, diff);
  });
});
