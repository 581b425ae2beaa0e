import { readFileSync } from "node:fs";
import {
  type AuditRecord,
  type GuardedSubagents,
  guardTurn,
  ReloadablePolicy,
  type SubagentDecision,
} from "@portcullis/runtime";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const allow: SubagentDecision = {
  allowed: true,
  gate: "ALLOW",
  reason: "All delegation governance gates passed.",
  allowlistedSubagents: ["A", "B"],
  delegatedSubagents: ["A"],
  approvalRef: "GATE-1",
  approvedBy: "ann",
};
const deny: SubagentDecision = {
  allowed: false,
  gate: "ENVIRONMENT",
  reason: 'CHIRALITY_ENABLE_SUBAGENTS is not set to "true".',
  allowlistedSubagents: ["A"],
  delegatedSubagents: [],
};

const decider = (decision: SubagentDecision) => ({ subagent: () => decision });
const turn = { persona: "P", governance: {}, env: {} };
/** A clock that gives these readings in turn. */
const clock =
  (...readings: number[]) =>
  () =>
    readings.shift() as number;

const written: string[] = [];
beforeEach(() => {
  written.length = 0;
  vi.spyOn(console, "error").mockImplementation((line: unknown) => void written.push(String(line)));
});
afterEach(() => void vi.restoreAllMocks());

