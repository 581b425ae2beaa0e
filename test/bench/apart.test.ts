/** Peers in processes of their own: who is timed, and what the tables say of those who are not. */

import { describe, expect, it } from "vitest";
import { askApart, type Question, type Run } from "../../bench/parts/apart.ts";
import type { Outside, Told } from "../../bench/peers/outside.ts";
import type { ApartRow, Results } from "../../bench/results.ts";
import { apartSections } from "../../bench/tables-apart.ts";
import { Absent } from "../hosts/installed.ts";

const ALLOW = { allowed: true, gate: "ALLOW" };
const DENY = { allowed: false, gate: "LANE_ROLE" };
const question = (kind: Question["kind"], what: string): Question => ({
  ...{ kind, what },
  checked: [
    { text: '{"n":0}', right: ALLOW },
    { text: '{"n":1}', right: DENY },
  ],
  timed: ['{"n":2}'],
});
const QUESTIONS = [question("lane", ""), question("lineage", "3 agents")];
const contender = (more: Partial<Outside>): Outside => ({
  ...{ name: "x", answers: "whole", command: async () => [[]] },
  ...more,
});

/** What asking gives, and for how many questions each run of the program was. */
async function asked(
  one: Outside,
  answers: (index: number) => readonly unknown[],
  nanos: readonly number[] = [30, 10, 20],
) {
  const runs: string[] = [];
  const run: Run = async (_, { ms, asked: questions }) => {
    runs.push(`${ms === 0 ? "checked" : "timed"} ${questions.map(({ kind }) => kind).join()}`);
    const told = questions.map((_question, i) =>
      ms === 0 ? { answers: answers(i), nanos: [] } : { answers: [], nanos },
    );
    return { version: "1.2.3", told } satisfies Told;
  };
  return { rows: await askApart([one], QUESTIONS, { warmMs: 1, ms: 1, batch: 1 }, run), runs };
}

describe("a peer in a process of its own", () => {
  it("is timed when all its answers are ours, whole or by verdict", async () => {
    const whole = await asked(contender({}), () => [ALLOW, DENY]);
    expect(whole.runs).toEqual(["checked lane,lineage", "timed lane,lineage"]);
    expect(whole.rows[0]).toEqual({
      ...{ kind: "lane", what: "", name: "x", version: "1.2.3" },
      timed: { decisions: 3, p50Ns: 20, p99Ns: 20 },
    });
    const verdict = await asked(contender({ answers: "verdict" }), () => [true, false]);
    expect(verdict.rows.every(({ timed }) => timed !== undefined)).toBe(true);
  });

  it.each<[string, Outside["answers"], readonly unknown[]]>([
    ["another gate", "whole", [ALLOW, { ...DENY, gate: "LANE" }]],
    ["a verdict where the whole answer is compared", "whole", [true, false]],
    ["another verdict", "verdict", [true, true]],
    ["no answer", "whole", []],
  ])("that gives %s is reported for that question, and not timed for it", async (_name, answers, given) => {
    const right = answers === "whole" ? [ALLOW, DENY] : [true, false];
    const { rows, runs } = await asked(contender({ answers }), (i) => (i === 0 ? given : right));
    expect(runs).toEqual(["checked lane,lineage", "timed lineage"]);
    const [wrong] = rows.filter(({ kind }) => kind === "lane");
    expect(wrong?.timed).toBeUndefined();
    expect(wrong?.missing).toEqual({ is: "wrong", why: expect.stringMatching(/^not timed: it answers .* is right$/) });
  });

  it("is not asked what it cannot decide", async () => {
    const { rows, runs } = await asked(contender({ cannot: { lineage: "no lists" } }), () => [ALLOW, DENY]);
    expect(runs).toEqual(["checked lane", "timed lane"]);
    expect(rows[1]?.missing).toEqual({ is: "cannot", why: "no lists" });
  });

  it.each<[Error, ApartRow["missing"]]>([
    [new Absent("no `cargo` on the PATH"), { is: "absent", why: "no `cargo` on the PATH" }],
    [new Error("panicked"), { is: "wrong", why: "it ended with an error: panicked" }],
  ])("that throws %s is said for every question", async (error, missing) => {
    const failing: Run = () => Promise.reject(error);
    const rows = await askApart([contender({})], QUESTIONS, { warmMs: 1, ms: 1, batch: 1 }, failing);
    expect(rows.map((row) => row.missing)).toEqual([missing, missing]);
  });
});

describe("the tables of a record", () => {
  const machine = { cpu: "c", cores: 2, memoryGb: 1, os: "o", node: "v20", loadAtStart: 0, loadAtEnd: 0 };
  const row = (name: string, more: Partial<ApartRow>): ApartRow => ({ kind: "lane", what: "", name, ...more });
  const timed = (p50Ns: number) => ({ version: "1", timed: { decisions: 9, p50Ns, p99Ns: 2 * p50Ns } });
  const peers = {
    ...{ revision: "r", date: "2026-01-02T00:00:00Z", machine, policy: "M" },
    rows: [
      row("ours", timed(100)),
      row("ours", { what: "3 agents", kind: "lineage", ...timed(1000) }),
      row("slow", { beside: "ours", ...timed(500) }),
      row("slow", { what: "3 agents", kind: "lineage", missing: { is: "cannot", why: "no lists" } }),
      row("liar", { missing: { is: "wrong", why: "not timed: it answers true" } }),
      row("liar", { what: "3 agents", kind: "lineage", missing: { is: "cannot", why: "no lists" } }),
      row("gone", { missing: { is: "absent", why: "no `cargo` on the PATH" } }),
      row("gone", { what: "3 agents", kind: "lineage", missing: { is: "absent", why: "no `cargo` on the PATH" } }),
    ],
  };

  it("have a row for each contender, also for the wrong and the absent, and notes that say why", () => {
    const [section, ...more] = apartSections({ peers } as unknown as Results);
    expect(more).toEqual([]);
    expect(section?.title).toMatch(/^Policies M: /);
    expect(section?.text).toContain("Revision r, 2026-01-02");
    expect(section?.rows).toEqual([
      ["", "version", "lane", "lineage, 3 agents"],
      ["ours", "1", "100 ns / 200 ns", "1.00 µs / 2.00 µs"],
      ["slow", "1", "500 ns / 1.00 µs ×5.0", "-"],
      ["liar", "-", "wrong", "-"],
      ["gone", "-", "absent", "absent"],
    ]);
    expect(section?.notes).toEqual([
      "slow, lineage; liar, lineage: no lists.",
      "liar, lane: not timed: it answers true.",
      "gone is absent: no `cargo` on the PATH.",
    ]);
  });

  it("are left out where nothing was measured", () => {
    expect(apartSections({} as Results)).toEqual([]);
  });
});
