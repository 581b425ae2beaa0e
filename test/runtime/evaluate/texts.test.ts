/** Inputs as JSON text: which are read, how large they may be, and that they leave nothing behind. */

import { load } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { compileApp } from "../load/app.ts";

let wasm: Uint8Array;
beforeAll(async () => {
  wasm = await compileApp();
}, 60_000);

const ALLOWED = { allowed: true };
const encoder = new TextEncoder();
/** A request of this length in bytes. */
const requestOf = (length: number): Uint8Array =>
  encoder.encode(`{"user":"ann","pad":"${"x".repeat(length - '{"user":"ann","pad":""}'.length)}"}`);

describe("a text", () => {
  it("is read up to `limits.input`, to the byte", async () => {
    for (let input = 100; input < 110; input++) {
      const policy = await load(wasm, { limits: { input } });
      expect(policy.evaluateJson("app/decision", requestOf(input))).toMatchObject(ALLOWED);
      expect(policy.evaluateJson("app/decision", requestOf(input + 1))).toMatchObject({ allowed: false });
      expect(policy.lastFault).toEqual({ code: "input", message: "the input is too large for `limits.input`" });
      expect(policy.evaluateJson("app/decision", requestOf(input))).toMatchObject(ALLOWED);
    }
  });

  it("is a fault of memory where it takes more than `limits.memory`, and the policy decides on", async () => {
    const policy = await load(wasm, { limits: { memory: 1 << 16 } });
    for (let i = 0; i < 3; i++) {
      expect(policy.evaluateJson("app/decision", requestOf(1 << 17))).toMatchObject({ allowed: false });
      expect(policy.lastFault).toMatchObject({ code: "memory" });
      expect(policy.evaluateJson("app/decision", requestOf(100))).toMatchObject(ALLOWED);
    }
  });

  it("is read where memory has no room for it yet, and calls with objects go on", async () => {
    for (const length of [1 << 16, (1 << 20) + 3, 9_000_001]) {
      const policy = await load(wasm);
      const before = policy.memoryBytes;
      expect(policy.evaluateJson("app/decision", requestOf(length))).toMatchObject(ALLOWED);
      expect(policy.lastFault).toBeUndefined();
      if (length > before) expect(policy.memoryBytes).toBeGreaterThan(before);
      expect(policy.evaluate("app/decision", { user: "ann" })).toMatchObject(ALLOWED);
      expect(policy.evaluate("app/decision", { user: "eve" })).toMatchObject({ allowed: false });
      expect(policy.evaluateJson("app/decision", '{"user":"eve"}')).toMatchObject({ allowed: false });
    }
  });

  it("may be a part of a buffer, and is read once", async () => {
    const policy = await load(wasm);
    const bytes = encoder.encode('x{"user":"ann"}{"user":"eve"}y');
    expect(policy.evaluateJson("app/decision", bytes.subarray(1, 15))).toMatchObject(ALLOWED);
    expect(policy.evaluateJson("app/decision", bytes.subarray(15, 29))).toMatchObject({ allowed: false });
    expect(policy.evaluateJson("app/decision", bytes.subarray(1, 14))).toMatchObject({ allowed: false });
    expect(policy.lastFault).toMatchObject({ code: "input" });
  });
});

it("an entrypoint is found by its name, whichever was asked for before", async () => {
  const policy = await load(wasm);
  const others = ["", "app/none", undefined, null, 0, Symbol("app/decision")] as unknown as string[];
  for (const name of [...others, ...others.reverse()]) {
    for (let i = 0; i < 2; i++) {
      expect(policy.evaluateJson(name, '{"user":"ann"}')).toBeUndefined();
      expect(policy.lastFault).toMatchObject({ code: "entrypoint" });
      expect(policy.evaluate(name, { user: "ann" })).toBeUndefined();
      expect(policy.lastFault).toMatchObject({ code: "entrypoint" });
    }
    for (let i = 0; i < 2; i++) {
      // Not the same string, but one that is equal.
      const decision = ["app", "decision"].join("/");
      expect(policy.evaluateJson(decision, '{"user":"ann"}')).toMatchObject(ALLOWED);
      expect(policy.evaluate("app/big", { n: 2 })).toEqual([1, 2]);
    }
  }
});
