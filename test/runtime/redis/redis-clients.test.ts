/** What a client of a Redis may answer, or not: no Redis is needed for it. */

import { describe, expect, it } from "vitest";
import type { KeptHistory, LimitUse } from "../../../runtime/index.ts";
import { redisHistory } from "../../../runtime/redis/index.ts";

const two: LimitUse = { id: "TWO", key: "ab".repeat(32), within: 63_000_000, maxCalls: 2, after: [], never: [] };
const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("a client that answers in another form", () => {
  const whole = ["5", "1", "", "", [["1", "0", "0", "", []]], [["0", "a"]], "5"];
  const answering = (reply: unknown): KeptHistory => redisHistory({ call: async () => reply });

  it("is no store", async () => {
    expect((await answering(whole).reserve({ limits: [two] })).facts.now).toBe(5);
    const wrong: unknown[] = [undefined, "OK", [], whole.slice(1), ["", ...whole.slice(1)], [5, ...whole.slice(1)]];
    const told = (...row: unknown[]): unknown[] => [...whole.slice(0, 4), [row], ...whole.slice(5)];
    wrong.push(
      [...whole.slice(0, 4), [], ...whole.slice(5)],
      ...["x", "-1", "1.0", " 1", "1e0", "0x1", "9007199254740992"].map((calls) => told("1", calls, "0", "", [])),
      told("1", "0", "0", "-1", []),
      [...whole.slice(0, 5), [], "5"],
      [...whole.slice(0, 6), ""],
    );
    for (const reply of wrong)
      await expect(answering(reply).reserve({ limits: [two] }), JSON.stringify(reply)).rejects.toThrow("another form");
    // What is not a time does not stand for never.
    const reads = { ...two, after: ["t"] };
    expect((await answering(told("1", "0", "0", "", ["-1"])).reserve({ limits: [reads] })).facts.history).toEqual({
      TWO: { calls: 0, sum: 0, last_ms: {} },
    });
    for (const time of ["-2", "", "never", null])
      await expect(answering(told("1", "0", "0", "", [time])).reserve({ limits: [reads] })).rejects.toThrow("form");
  });
});

it("is not asked without end while a Redis does not answer", async () => {
  const open: ((error: Error) => void)[] = [];
  const call = (): Promise<unknown> => new Promise((_, reject) => open.push(reject));
  const store = redisHistory({ call });
  const fails = (): Promise<string> => Promise.resolve(store.reserve({ limits: [two] })).then(String, String);
  const asked = Array.from({ length: 10_000 }, fails);
  while (open.length < asked.length) await sleep(1);
  expect(await fails()).toBe("Error: 10000 calls wait for its answer");
  for (const reject of open.splice(0)) reject(new Error("gone"));
  expect(new Set(await Promise.all(asked))).toEqual(new Set(["Error: gone"]));
  const again = fails();
  while (open.length === 0) await sleep(1);
  open[0]?.(new Error("gone"));
  expect(await again).toBe("Error: gone");
});
