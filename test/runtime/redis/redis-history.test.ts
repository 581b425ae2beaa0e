/** The store in a real Redis, by both clients: what all stores have to do, by the clock of the Redis. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { KeptHistory, LimitUse, Reservation } from "../../../runtime/index.ts";
import { type IoRedisClient, redisHistory } from "../../../runtime/redis/index.ts";
import { runs, SEED } from "../../campaign.ts";
import { ask, type Call, type NaiveLimit } from "../history/naive-log.ts";
import { traces } from "../history/traces.ts";
import { HAS_REDIS, type RedisServer, startRedis, WITHOUT_REDIS } from "./redis-server.ts";

if (!HAS_REDIS) process.stderr.write(`${WITHOUT_REDIS}\n`);

const key = "ab".repeat(32);
const two: LimitUse = { id: "TWO", key, within: 63_000_000, maxCalls: 2, after: [], never: [] };
const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe.skipIf(!HAS_REDIS)(HAS_REDIS ? "a Redis" : WITHOUT_REDIS, () => {
  let server: RedisServer;
  let io: Redis;
  let node: ReturnType<typeof createClient>;
  beforeAll(async () => {
    server = await startRedis();
    io = new Redis(server.url);
    node = createClient({ url: server.url });
    await node.connect();
  });
  afterAll(async () => {
    io.disconnect();
    node.destroy();
    await server.stop();
  });
  beforeEach(() => io.flushall());
  const stores = (): [string, KeptHistory][] => [
    ["ioredis", redisHistory(io as unknown as IoRedisClient)],
    ["redis", redisHistory(node)],
  ];
  const store = (): KeptHistory => redisHistory(io as unknown as IoRedisClient);

  it("never lets more through than a naive log, and never fewer than a bucket less, by either client", async () => {
    for (const [, kept] of stores())
      for (let run = 0; run < Math.ceil(runs(200) / 25); run++) {
        await io.flushall();
        await traces(kept, SEED + run, 150, sleep, 100, Date.now);
      }
  });

  it("lets one of two that race for the last one have it, whichever client they are of", async () => {
    const limit: NaiveLimit = { id: "L", maxCalls: 5, counts: () => true };
    const call: Call = { tool: "t", of: 0, who: "w" };
    const kept = stores().map(([, one]) => one);
    const asked = await Promise.all(
      Array.from({ length: 60 }, (_, i) => ask(kept[i % 2] as KeptHistory, [limit], call)),
    );
    expect(asked.filter(({ isAllowed }) => isAllowed)).toHaveLength(5);
  });

  it("says when there is room, gives back what was denied, and keeps every digit of a sum", async () => {
    const most = {
      ...two,
      maxCalls: undefined,
      sum: { of: Number.MAX_SAFE_INTEGER - 1, atMost: Number.MAX_SAFE_INTEGER },
    };
    const first = await store().reserve({ limits: [most] });
    expect(first.facts.history["TWO"]).toEqual({ calls: 0, sum: 0, last_ms: {} });
    const full = (await store().reserve({ limits: [most] })).facts;
    const width = 1_000_000;
    expect(full.history["TWO"]).toEqual({
      ...{ calls: 1, sum: Number.MAX_SAFE_INTEGER - 1, last_ms: {} },
      free_at_ms: (Math.floor(first.facts.now / width) + 64) * width,
    });
    await first.release();
    await first.release();
    expect((await store().reserve({ limits: [most] })).facts.history["TWO"]?.sum).toBe(0);
  });

  it("takes all limits or none, and none that the clock cannot tell", async () => {
    const other = { ...two, id: "ONE", key: "cd".repeat(32), maxCalls: 0 };
    await store().reserve({ limits: [two, other] });
    expect((await store().reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(0);
    const { now } = (await store().reserve({ limits: [] })).facts;
    await io.set("{portcullis}:clock", now + 1e9);
    expect((await store().reserve({ limits: [two, { ...other, within: undefined }] })).facts.history).toEqual({
      ONE: { calls: 0, sum: 0, last_ms: {} },
    });
    const nonce = { digest: key, call: key, keepUntil: now + 1000 };
    await expect(store().reserve({ limits: [], nonce })).rejects.toThrow("the clock went back");
    await store().clear();
    expect((await store().reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(0);
  });

  it("shows what is damaged with the rest, and clears it with everything, or by its key", async () => {
    const other = "cd".repeat(32);
    await store().reserve({ limits: [two] });
    await io.set(`{portcullis}:limit-${other}`, "no hash");
    expect(await store().entries()).toMatchObject([
      { kind: "limit", key, limit: "TWO", calls: 1 },
      { kind: "damaged", key: `limit-${other}`, problem: expect.stringContaining("holds no history") },
    ]);
    await expect(store().reserve({ limits: [{ ...two, key: other }] })).rejects.toThrow();
    expect(await store().clear({ limit: "TWO" })).toBe(1);
    expect(await store().clear({ limit: "TWO", key: other })).toBe(1);
    await io.set(`{portcullis}:limit-${other}`, "no hash");
    expect(await store().clear()).toBe(1);
    expect(await store().entries()).toEqual([]);
  });

  it("gives back once, also where a client asks twice since its connection broke before the answer", async () => {
    let isBroken = false;
    const proxy = createServer((client) => {
      const behind = connect(server.port, "127.0.0.1");
      for (const [one, other] of [
        [client, behind],
        [behind, client],
      ] as const)
        one.on("error", () => {}).on("close", () => other.destroy());
      client.on("data", (bytes) => behind.write(bytes));
      behind.on("data", (bytes) => {
        if (isBroken) client.destroy();
        else client.write(bytes);
        isBroken = false;
      });
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const resending = new Redis((proxy.address() as AddressInfo).port, "127.0.0.1");
    const kept = redisHistory(resending as unknown as IoRedisClient);
    const three = { ...two, maxCalls: 3 };
    const [, , last] = [1, 2, 3].map(() => kept.reserve({ limits: [three] }));
    const reserved = await (last as Promise<Reservation>);
    isBroken = true;
    await reserved.release();
    expect(isBroken).toBe(false);
    expect((await kept.reserve({ limits: [three] })).facts.history["TWO"]?.calls).toBe(2);
    resending.disconnect();
    proxy.close();
  });

  it("gives back within a minute, and what is held longer stays used up", async () => {
    const reserved = await store().reserve({ limits: [two] });
    const { now } = reserved.facts;
    await io.set("{portcullis}:clock", now + 60_001);
    await reserved.release();
    await io.set("{portcullis}:clock", now);
    expect((await store().reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(1);
  });

  it("takes nothing of a key that another limit keeps: in its buckets the other's calls would be forgotten", async () => {
    await store().reserve({ limits: [two] });
    for (const other of [
      { ...two, id: "ONE", within: 63 },
      { ...two, id: "ONE", within: undefined },
    ])
      await expect(store().reserve({ limits: [other] })).rejects.toThrow("the key is another limit's");
    expect((await store().reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(1);
  });

  it("lets no success be told that leaves with time, while the clock has gone back", async () => {
    const succeeds: LimitUse = { id: "AFTER", key, after: [], never: [], succeeds: "t", remember: 60_000 };
    const read = { ...succeeds, succeeds: undefined, after: ["t"] };
    const told = async (use: LimitUse) => (await store().reserve({ limits: [use] })).facts.history["AFTER"]?.last_ms;
    const done = await store().reserve({ limits: [succeeds] });
    await done.commit();
    expect(await told(read)).toEqual({ t: expect.any(Number) });
    await io.set("{portcullis}:clock", done.facts.now + 30_000);
    expect(await told(read)).toBeUndefined();
    expect(await told({ ...read, remember: undefined })).toEqual({ t: expect.any(Number) });
    // A later success is not taken back by one of the clock that went back.
    await io.hset(`{portcullis}:limit-${key}`, "s:t", done.facts.now + 20_000);
    await (await store().reserve({ limits: [succeeds] })).commit();
    expect(await told({ ...read, remember: undefined })).toEqual({ t: done.facts.now + 20_000 });
  });

  it("keeps what was counted when the limit gets another window", async () => {
    await store().reserve({ limits: [two] });
    await store().reserve({ limits: [two] });
    for (const within of [630_000, undefined, 63_000_000])
      expect((await store().reserve({ limits: [{ ...two, within }] })).facts.history["TWO"]?.calls).toBe(2);
  });

  it("knows what began, and what succeeded as long as it is remembered", async () => {
    const begins = { ...two, maxCalls: undefined, begins: "t:1", never: ["t:1"] };
    const first = await store().reserve({ limits: [begins] });
    const second = await store().reserve({ limits: [begins] });
    expect(second.facts.history["TWO"]?.last_ms).toEqual({ "t:1": first.facts.now });
    await first.release();
    await second.release();
    expect(
      (await store().reserve({ limits: [{ ...begins, begins: undefined }] })).facts.history["TWO"]?.last_ms,
    ).toEqual({});
    const succeeds = { ...two, maxCalls: undefined, succeeds: "s", after: ["s"], remember: 150 };
    const done = await store().reserve({ limits: [succeeds] });
    expect(done.facts.history["TWO"]?.last_ms).toEqual({});
    await done.commit();
    const last = (await store().reserve({ limits: [succeeds] })).facts;
    expect(last.history["TWO"]?.last_ms["s"]).toBeGreaterThanOrEqual(done.facts.now);
    await sleep(200);
    expect((await store().reserve({ limits: [succeeds] })).facts.history["TWO"]?.last_ms).toEqual({});
  });

  it("takes no call that began for one that succeeded, where the limit turns from never to only", async () => {
    const order = { ...two, maxCalls: undefined };
    const told = async (use: LimitUse) => (await store().reserve({ limits: [use] })).facts.history["TWO"]?.last_ms;
    await (await store().reserve({ limits: [{ ...order, begins: "t" }] })).commit();
    expect(await told({ ...order, never: ["t"] })).toEqual({ t: expect.any(Number) });
    expect(await told({ ...order, after: ["t"] })).toEqual({});
    await (await store().reserve({ limits: [{ ...order, succeeds: "s" }] })).commit();
    const last = { s: expect.any(Number), t: expect.any(Number) };
    expect(await told({ ...order, after: ["s"], never: ["s", "t"] })).toEqual(last);
  });

  it("knows tools of any name, and however many", async () => {
    const begun = async (tool: string, id = "TWO"): Promise<boolean> => {
      const limit = { id, key, after: [], never: [tool] };
      const told = (await store().reserve({ limits: [limit] })).facts.history;
      return Object.hasOwn(told[id]?.last_ms ?? {}, tool);
    };
    const names = ["__proto__", "constructor", "a\u0000b", "\u00e9", "e\u0301"];
    for (const begins of names) {
      expect(await begun(begins), begins).toBe(false);
      await store().reserve({ limits: [{ id: "TWO", key, after: [], never: [], begins }] });
      expect(await begun(begins), begins).toBe(true);
    }
    expect(Object.keys((await store().entries())[0]?.last_ms ?? {}).sort()).toEqual(names.sort());
    const others = Array.from({ length: 5000 }, (_, i) => [`n:tool-${i}`, "1:1"]).flat();
    await io.hset(`{portcullis}:limit-${key}`, ...others);
    await store().reserve({ limits: [{ id: "TWO", key, after: [], never: [], begins: "last" }] });
    for (const tool of ["tool-0", "tool-4999", "last", ...names]) expect(await begun(tool), tool).toBe(true);
    await io.flushall();
    await store().reserve({ limits: [{ id: "__proto__", key, after: [], never: [], begins: "t" }] });
    expect(await begun("t", "__proto__")).toBe(true);
  });

  it("lets an approval be used once, and a refusal win", async () => {
    const { now } = (await store().reserve({ limits: [] })).facts;
    const nonce = { digest: key, call: "cd".repeat(32), keepUntil: now + 60_000 };
    const first = await store().reserve({ limits: [two], nonce });
    expect(first.facts).toMatchObject({ approvalUsed: false, approvalRefused: false });
    expect((await store().reserve({ limits: [two], nonce })).facts).toMatchObject({ approvalUsed: true });
    expect((await store().reserve({ limits: [{ ...two, maxCalls: 0 }] })).facts.history["TWO"]?.calls).toBe(1);
    await first.release();
    // One that was forgotten meanwhile, and is used by another call, is not given back.
    const early = await store().reserve({ limits: [], nonce: { ...nonce, keepUntil: now } });
    await sleep(5);
    expect((await store().reserve({ limits: [], nonce })).facts).toMatchObject({ approvalUsed: false });
    await early.release();
    expect((await store().reserve({ limits: [], nonce })).facts).toMatchObject({ approvalUsed: true });
    await io.del(`{portcullis}:nonce-${key}`);
    const refusal = { ...nonce, digest: "ef".repeat(32), isRefusal: true };
    expect((await store().reserve({ limits: [], nonce: refusal })).facts).toMatchObject({ approvalRefused: true });
    expect((await store().reserve({ limits: [], nonce })).facts).toMatchObject({
      approvalUsed: false,
      approvalRefused: true,
    });
  });

  it("shows and clears what stands in it, whichever client asks", async () => {
    for (const [name, kept] of stores()) {
      await io.flushall();
      const nonce = { digest: "ef".repeat(32), call: key, keepUntil: Date.now() + 60_000 };
      const order = { id: "ORDER", key: "01".repeat(32), after: [], never: [], begins: "fetch" };
      const { facts } = await kept.reserve({ limits: [{ ...two, sum: { of: 5, atMost: 9 } }, order], nonce });
      expect([name, await kept.entries()]).toEqual([
        name,
        [
          { kind: "limit", key: order.key, limit: "ORDER", calls: 0, sum: 0, last_ms: { fetch: facts.now } },
          { ...{ kind: "limit", key, limit: "TWO", calls: 1, sum: 5, last_ms: {} }, expires: expect.any(Number) },
          { kind: "approval", key: nonce.digest, expires: nonce.keepUntil + 1000 },
        ],
      ]);
      expect(await kept.clear({ limit: "ORDER" })).toBe(1);
      expect(await kept.clear({ key })).toBe(1);
      expect(await kept.clear()).toBe(1);
      expect(await io.keys("*")).toEqual([]);
    }
  });

  it.each(["allkeys-lru", "volatile-ttl"])(
    "that may evict keys (%s) is refused: a key that is gone is a fresh budget",
    async (name) => {
      await io.config("SET", "maxmemory-policy", name);
      try {
        for (const [, kept] of stores())
          await expect(kept.reserve({ limits: [two] })).rejects.toThrow(`maxmemory-policy is ${name}`);
        expect(await io.keys("*")).toEqual([]);
      } finally {
        await io.config("SET", "maxmemory-policy", "noeviction");
      }
      const { now } = (await store().reserve({ limits: [two] })).facts;
      await io.config("SET", "maxmemory-policy", name);
      try {
        // As a call of another second finds it.
        await io.set("{portcullis}:clock", now - 1000);
        await expect(store().reserve({ limits: [two] })).rejects.toThrow(`maxmemory-policy is ${name}`);
      } finally {
        await io.config("SET", "maxmemory-policy", "noeviction");
      }
      expect((await store().reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(1);
    },
  );

  it("forgets nothing where a write fails in the middle, as one does in a cluster whose slot moves", async () => {
    const begins: LimitUse = { id: "NEVER", key: "cd".repeat(32), after: [], never: ["t"], begins: "t" };
    await store().reserve({ limits: [two, begins] });
    await io.acl("SETUSER", "half", "on", ">word", "~*", "+@all", "-hset");
    const half = new Redis(server.port, { username: "half", password: "word" });
    await expect(redisHistory(half as unknown as IoRedisClient).reserve({ limits: [two, begins] })).rejects.toThrow();
    half.disconnect();
    expect((await store().reserve({ limits: [two, begins] })).facts.history).toMatchObject({
      TWO: { calls: 1 },
      NEVER: { last_ms: { t: expect.any(Number) } },
    });
  });

  it("keeps no time that an earlier window or a success had", async () => {
    const read: LimitUse = { id: "TWO", key, within: 63_000, after: [], never: [], begins: "t" };
    await store().reserve({ limits: [{ ...two, within: 63_000 }] });
    expect(await io.pexpiretime(`{portcullis}:limit-${key}`)).toBeGreaterThan(0);
    await store().reserve({ limits: [read] });
    expect(await io.pexpiretime(`{portcullis}:limit-${key}`)).toBe(-1);
    expect(
      Object.keys(await io.hgetall(`{portcullis}:limit-${key}`))
        .map((field) => field[0])
        .sort(),
    ).toEqual(["b", "g", "l", "n", "w"]);
  });

  it.each(["DEL", "FLUSHALL"])("gives back no place of a call that came after all was cleared: %s", async (how) => {
    const nonce = { digest: "ef".repeat(32), call: key, keepUntil: Date.now() + 60_000 };
    const asked = { limits: [{ ...two, maxCalls: 1 }], nonce };
    const early = await store().reserve(asked);
    await (how === "DEL" ? store().clear() : io.flushall());
    const late = await store().reserve(asked);
    await early.release();
    expect((await store().reserve(asked)).facts).toMatchObject({ approvalUsed: true, history: { TWO: { calls: 1 } } });
    await late.release();
    expect(await store().entries()).toEqual([]);
  });

  it("has keys that go with what they count", async () => {
    await store().reserve({
      limits: [
        { ...two, within: 100 },
        { ...two, id: "EVER", key: "cd".repeat(32), within: undefined },
      ],
    });
    expect((await io.keys("*")).sort()).toEqual(
      ["{portcullis}:clock", `{portcullis}:limit-${"cd".repeat(32)}`, `{portcullis}:limit-${key}`].sort(),
    );
    await expect.poll(() => io.keys("{portcullis}:limit-*")).toEqual([`{portcullis}:limit-${"cd".repeat(32)}`]);
  });

  it("denies for what another program left under a key", async () => {
    await io.set(`{portcullis}:limit-${key}`, "text");
    await expect(store().reserve({ limits: [two] })).rejects.toThrow("WRONGTYPE");
    await io.del(`{portcullis}:limit-${key}`);
    await io.hset(`{portcullis}:limit-${key}`, "w", "1000000", "b:1", "many");
    await expect(store().reserve({ limits: [two] })).rejects.toThrow();
  });

  it("keeps histories of two prefixes apart, and refuses another prefix or client", async () => {
    const other = redisHistory(node, { prefix: "other" });
    await store().reserve({ limits: [two] });
    expect((await other.reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(0);
    expect(() => redisHistory(node, { prefix: "a}b" })).toThrow("other characters");
    expect(() => redisHistory({} as never)).toThrow("neither of `ioredis` nor of `redis`");
    for (const options of [{ keyPrefix: "a:" }, { redisOptions: {}, keyPrefix: "a:" }])
      expect(() => redisHistory({ call: async () => "", options } as never)).toThrow("the client has a `keyPrefix`");
  });
});
