/** The store in memory, and what all stores share: a window, marks of order, and what is given back. */

import { describe, expect, it } from "vitest";
import { memoryHistory } from "../../../runtime/history/memory-history.ts";
import type { HistoryStore, LimitUse } from "../../../runtime/history/store.ts";
import { campaign } from "../../campaign.ts";
import { ask, type Call, keyOf, type NaiveLimit, NaiveLog } from "./naive-log.ts";
import { traces } from "./traces.ts";

const START = 1_800_000_000_000;
const key = "a".repeat(64);
const two: LimitUse = { id: "TWO", key, within: 63_000, maxCalls: 2, after: [], never: [] };

/** A store whose clock the test sets. */
function clocked(options: { readonly maxKeys?: number } = {}) {
  const time = { now: START };
  return { time, store: memoryHistory({ ...options, clock: () => time.now }) };
}

describe("random traces", () => {
  const { seed, numRuns } = campaign(1000);
  it("never let more through than a naive log, and never fewer than a bucket less", async () => {
    for (let run = 0; run < numRuns; run++) {
      const { time, store } = clocked();
      await traces(store, seed + run, 200, (milliseconds) => {
        time.now += milliseconds;
      });
    }
  });

  it("hold so where the clock steps back and ahead", async () => {
    for (let run = 0; run < numRuns; run++) {
      const { time, store } = clocked();
      const pass = (milliseconds: number): void => void (time.now += milliseconds);
      await traces(store, seed + run, 200, pass, 1000, () => time.now, true);
    }
  });
});

