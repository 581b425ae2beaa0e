/** `@portcullis/runtime/testing`: it answers what its table says, refuses everything else, and never allows by accident. */

import { DECISION_KINDS, guardTool } from "@portcullis/runtime";
import { type AnswerRow, answerTable, type DecisionMatchers, decisionMatchers } from "@portcullis/runtime/testing";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Ids } from "../../../generated/types.ts";

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: vitest declares it so.
  interface Matchers<T = any> extends DecisionMatchers<T> {}
}
beforeAll(() => expect.extend(decisionMatchers));

const asks = { role: "WRITER", lane: "DRAFTING", tool: "draft.create" } as const;
const rows: readonly AnswerRow<Ids>[] = [
  { kind: "tool", request: asks, decision: { allowed: true, gate: "ALLOW", reason: "tool_allowed" } },
  {
    kind: "tool",
    request: { ...asks, tool: "payout.release", scope: { amount_cents: 9 } },
    decision: { allowed: false, gate: "PAYOUT_LIMIT", reason: "payout_above_limit" },
  },
  {
    kind: "call",
    request: { ...asks, args: { n: 1 } },
    decision: { allowed: true, gate: "ALLOW", reason: "call_allowed" },
  },
];

describe("a table of answers", () => {
  it("answers its questions, whatever the order of members, and handles as their texts", () => {
    const { policy, refused, unasked } = answerTable<Ids>(rows);
    expect(policy.tool({ tool: "draft.create", lane: "DRAFTING", role: policy.intern("WRITER") })).toAllow();
    expect(policy.evaluate("portcullis/tool/decision", asks)).toAllow();
    expect(policy.evaluateJson("portcullis/tool/decision", JSON.stringify(asks))).toAllow();
    expect(policy.batch("tool", [asks])[0]).toAllow();
    const denied = policy.tool({ ...asks, tool: "payout.release", scope: { amount_cents: 9 } });
    expect(denied).toDeny({ gate: "PAYOUT_LIMIT", reason: "payout_above_limit" });
    expect(Object.isFrozen(denied)).toBe(true);
    expect(refused).toEqual([]);
    expect(unasked()).toEqual([rows[2]]);
    expect(policy.revision).toBe("answer-table");
  });

  it("refuses what it lacks, says so, and keeps the question", () => {
    const { policy, refused } = answerTable<Ids>(rows);
    const near = [
      { ...asks, tool: "draft.revise" },
      { ...asks, scope: {} },
      { ...asks, scope: null },
    ] as const;
    for (const request of near) expect(policy.tool(request)).toDeny({ gate: "INTERNAL_ERROR" });
    expect(policy.lane({ role: "WRITER", lane: "DRAFTING" })).toDeny({ gate: "INTERNAL_ERROR" });
    expect(refused.map((r) => r.input)).toEqual(near);
    policy.tool(near[0]);
    expect(policy.lastFault?.message).toBe(
      'the table has no answer for portcullis/tool/decision {"role":"WRITER","lane":"DRAFTING","tool":"draft.revise"}',
    );
    expect(policy.evaluateJson("portcullis/tool/decision", "{")).toBeUndefined();
  });

  it("never allows what no row allows", () => {
    const { policy } = answerTable([{ ...rows[0] } as AnswerRow]);
    const empty = answerTable([]).policy;
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom(...DECISION_KINDS), (request, kind) => {
        expect(policy.batch(kind, [request as never])[0]?.allowed).toBe(false);
        expect(empty.batch(kind, [request as never])[0]?.allowed).toBe(false);
      }),
      { numRuns: 300 },
    );
    const shifty = {
      ...asks,
      get tool() {
        return "draft.create" as const;
      },
    };
    expect(policy.tool(shifty)).toDeny();
    expect(policy.tool(Object.create(asks) as typeof asks)).toDeny();
  });

  it("refuses tables that could be read in two ways, and answers that are not decisions", () => {
    expect(() => answerTable<Ids>([...rows, rows[0] as AnswerRow<Ids>])).toThrow(
      "two rows answer the same question: tool",
    );
    for (const decision of [
      undefined,
      true,
      {},
      { allowed: true },
      { allowed: true, gate: "TOOL", reason: "r" },
      { allowed: false, gate: "ALLOW", reason: "r" },
      { allowed: "true", gate: "ALLOW", reason: "r" },
    ])
      expect(() => answerTable([{ kind: "tool", request: asks, decision: decision as never }])).toThrow(
        "is no decision",
      );
    const lane = { role: "WRITER", lane: "DRAFTING" };
    // @ts-expect-error: a reason that there is not.
    const row: AnswerRow = { kind: "lane", request: lane, decision: { allowed: false, gate: "ROLE", reason: "no" } };
    expect(answerTable([row]).policy.lane(lane)).toDeny();
  });

  it("stands behind a guard", async () => {
    const { policy, refused } = answerTable<Ids>(rows);
    const create = guardTool(
      policy,
      { role: "WRITER", lane: "DRAFTING" },
      "draft.create",
      (args: { n: number }) => args.n,
    );
    expect(await create({ n: 1 })).toMatchObject({ allowed: true, value: 1 });
    expect(await create({ n: 2 })).toMatchObject({ allowed: false });
    expect(refused).toHaveLength(1);
  });
});

describe("matchers", () => {
  const allow = { allowed: true, gate: "ALLOW", reason: "tool_allowed" } as const;
  const denial = { allowed: false, gate: "TOOL", reason: "tool_not_registered" } as const;

  it("say what was expected and what was found", () => {
    expect(allow).toAllow();
    expect(allow).not.toDeny();
    expect(denial).not.toAllow();
    expect(denial).toDeny();
    expect(denial).toDeny({ gate: "TOOL" });
    expect(denial).not.toDeny({ reason: "other" as never });
    expect(() => expect(denial).toAllow()).toThrow(
      'expected an allow, and it is a denial by TOOL: "tool_not_registered"',
    );
    expect(() => expect(allow).toDeny()).toThrow('expected a denial, and it is an allow: "tool_allowed"');
    // @ts-expect-error: a gate that this decision cannot have.
    expect(() => expect(denial).toDeny({ gate: "LANE" })).toThrow(
      "expected a denial by LANE, and it is a denial by TOOL",
    );
  });

  it("take only decisions, in either sense", () => {
    for (const other of [
      undefined,
      null,
      true,
      {},
      { allowed: true },
      { allowed: true, gate: "TOOL", reason: "r" },
      { allowed: 1, gate: "ALLOW", reason: "r" },
    ]) {
      expect(() => expect(other).toAllow()).toThrow("no decision");
      expect(() => expect(other).not.toAllow()).toThrow("no decision");
      expect(() => expect(other).toDeny()).toThrow("no decision");
      expect(() => expect(other).not.toDeny()).toThrow("no decision");
    }
  });
});
