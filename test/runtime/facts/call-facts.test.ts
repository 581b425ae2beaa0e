/** Facts of a call: which limits have to do with it, what the store is asked, and what becomes of what it reserved. */

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { callFacts, type FactPolicy } from "../../../runtime/facts/index.ts";
import { guardTool } from "../../../runtime/governance/guard-tool.ts";
import { memoryHistory } from "../../../runtime/history/memory-history.ts";
import type { PolicyLimits } from "../../../runtime/history/policy-limits.ts";
import type { HistoryRequest, HistoryStore, Reservation } from "../../../runtime/history/store.ts";
import type { CallRequest } from "../../../runtime/index.ts";

const LIMITS: PolicyLimits = {
  PAYOUTS: {
    calls: { tools: { pay: true }, roles: { CLERK: true } },
    per: ["role", "scope.contributor", "session"],
    max_calls: 3,
    max_sum: { of: "args.cents", at_most: 500 },
    within_ms: 3_600_000,
  },
  REVIEW: { calls: { tools: { publish: true } }, only_after: { tools: { review: true }, within_ms: 1000 } },
  WEB: { calls: { tools: { mail: true } }, per: ["session"], never_after: { tools: { fetch: true } } },
  HOURS: { calls: { lanes: { NIGHT: true } }, only_during: {} },
};
const policy: FactPolicy = { limits: LIMITS, historyName: "desk" };
const pay = { tool: "pay", role: "CLERK", lane: "L", scope: { contributor: "c" }, args: { cents: 7 } };

/** A store that takes down what it is asked, and answers what the test says. */
function noting(answer?: () => unknown) {
  const asked: HistoryRequest[] = [];
  const said: string[] = [];
  const store: HistoryStore = {
    reserve: async (request) => {
      asked.push(request);
      if (answer !== undefined) return answer() as Reservation;
      const history = Object.fromEntries(request.limits.map(({ id }) => [id, { calls: 0, sum: 0, last_ms: {} }]));
      return {
        facts: { now: 5, history },
        isReserved: true,
        commit: async () => void said.push("commit"),
        release: async () => void said.push("release"),
      };
    },
  };
  return { store, asked, said };
}

const usesOf = async (request: object, session?: string): Promise<HistoryRequest["limits"]> => {
  const { store, asked } = noting();
  await callFacts(policy, request as Record<string, unknown>, { history: store, session });
  return asked[0]?.limits ?? [];
};