describe("a window", () => {
  it("says when there is room, and has it then", async () => {
    const { time, store } = clocked();
    const first = Math.floor(START / 1000) * 1000;
    for (let i = 0; i < 2; i++) {
      expect((await store.reserve({ limits: [two] })).facts.history["TWO"]).toEqual({ calls: i, sum: 0, last_ms: {} });
      time.now += 1000;
    }
    const full = (await store.reserve({ limits: [two] })).facts.history["TWO"];
    expect(full).toEqual({ calls: 2, sum: 0, last_ms: {}, free_at_ms: first + 64_000 });
    time.now = first + 63_999;
    expect((await store.reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(2);
    time.now = first + 64_000;
    expect((await store.reserve({ limits: [two] })).facts.history["TWO"]).toEqual({ calls: 1, sum: 0, last_ms: {} });
  });

  it("that no time makes room in says no time", async () => {
    const { store } = clocked();
    const none = { ...two, maxCalls: 0 };
    expect((await store.reserve({ limits: [none] })).facts.history["TWO"]).toEqual({ calls: 0, sum: 0, last_ms: {} });
    const large = { ...two, maxCalls: undefined, sum: { of: 7, atMost: 6 } };
    expect((await store.reserve({ limits: [large] })).facts.history["TWO"]).toEqual({ calls: 0, sum: 0, last_ms: {} });
    const always = { ...two, within: undefined, maxCalls: 0 };
    expect((await store.reserve({ limits: [always] })).facts.history["TWO"]).toEqual({ calls: 0, sum: 0, last_ms: {} });
  });

  it("keeps what was counted when the limit gets another window", async () => {
    const { time, store } = clocked();
    await store.reserve({ limits: [two] });
    time.now += 30_000;
    await store.reserve({ limits: [two] });
    for (const within of [6300, 630_000, undefined, 63_000]) {
      const { facts } = await store.reserve({ limits: [{ ...two, within, maxCalls: 1 }] });
      const counted = within === 6300 ? 1 : 2;
      // What a shorter window has let go is gone.
      expect([within, facts.history["TWO"]?.calls]).toEqual([within, counted]);
    }
  });

  it("adds up to the greatest number, and not beyond", async () => {
    const { store } = clocked();
    const sum = { of: Number.MAX_SAFE_INTEGER, atMost: Number.MAX_SAFE_INTEGER };
    const most = { ...two, maxCalls: undefined, sum };
    expect((await store.reserve({ limits: [most] })).facts.history["TWO"]?.sum).toBe(0);
    const { facts } = await store.reserve({ limits: [{ ...most, sum: { ...sum, of: 1 } }] });
    expect(facts.history["TWO"]).toMatchObject({ calls: 1, sum: Number.MAX_SAFE_INTEGER });
    expect(facts.history["TWO"]).toHaveProperty("free_at_ms");
  });
});

describe("a reservation", () => {
  it("takes all limits or none", async () => {
    const { store } = clocked();
    const other = { ...two, id: "ONE", key: "b".repeat(64), maxCalls: 1 };
    await store.reserve({ limits: [two, other] });
    await store.reserve({ limits: [two, other] });
    expect((await store.reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(1);
  });

  it("is given back by a denial, once, and not after a success", async () => {
    const { store } = clocked();
    const first = await store.reserve({ limits: [two] });
    const second = await store.reserve({ limits: [two] });
    await first.release();
    await first.release();
    await second.commit();
    await second.release();
    expect((await store.reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(1);
  });

  it("is given back within a minute, and what is held longer stays used up", async () => {
    const { time, store } = clocked();
    const [soon, late] = [await store.reserve({ limits: [two] }), await store.reserve({ limits: [two] })];
    time.now += 60_000;
    await soon.release();
    time.now += 1;
    await late.release();
    expect((await store.reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(1);
  });

  it("takes nothing of a key that another limit keeps: in its buckets the other's calls would be forgotten", async () => {
    const { time, store } = clocked();
    const day = { ...two, id: "DAY", within: 63_000_000 };
    const first = await store.reserve({ limits: [day] });
    time.now += 1_000_000;
    for (const other of [two, { ...two, within: undefined }, { ...two, maxCalls: undefined, succeeds: "t" }])
      expect(() => store.reserve({ limits: [other] })).toThrow("the key is another limit's");
    expect((await store.reserve({ limits: [day] })).facts.history["DAY"]?.calls).toBe(1);
    await first.release();
    expect((await store.reserve({ limits: [day] })).facts.history["DAY"]?.calls).toBe(2);
  });

  it("goes to one of two that race for the last one", async () => {
    const { store } = clocked();
    const limit: NaiveLimit = { id: "L", maxCalls: 1, counts: () => true };
    const call: Call = { tool: "t", of: 0, who: "w" };
    const asked = await Promise.all(Array.from({ length: 20 }, () => ask(store, [limit], call)));
    expect(asked.filter(({ isAllowed }) => isAllowed)).toHaveLength(1);
  });
});

describe("order", () => {
  const order: LimitUse = { ...two, maxCalls: undefined };

  it("is what began, from the start, and gone where none began", async () => {
    const { store } = clocked();
    const [begins, read] = [
      { ...order, begins: "t" },
      { ...order, never: ["t"] },
    ];
    const first = await store.reserve({ limits: [begins] });
    const second = await store.reserve({ limits: [begins] });
    await first.release();
    expect((await store.reserve({ limits: [read] })).facts.history["TWO"]?.last_ms).toEqual({ t: START });
    await second.release();
    expect((await store.reserve({ limits: [read] })).facts.history["TWO"]?.last_ms).toEqual({});
  });

  it("is what succeeded, when it has, and as long as it is remembered", async () => {
    const { time, store } = clocked();
    const succeeds = { ...order, succeeds: "t", remember: 5000 };
    const read = { ...order, after: ["t"], remember: 5000 };
    const failed = await store.reserve({ limits: [succeeds] });
    const good = await store.reserve({ limits: [succeeds] });
    expect((await store.reserve({ limits: [read] })).facts.history["TWO"]?.last_ms).toEqual({});
    time.now += 10;
    await good.commit();
    await failed.release();
    time.now += 5000;
    const last = { t: START + 10 };
    expect((await store.reserve({ limits: [read] })).facts.history["TWO"]?.last_ms).toEqual(last);
    time.now += 1;
    expect((await store.reserve({ limits: [read] })).facts.history["TWO"]?.last_ms).toEqual({});
  });
});

describe("a limit that turns under its id", () => {
  const order: LimitUse = { ...two, maxCalls: undefined };
  const told = async (store: HistoryStore, use: LimitUse) =>
    (await store.reserve({ limits: [use] })).facts.history["TWO"]?.last_ms;

  it("from never to only takes no call that began for one that succeeded", async () => {
    const { store } = clocked();
    await (await store.reserve({ limits: [{ ...order, begins: "t" }] })).commit();
    expect(await told(store, { ...order, never: ["t"] })).toEqual({ t: START });
    expect(await told(store, { ...order, after: ["t"] })).toEqual({});
  });

  it("from only to never takes what has succeeded for what began", async () => {
    const { store } = clocked();
    await (await store.reserve({ limits: [{ ...order, succeeds: "t" }] })).commit();
    expect(await told(store, { ...order, never: ["t"] })).toEqual({ t: START });
    expect(await told(store, { ...order, after: ["t"] })).toEqual({ t: START });
  });
});

describe("approvals", () => {
  const nonce = { digest: "c".repeat(64), keepUntil: START + 1000, call: "d".repeat(64) };

  it("are good once, and again where the call was denied", async () => {
    const { store } = clocked();
    const first = await store.reserve({ limits: [], nonce });
    expect(first.facts).toMatchObject({ approvalUsed: false, approvalRefused: false });
    expect((await store.reserve({ limits: [two], nonce })).facts.approvalUsed).toBe(true);
    expect((await store.reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(0);
    await first.release();
    expect((await store.reserve({ limits: [], nonce })).facts.approvalUsed).toBe(false);
  });

  it("use up nothing where a limit is exceeded", async () => {
    const { store } = clocked();
    await store.reserve({ limits: [{ ...two, maxCalls: 0 }], nonce });
    expect((await store.reserve({ limits: [], nonce })).facts.approvalUsed).toBe(false);
  });

  it("stay used where one that has forgotten them gives them back", async () => {
    const { time, store } = clocked();
    const early = await store.reserve({ limits: [], nonce: { ...nonce, keepUntil: START } });
    time.now += 1;
    expect((await store.reserve({ limits: [], nonce })).facts.approvalUsed).toBe(false);
    await early.release();
    expect((await store.reserve({ limits: [], nonce })).facts.approvalUsed).toBe(true);
  });

  it("lose against a refusal, which stays", async () => {
    const { time, store } = clocked();
    const refusal = { ...nonce, digest: "e".repeat(64), isRefusal: true };
    await (await store.reserve({ limits: [], nonce: refusal })).release();
    expect((await store.reserve({ limits: [], nonce })).facts).toMatchObject({
      approvalUsed: false,
      approvalRefused: true,
    });
    const another = { ...nonce, call: "f".repeat(64) };
    expect((await store.reserve({ limits: [], nonce: another })).facts.approvalRefused).toBe(false);
    time.now += 1001;
    const later = { ...nonce, digest: "0".repeat(64), keepUntil: START + 9000 };
    expect((await store.reserve({ limits: [], nonce: later })).facts.approvalRefused).toBe(false);
  });
});

describe("a clock", () => {
  it("that goes back a little stands still", async () => {
    const { time, store } = clocked();
    await store.reserve({ limits: [two] });
    time.now -= 1000;
    expect((await store.reserve({ limits: [two] })).facts).toMatchObject({
      now: START,
      history: { TWO: { calls: 1 } },
    });
  });

  it("that goes back further lets no window be told, until it has caught up", async () => {
    const { time, store } = clocked();
    const always = { ...two, id: "ALWAYS", key: "b".repeat(64), within: undefined };
    await store.reserve({ limits: [two] });
    // Forward by so much that all has left, and back.
    time.now += 1_000_000;
    await store.reserve({ limits: [] });
    time.now = START + 5000;
    expect((await store.reserve({ limits: [two, always] })).facts).toEqual({
      now: START + 5000,
      history: { ALWAYS: { calls: 0, sum: 0, last_ms: {} } },
    });
    const nonce = { digest: key, keepUntil: START, call: key };
    expect(() => store.reserve({ limits: [], nonce })).toThrow("the clock went back");
    time.now = START + 1_000_000;
    expect((await store.reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(0);
  });

  it("that goes back lets no success be told that leaves with time, and takes nothing of a later one", async () => {
    const { time, store } = clocked();
    const succeeds: LimitUse = { id: "AFTER", key, after: [], never: [], succeeds: "t", remember: 5000 };
    const read = { ...succeeds, succeeds: undefined, after: ["t"] };
    const told = async (use: LimitUse) => (await store.reserve({ limits: [use] })).facts.history["AFTER"]?.last_ms;
    await (await store.reserve({ limits: [succeeds] })).commit();
    // It has left by the clock as it was last seen.
    time.now += 5001;
    await store.reserve({ limits: [] });
    time.now -= 2000;
    expect(await told(read)).toBeUndefined();
    expect(await told({ ...read, remember: undefined })).toEqual({ t: START });
    time.now = START + 10_000;
    await (await store.reserve({ limits: [succeeds] })).commit();
    time.now -= 3000;
    await (await store.reserve({ limits: [succeeds] })).commit();
    time.now = START + 15_000;
    expect(await told(read)).toEqual({ t: START + 10_000 });
  });

  it.each([Number.NaN, -1, 2 ** 53, Number.POSITIVE_INFINITY])("that says %s is a fault", (now) => {
    const store = memoryHistory({ clock: () => now });
    expect(() => store.reserve({ limits: [two] })).toThrow("the clock gives no time");
  });
});

describe("memory", () => {
  it("is bounded: what has expired makes room, and what has not is not forgotten", async () => {
    const { time, store } = clocked({ maxKeys: 20 });
    const of = (n: number): LimitUse => ({ ...two, key: keyOf({ id: "TWO", counts: () => true }, String(n)) });
    for (let n = 0; n < 18; n++) await store.reserve({ limits: [of(n)] });
    expect(() => store.reserve({ limits: [of(99)] })).toThrow("takes no more");
    expect((await store.reserve({ limits: [of(3)] })).facts.history["TWO"]?.calls).toBe(1);
    time.now += 100_000;
    for (let n = 100; n < 1000; n++) {
      await store.reserve({ limits: [of(n)] });
      time.now += 10_000;
    }
  });

  it("refuses options that there are not", () => {
    expect(() => memoryHistory({ max: 1 } as never)).toThrow("no option is called `max`");
  });
});

it("the oracle knows a call too many", () => {
  const limit: NaiveLimit = { id: "L", maxCalls: 1, within: 1000, counts: () => true };
  const log = new NaiveLog([limit]);
  const call: Call = { tool: "t", of: 0, who: "w" };
  log.add(call, 0);
  expect([log.excess(call, 1000, 0), log.excess(call, 1001, 0), log.excess(call, 1001, "bucket")]).toEqual([
    "L: calls",
    undefined,
    "L: calls",
  ]);
});