describe("guardTurn", () => {
  it("writes its line to standard error without being asked to, and not where it is told not to", () => {
    const line = /^subagent-governance DENY persona="P" gate=ENVIRONMENT /;
    guardTurn(decider(deny), turn);
    guardTurn(decider(deny), turn, { log: undefined });
    expect(written).toEqual([expect.stringMatching(line), expect.stringMatching(line)]);
    const slow = { ...turn, env: { CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS: 1 } };
    const { record } = guardTurn(decider(deny), slow, { log: false, now: clock(0, 5) });
    expect(written).toHaveLength(2);
    expect(record).toMatchObject({ disposition: "DENY", gate: "ENVIRONMENT" });
    guardTurn(decider(deny), slow, { now: clock(0, 5) });
    expect(written[3]).toMatch(/WARN slow evaluation: 5.000 ms/);
    const hostile = { get log(): never { throw new Error("no"); } }; // biome-ignore format: one line
    expect(guardTurn(decider(allow), turn, hostile).decision.allowed).toBe(true);
    expect(written).toHaveLength(5);
  });

  it("hands over the delegated subagents and logs one line on allow", () => {
    const lines: string[] = [];
    const records: AuditRecord[] = [];
    const result = guardTurn(decider(allow), turn, {
      log: (l) => lines.push(l),
      record: (r) => records.push(r),
      now: clock(1, 1.0415),
    });
    expect(result.delegatedSubagents).toEqual(["A"]);
    expect(lines).toEqual([
      'subagent-governance ALLOW persona="P" gate=ALLOW evaluation_ms=0.042 delegated=["A"] approvalRef="GATE-1" approvedBy="ann"',
    ]);
    expect(records).toEqual([
      {
        disposition: "ALLOW",
        persona: "P",
        gate: "ALLOW",
        evaluation_ms: 0.042,
        delegatedSubagents: ["A"],
        approvalRef: "GATE-1",
        approvedBy: "ann",
      },
    ]);
  });

  it("lets the turn go on without subagents on denial, and logs the reason", () => {
    const lines: string[] = [];
    const result = guardTurn(decider(deny), turn, { log: (l) => lines.push(l), now: clock(0, 0) });
    expect(result.delegatedSubagents).toEqual([]);
    expect(lines).toEqual([
      'subagent-governance DENY persona="P" gate=ENVIRONMENT evaluation_ms=0.000 reason="CHIRALITY_ENABLE_SUBAGENTS is not set to \\"true\\"."',
    ]);
  });

  it("gives no subagents for a denial that lists some", () => {
    expect(guardTurn(decider({ ...deny, delegatedSubagents: ["A"] }), turn).delegatedSubagents).toEqual([]);
  });

  it("denies when the policy throws, and survives broken sinks", () => {
    const broken = () => {
      throw new Error("sink");
    };
    const failing = { subagent: broken as () => SubagentDecision };
    const result = guardTurn(failing, turn, { log: broken, record: broken, warn: broken });
    expect(result.decision).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
    expect(result.delegatedSubagents).toEqual([]);
  });

  it("survives sinks that fail later", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const failing = () => Promise.reject(new Error("sink"));
    guardTurn(decider(deny), turn, { log: failing, record: failing });
    await new Promise(setImmediate);
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it.each([1, "true", "false", {}, [], Number.NaN, null])(
    "delegates to none where `allowed` is %j, and not `true`",
    (allowed) => {
      const answer = { ...allow, allowed } as unknown as SubagentDecision;
      expect(guardTurn(decider(answer), turn).delegatedSubagents).toEqual([]);
    },
  );

  it("denies a turn that is not an object", () => {
    expect(guardTurn(decider(allow), null as never).decision.allowed).toBe(false);
  });

  it("cannot be made to forge a line", () => {
    const lines: string[] = [];
    guardTurn(
      decider(deny),
      { ...turn, persona: 'P"\nsubagent-governance ALLOW\u2028' },
      { log: (l) => lines.push(l) },
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/[\n\r\u2028]/);
  });

  it.each([
    ["1", 2, true],
    [1.5, 2, true],
    ["3", 2, false],
    ["0", 2, false],
    ["-1", 2, false],
    ["abc", 2, false],
    ["", 2, false],
    [Number.POSITIVE_INFINITY, 2, false],
  ])("warns of a slow evaluation: limit %s, took %s ms, warns %s", (limit, took, warns) => {
    const warnings: string[] = [];
    guardTurn(
      decider(deny),
      { ...turn, env: { CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS: limit } },
      { warn: (l) => warnings.push(l), now: clock(0, took) },
    );
    expect(warnings.length === 1).toBe(warns);
  });

  it("takes nothing from what every object inherits", () => {
    const seen: unknown[] = [];
    const asking = {
      subagent: (request: unknown) => {
        seen.push(request);
        return deny;
      },
    };
    const polluted = { env: { CHIRALITY_ENABLE_SUBAGENTS: "true" }, governance: { contextSealed: true }, persona: "P" };
    for (const [key, value] of Object.entries({ ...polluted, ...polluted.env }))
      Object.defineProperty(Object.prototype, key, { value, configurable: true });
    guardTurn(asking, { env: {} } as never);
    guardTurn(asking, Object.create({ env: {} }, { env: { value: {} } }));
    for (const key of Object.keys({ ...polluted, ...polluted.env })) Reflect.deleteProperty(Object.prototype, key);
    const nothing = { persona: undefined, governance: undefined, env: { CHIRALITY_ENABLE_SUBAGENTS: undefined } };
    expect(seen).toEqual([nothing, nothing]);
  });

  const throwing = (): never => {
    throw new Error("no");
  };
  it.each([
    ["no turn", () => guardTurn(decider(allow), undefined as never), false],
    ["no environment", () => guardTurn(decider(allow), { persona: "P" } as never), false],
    [
      "an environment that throws",
      () =>
        guardTurn(decider(allow), {
          persona: "P",
          get env() {
            return throwing();
          },
        }),
      false,
    ],
    ["a clock that throws", () => guardTurn(decider(allow), turn, { now: throwing }), true],
    ["a clock of words", () => guardTurn(decider(allow), turn, { now: () => "x" as never }), true],
    [
      "sinks that throw",
      () => guardTurn(decider(allow), turn, { log: throwing, record: throwing, warn: throwing }),
      true,
    ],
    ["no policy", () => guardTurn(undefined as never, turn), false],
    ["a policy that throws", () => guardTurn({ subagent: throwing }, turn), false],
    ["no answer", () => guardTurn(decider(undefined as never), turn), false],
    ["an answer of words", () => guardTurn(decider("ALLOW" as never), turn), false],
    ["an answer without delegates", () => guardTurn(decider({ allowed: true } as never), turn), false],
    ["an inherited answer", () => guardTurn(decider(Object.create(allow)), turn), false],
  ])("does not throw for %s", (_, guard, isAllowed) => {
    const { delegatedSubagents, decision, record } = guard();
    expect(delegatedSubagents).toEqual(isAllowed ? ["A"] : []);
    expect(decision.allowed).toBe(isAllowed);
    expect(record.disposition).toBe(isAllowed ? "ALLOW" : "DENY");
  });

  it("takes a policy that can be replaced, and reads it once", async () => {
    const policies = await ReloadablePolicy.load(
      readFileSync(new URL("../../../generated/bundle.tar.gz", import.meta.url)),
    );
    const asked = {
      persona: "NEWS_DESK",
      governance: { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-7", approvedBy: "ann" },
      env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
    };
    const read = vi.spyOn(policies, "current", "get");
    expect(guardTurn(policies, asked).delegatedSubagents.length).toBeGreaterThan(0);
    expect(read).toHaveBeenCalledTimes(1);
    read.mockImplementation(() => {
      throw new Error("gone");
    });
    expect(guardTurn(policies, asked).decision.gate).toBe("INTERNAL_ERROR");
  });

  it("gives a list that cannot be added to, and that only a guard can make", () => {
    const inject = (subagents: GuardedSubagents): number => subagents.length;
    const { delegatedSubagents, decision } = guardTurn(decider(allow), turn);
    expect(inject(delegatedSubagents)).toBe(1);
    expect(Object.isFrozen(delegatedSubagents)).toBe(true);
    expect(Object.isFrozen(guardTurn(decider(deny), turn).delegatedSubagents)).toBe(true);
    // @ts-expect-error: names that no policy was asked about.
    inject(["A"]);
    // @ts-expect-error: the decision's own list has passed no guard; a denial may carry one.
    inject(decision.delegatedSubagents);
    // @ts-expect-error: what is put together afresh is not what the guard gave.
    inject([...delegatedSubagents, "B"]);
    const plain: readonly string[] = delegatedSubagents;
    expect(plain).toEqual(["A"]);
  });
});