describe("what a store is asked", () => {
  it("is one key for the values of `per`, and what the limit counts", async () => {
    expect(await usesOf(pay, "s-1")).toEqual([
      {
        id: "PAYOUTS",
        // printf '["desk","PAYOUTS",["CLERK","c","s-1"]]' | sha256sum
        key: "65844832a098b5cd3b24c76cf9dd48a1f368040a20bcb8bf07bc814175631152",
        within: 3_600_000,
        maxCalls: 3,
        sum: { of: 7, atMost: 500 },
        after: [],
        never: [],
        begins: undefined,
        succeeds: undefined,
        remember: undefined,
      },
    ]);
  });

  it("is another key for every policy name and every value, however many came before", async () => {
    const keysOf = async (historyName: string | undefined, contributor: string): Promise<string | undefined> => {
      const { store, asked } = noting();
      const request = { ...pay, scope: { contributor } };
      await callFacts({ limits: LIMITS, historyName }, request, { history: store, session: "s-1" });
      return asked[0]?.limits[0]?.key;
    };
    const digestOf = (...parts: unknown[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("hex");
    const wanted = (name: string, who: string): string => digestOf(name, "PAYOUTS", ["CLERK", who, "s-1"]);
    for (const name of ["desk", "bureau", "desk"]) expect(await keysOf(name, "c")).toBe(wanted(name, "c"));
    expect(await keysOf(undefined, "c")).toBe(wanted("policy", "c"));
    // More than are kept, and some longer than those that are.
    const many = Array.from({ length: 1500 }, (_, n) => (n % 100 === 0 ? "c".repeat(300 + n) : `c${n}`));
    for (const who of [...many, ...many.slice(0, 50)]) expect(await keysOf("desk", who)).toBe(wanted("desk", who));
  });

  it("is nothing of limits that are about other calls", async () => {
    expect(await usesOf({ ...pay, role: "CHIEF" }, "s")).toEqual([]);
    expect(await usesOf({ ...pay, tool: "toString" }, "s")).toEqual([]);
    expect(callFacts(policy, { ...pay, tool: "note" }, {})).toMatchObject({ facts: undefined });
  });

  it.each([
    ["no session", pay, undefined],
    ["an empty session", pay, ""],
    ["a number in the scope", { ...pay, scope: { contributor: 7 } }, "s"],
    ["no scope", { ...pay, scope: undefined }, "s"],
    ["an inherited scope", { ...pay, scope: Object.create({ contributor: "c" }) as object }, "s"],
    ["a sum of no whole number", { ...pay, args: { cents: 1.5 } }, "s"],
    ["a sum below 0", { ...pay, args: { cents: -1 } }, "s"],
    ["a sum beyond 2^53", { ...pay, args: { cents: 2 ** 53 } }, "s"],
    ["a sum as a text", { ...pay, args: { cents: "7" } }, "s"],
    ["no sum", { ...pay, args: {} }, "s"],
  ])("is nothing of a limit whose key is missing: %s", async (_, request, session) => {
    expect(await usesOf(request, session)).toEqual([]);
  });

  it("takes a whole number of any kind", async () => {
    expect((await usesOf({ ...pay, args: { cents: 7n } }, "s"))[0]?.sum?.of).toBe(7);
    expect((await usesOf({ ...pay, args: { cents: 0 } }, "s"))[0]?.sum?.of).toBe(0);
  });

  it("is what began and what will have succeeded, for tools that others come after", async () => {
    expect(await usesOf({ ...pay, tool: "review" })).toMatchObject([
      { id: "REVIEW", succeeds: "review", after: [], never: [] },
    ]);
    expect(await usesOf({ ...pay, tool: "publish" })).toMatchObject([
      { id: "REVIEW", succeeds: undefined, after: ["review"], never: [], remember: 1000 },
    ]);
    expect(await usesOf({ ...pay, tool: "mail" }, "s")).toMatchObject([{ id: "WEB", after: [], never: ["fetch"] }]);
    expect(await usesOf({ ...pay, tool: "fetch" }, "s")).toMatchObject([
      { id: "WEB", begins: "fetch", after: [], never: [] },
    ]);
  });
});

describe("facts", () => {
  const facts = async (answer?: () => unknown, request: object = pay): Promise<unknown> => {
    const { store } = noting(answer);
    const host = { history: store, session: "s", historyTimeout: 50 };
    const { facts: found, fault } = await callFacts(policy, request as Record<string, unknown>, host);
    return { ...found, fault };
  };

  it("are what the store knows, its time, and the session", async () => {
    expect(await facts()).toEqual({
      ...{ session: "s", now: 5, fault: undefined },
      history: { PAYOUTS: { calls: 0, sum: 0, last_ms: {} } },
    });
  });

  it("are the time alone where nothing is kept", async () => {
    const { store, asked } = noting();
    const found = await callFacts(policy, { ...pay, tool: "note", lane: "NIGHT" }, { history: store });
    expect(Object.keys(found.facts ?? {})).toEqual(["now"]);
    expect(asked).toEqual([]);
  });

  const whole = { calls: 0, sum: 0, last_ms: {} };
  const answers: [string, () => unknown][] = [
    ["throws", () => expect.fail("no")],
    ["never answers", () => new Promise(() => {})],
    ["answers nothing", () => undefined],
    ["has no time", () => ({ facts: { history: { PAYOUTS: whole } } })],
    ["has a time with a fraction", () => ({ facts: { now: 0.5, history: { PAYOUTS: whole } } })],
    ["has no history", () => ({ facts: { now: 5 } })],
    ["has a negative count", () => ({ facts: { now: 5, history: { PAYOUTS: { ...whole, calls: -1 } } } })],
    ["has a sum as a text", () => ({ facts: { now: 5, history: { PAYOUTS: { ...whole, sum: "0" } } } })],
    ["has no last calls", () => ({ facts: { now: 5, history: { PAYOUTS: { calls: 0, sum: 0 } } } })],
    [
      "has a last call of no time",
      () => ({ facts: { now: 5, history: { PAYOUTS: { ...whole, last_ms: { t: "1" } } } } }),
    ],
    ["is free at no time", () => ({ facts: { now: 5, history: { PAYOUTS: { ...whole, free_at_ms: null } } } })],
  ];
  it.each(answers)("are not taken of a store that %s, and the call is not allowed", async (_, answer) => {
    expect(await facts(answer)).toMatchObject({ fault: expect.stringContaining("the history of the call") });
    expect(await facts(answer)).not.toHaveProperty("history");
  });

  it("may lack a limit that the policy reads, and none that it only remembers", async () => {
    const empty = () => ({ facts: { now: 5, history: {} }, isReserved: true });
    expect(await facts(empty)).toEqual({ session: "s", now: 5, history: {}, fault: undefined });
    expect(await facts(empty, { ...pay, tool: "fetch" })).toMatchObject({ fault: expect.any(String) });
  });

  it("allow nothing where the store has reserved nothing, whatever they say", async () => {
    const free = { facts: { now: 5, history: { PAYOUTS: { calls: 0, sum: 0, last_ms: {} } } } };
    for (const isReserved of [false, undefined, "true"])
      expect(await facts(() => ({ ...free, isReserved }))).toMatchObject({
        history: free.facts.history,
        fault: "the store has reserved nothing for it",
      });
  });

  it("that come late are given back", async () => {
    const { store, said } = noting();
    const late: HistoryStore = {
      reserve: async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 60));
        return store.reserve(request);
      },
    };
    const found = await callFacts(policy, pay, { history: late, session: "s", historyTimeout: 5 });
    expect(found.fault).toContain("did not answer in 5 ms");
    await expect.poll(() => said).toEqual(["release"]);
  });
});

