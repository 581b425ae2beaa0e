/** A history or a log that fails says so, once for each change, and denies all the same. */

import { join } from "node:path";
import { type HistoryStore, memoryHistory } from "@portcullis/runtime";
import { Redis } from "ioredis";
import { afterEach, expect, it, vi } from "vitest";
import { toldHistory } from "../../compiler/cli/told-failures.ts";
import { HAS_REDIS, startRedis, WITHOUT_REDIS } from "../runtime/redis/redis-server.ts";
import { type Running, start, until, useServeProcesses } from "./serve-process.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

useServeProcesses();
afterEach(() => void vi.useRealTimers());
if (!HAS_REDIS) process.stderr.write(`${WITHOUT_REDIS}\n`);

/** What is said of a store that does in turns what these words say, after as many milliseconds. */
async function saidOf(...turns: readonly (readonly [word: string, after: number])[]): Promise<readonly string[]> {
  vi.useFakeTimers();
  const said: string[] = [];
  let turn = 0;
  const reserve = async (): Promise<never> => {
    const [word, after] = turns[turn++] as readonly [string, number];
    await new Promise((resolve) => setTimeout(resolve, after));
    if (word !== "good") throw new Error(word);
    return {} as never;
  };
  const told = toldHistory({ reserve } as unknown as HistoryStore, (line) => said.push(line));
  for (const _ of turns) {
    const asked = told.reserve({ limits: [] });
    await Promise.all([Promise.resolve(asked).catch(() => undefined), vi.runAllTimersAsync()]);
  }
  return said;
}

const begins = (problem: string): string =>
  `warning: calls that limits count are denied: the history fails: ${problem}`;
const ENDS = "note: the history answers again";

it("is told of when it begins to fail, and when it answers again", async () => {
  expect(await saidOf(["good", 0], ["a", 0], ["a", 0], ["good", 0], ["good", 0])).toEqual([begins("a"), ENDS]);
  expect(await saidOf(["a", 0], ["good", 0], ["b", 0], ["good", 0])).toEqual([begins("a"), ENDS, begins("b"), ENDS]);
});

it("is not told of with every call, in whichever way it fails", async () => {
  expect(await saidOf(["a", 0], ["b", 0], ["a", 0], ["b", 0])).toEqual([begins("a")]);
  expect(await saidOf(["a", 0], ["good", 0], ["a", 0], ["good", 0])).toEqual([begins("a"), ENDS]);
  // A minute later in another way.
  expect(await saidOf(["a", 0], ["a", 60_000], ["b", 0])).toEqual([begins("a"), begins("b")]);
});

it("is told of when it does not answer in time", async () => {
  const late = begins("it does not answer in 2000 ms");
  expect(await saidOf(["good", 1999])).toEqual([]);
  expect(await saidOf(["good", 3000], ["good", 0])).toEqual([late, ENDS]);
});

it("is told of when it answers, and does not tell of a limit that is asked for", async () => {
  const said: string[] = [];
  const time = { now: 1e12 };
  const told = toldHistory(memoryHistory({ clock: () => time.now }), (line) => said.push(line));
  const use = { id: "TWO", key: "k", within: 60_000, maxCalls: 2, after: [], never: [] };
  await told.reserve({ limits: [use] });
  time.now -= 5_000;
  expect((await told.reserve({ limits: [use] })).facts.history).toEqual({});
  time.now += 5_000;
  await told.reserve({ limits: [use] });
  expect(said).toEqual([begins("it has seen a later time than now, and until then cannot tell of `TWO`"), ENDS]);
});

it.skipIf(!HAS_REDIS)("in a Redis is told of by `serve`", { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const redis = await startRedis();
  const client = new Redis(redis.url);
  try {
    write(join(folder, "set/roles.yaml"), "roles:\n  - { role_id: R, privileges: { lanes: [L] } }\n");
    const lanes = "lanes:\n  - { lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [pay] } }\n";
    write(join(folder, "set/lanes.yaml"), lanes);
    const tools = "tools:\n  - { tool_name: pay, enabled: true, implementation_status: implemented }\n";
    write(join(folder, "set/tool_registry.yaml"), tools);
    const limit = "{ limit_id: PAY, calls: { tools: [pay] }, per: [role], max_calls: 9000, within: 1h }";
    write(join(folder, "set/limits.yaml"), `limits:\n  - ${limit}\n`);
    expect(await portcullis("build", join(folder, "set"), "-o", join(folder, "out"))).toMatchObject({ code: 0 });
    const running = await start(join(folder, "out/bundle.tar.gz"), "--history", redis.url);
    expect(await pays(running)).toBe(true);
    const fails = async (problem: string, times: number): Promise<void> => {
      // The eviction policy is looked at once a second.
      await until(async () => !(await pays(running)));
      expect(await pays(running)).toBe(false);
      expect(running.said().split(problem).length - 1).toBe(times);
    };
    await client.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    await fails("warning: calls that limits count are denied: the history fails: ERR keys may be evicted", 1);
    await client.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
    await until(() => pays(running));
    await until(() => running.said().includes("note: the history answers again"));
    await client.call("REPLICAOF", "127.0.0.1", "1");
    await fails("the history fails: READONLY", 1);
  } finally {
    client.disconnect();
    await redis.stop();
    removeFolder(folder);
  }
});

async function pays({ url }: Running): Promise<boolean> {
  const body = JSON.stringify({ input: { role: "R", lane: "L", tool: "pay" } });
  const response = await fetch(`${url}/v1/data/portcullis/call/decision`, { method: "POST", body });
  return ((await response.json()) as { result: { allowed: boolean } }).result.allowed;
}
