/** Data that the host supplies. */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { compileApp } from "./app.ts";

let wasm: Uint8Array;
beforeAll(async () => {
  wasm = await compileApp();
});

describe("setData", () => {
  it("supplies what lies outside of the bundle, and keeps the old data when the new is refused", async () => {
    const policy = await load(wasm, { data: { host: { flag: 1 } } });
    expect(policy.evaluate("app/host", {})).toBe(1);
    expect(() => policy.setData({ host: { flag: () => 1 } })).toThrow(/refused/);
    expect(policy.evaluate("app/host", {})).toBe(1);
    policy.setData({ host: { flag: "two" } });
    expect(policy.evaluate("app/host", {})).toBe("two");
  });

  it.each([[undefined], [Object.create(null)], ["text"]])("refuses data whose getter throws %o", async (thrown) => {
    const data = {
      get host(): unknown {
        throw thrown;
      },
    };
    const refusal = expect.objectContaining({ name: "LoadError", code: "memory-limit" });
    await expect(load(wasm, { data })).rejects.toEqual(refusal);
    const policy = await load(wasm);
    expect(() => policy.setData(data)).toThrow(refusal);
  });

  it.each([
    ["a request that is refused", (policy: Policy) => policy.evaluate("app/decision", { user: Symbol("x") })],
    [
      "a getter that throws",
      (policy: Policy) =>
        policy.evaluate("app/decision", {
          get user(): string {
            throw new Error("no");
          },
        }),
    ],
    ["data that is refused", (policy: Policy) => expect(() => policy.setData({ host: () => 1 })).toThrow(/refused/)],
  ])("keeps what it was given, whatever becomes of the host's object: after %s", async (_, fault) => {
    const data = { host: { flag: { list: [1, { deep: "old" }] as unknown[], __proto__: null } } };
    const policy = await load(wasm, { data });
    const before = policy.evaluate("app/host", {});
    expect(before).toEqual({ list: [1, { deep: "old" }] });
    (data.host.flag.list[1] as { deep: string }).deep = "new";
    data.host.flag.list.push("more");
    fault(policy);
    expect(policy.evaluate("app/host", {})).toEqual(before);
    policy.setData(data);
    expect(policy.evaluate("app/host", {})).toEqual({ list: [1, { deep: "new" }, "more"] });
  });

  it("takes keys that objects have themselves, any of them, and refuses a value that is not data", async () => {
    const policy = await load(wasm);
    const flag: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "": 3}');
    policy.setData({ host: { flag } });
    const kept = (): unknown => Object.entries(policy.evaluate("app/host", {}) as object).sort();
    expect(kept()).toEqual([
      ["", 3],
      ["__proto__", { a: 1 }],
      ["constructor", 2],
    ]);
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const endless = new Proxy([], { get: (_, key) => (key === "length" ? 2 ** 32 - 1 : 1) });
    for (const refused of [
      cycle,
      endless,
      new Date(0),
      new Map(),
      new URL("http://x/"),
      { a: 1n ** 2n, b: Symbol("x") },
    ])
      expect(() => policy.setData({ host: { flag: refused } })).toThrow(/refused/);
    expect(kept()).toEqual([
      ["", 3],
      ["__proto__", { a: 1 }],
      ["constructor", 2],
    ]);
  });

  it("does not leak: many evaluations leave the memory as large as it was", async () => {
    const policy = await load(wasm, { data: { host: { flag: 1 } } });
    for (let i = 0; i < 100_000; i++) policy.evaluate("app/decision", { user: `user-${i}`, more: [i, String(i)] });
    expect(policy.memoryBytes).toBeLessThan(4 << 20);
  });
});