describe("a guard with limits", () => {
  /** Decides as the gate would, by facts alone. */
  const decider = {
    ...policy,
    call: ({ facts, tool }: CallRequest) => {
      const calls = facts?.history?.["PAYOUTS"]?.calls ?? 0;
      const isRemembered = tool === "fetch" || tool === "review";
      const allowed = isRemembered || (facts?.history?.["PAYOUTS"] !== undefined && calls + 1 <= 3);
      return allowed
        ? { allowed: true, gate: "ALLOW", reason: "call_allowed" }
        : { allowed: false, gate: "LIMITS", reason: facts?.history === undefined ? "history_missing" : "limit_calls" };
    },
  };
  const context = { role: "CLERK", lane: "L", scope: { contributor: "c" } };
  const guarded = (options: object, execute: () => unknown = () => 1, tool = "pay") =>
    guardTool(decider as never, context, tool, execute, { session: "s", ...options });

  it("lets through what the limit says, also to calls that are made at once", async () => {
    const history = memoryHistory();
    const outcomes = await Promise.all(Array.from({ length: 9 }, () => guarded({ history })({ cents: 1 })));
    expect(outcomes.filter(({ allowed }) => allowed)).toHaveLength(3);
    expect(outcomes.find(({ allowed }) => !allowed)?.decision).toMatchObject({ gate: "LIMITS", reason: "limit_calls" });
  });

  it("gives back what a denial reserved, commits what succeeded, and neither where the tool throws", async () => {
    const { store, said } = noting();
    const run = guarded({ history: store });
    expect((await run({ cents: 1 })).allowed).toBe(true);
    expect(said.splice(0)).toEqual(["commit"]);
    const failing = guarded({ history: store }, () => {
      throw new Error("the tool");
    });
    await expect(failing({ cents: 1 })).rejects.toThrow("the tool");
    const unsuccessful = guarded({ history: store, succeeded: (value: unknown) => value === "good" });
    expect((await unsuccessful({ cents: 1 })).allowed).toBe(true);
    const odd = guarded({ history: store, succeeded: () => expect.fail("no") });
    expect((await odd({ cents: 1 })).allowed).toBe(true);
    expect(said).toEqual([]);
    const denying = { ...decider, call: () => ({ allowed: false, gate: "SCOPE", reason: "scope_key_missing" }) };
    const denied = guardTool(denying as never, context, "pay", () => 1, { history: store, session: "s" });
    expect((await denied({ cents: 1 })).allowed).toBe(false);
    expect(said).toEqual(["release"]);
  });

  it("denies without a store, and where what a call is cannot be remembered", async () => {
    expect((await guarded({})({ cents: 1 })).decision).toMatchObject({ gate: "LIMITS", reason: "history_missing" });
    const fetch = guarded({}, () => expect.unreachable(), "fetch");
    expect((await fetch({})).decision).toEqual({
      ...{ allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input" },
      problem: "the history of the call is not known: the host keeps none",
    });
    const failing: HistoryStore = { reserve: () => Promise.reject(new Error("away")) };
    const away = guarded({ history: failing }, () => expect.unreachable(), "fetch");
    expect((await away({})).allowed).toBe(false);
    expect((await guarded({ history: memoryHistory() }, () => 1, "fetch")({})).allowed).toBe(true);
  });

  it("denies where a store fails afterwards, or does not answer to a release, all the same", async () => {
    const failing: HistoryStore = {
      reserve: async () => ({
        facts: { now: 1, history: { PAYOUTS: { calls: 5, sum: 0, last_ms: {} } } },
        isReserved: true,
        commit: () => Promise.reject(new Error("away")),
        release: () => Promise.reject(new Error("away")),
      }),
    };
    expect((await guarded({ history: failing })({ cents: 1 })).decision).toMatchObject({ reason: "limit_calls" });
  });

  it("denies for limits of another form", async () => {
    const odd = { ...decider, limits: { PAYOUTS: null } };
    const run = guardTool(odd as never, context, "pay", () => 1, { history: memoryHistory(), session: "s" });
    expect((await run({ cents: 1 })).decision).toMatchObject({ gate: "INTERNAL_ERROR" });
  });

  it("decides and runs at once where no limit has to do with the call", () => {
    const allowing = { ...decider, call: () => ({ allowed: true, gate: "ALLOW", reason: "call_allowed" }) };
    let ran = 0;
    void guardTool(allowing as never, context, "note", () => ran++, { history: memoryHistory() })({});
    expect(ran).toBe(1);
  });
});
