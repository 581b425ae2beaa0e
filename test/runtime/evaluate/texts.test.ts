/** Inputs as JSON text: which are read, how large they may be, and that they leave nothing behind. */

import { type LoadOptions, load as loadAny, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { compileApp } from "../load/app.ts";

let wasm: Uint8Array;
beforeAll(async () => {
  wasm = await compileApp();
});

const load = (options: LoadOptions = {}): Promise<Policy> => loadAny(wasm, options);

/** Where the host shares the compiled module: memory is filled by the very instance that decides. */
const loadModule = async (options: LoadOptions = {}): Promise<Policy> =>
  loadAny(await WebAssembly.compile(wasm as Uint8Array<ArrayBuffer>), options);

const ALLOWED = { allowed: true };
const encoder = new TextEncoder();
/** A request of this length in bytes. */
const requestOf = (length: number): Uint8Array =>
  encoder.encode(`{"user":"ann","pad":"${"x".repeat(length - '{"user":"ann","pad":""}'.length)}"}`);

describe.each([
  ["a text", load],
  ["a text, by a compiled module,", loadModule],
])("%s", (_name, load) => {
  it("is read up to `limits.input`, to the byte", async () => {
    for (let input = 100; input < 110; input++) {
      const policy = await load({ limits: { input } });
      expect(policy.evaluateJson("app/decision", requestOf(input))).toMatchObject(ALLOWED);
      expect(policy.evaluateJson("app/decision", requestOf(input + 1))).toMatchObject({ allowed: false });
      expect(policy.lastFault).toEqual({ code: "input", message: "the input is too large for `limits.input`" });
      expect(policy.evaluateJson("app/decision", requestOf(input))).toMatchObject(ALLOWED);
    }
  });

  it("is a fault of memory where it takes more than `limits.memory`, and the policy decides on", async () => {
    const policy = await load({ limits: { memory: 1 << 16 } });
    for (let i = 0; i < 3; i++) {
      expect(policy.evaluateJson("app/decision", requestOf(1 << 17))).toMatchObject({ allowed: false });
      expect(policy.lastFault).toMatchObject({ code: "memory" });
      expect(policy.evaluateJson("app/decision", requestOf(100))).toMatchObject(ALLOWED);
    }
  });

  it("is read where memory has no room for it yet, and calls with objects go on", async () => {
    for (const length of [1 << 16, (1 << 20) + 3, 9_000_001]) {
      const policy = await load();
      const before = policy.memoryBytes;
      expect(policy.evaluateJson("app/decision", requestOf(length))).toMatchObject(ALLOWED);
      expect(policy.lastFault).toBeUndefined();
      if (length > before) expect(policy.memoryBytes).toBeGreaterThan(before);
      expect(policy.evaluate("app/decision", { user: "ann" })).toMatchObject(ALLOWED);
      expect(policy.evaluate("app/decision", { user: "eve" })).toMatchObject({ allowed: false });
      expect(policy.evaluateJson("app/decision", '{"user":"eve"}')).toMatchObject({ allowed: false });
    }
  });

  it("is a fault of the input where it is not JSON, or not UTF-8", async () => {
    const policy = await load();
    const bytes = [[], [0x22, 0xff, 0x22], [0x22, 0xc3, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0]].map((b) =>
      Uint8Array.from(b),
    );
    for (const text of ["", " ", "{", '{"user":"ann"', '{"user":"ann"}x', '{"user":"ann",}', "01", ...bytes]) {
      expect(policy.evaluateJson("app/decision", text)).toMatchObject({ allowed: false });
      expect(policy.lastFault).toEqual({ code: "input", message: "the input is not valid JSON" });
      expect(policy.evaluateJson("app/decision", '{"user":"ann"}')).toMatchObject(ALLOWED);
    }
  });

  it("is read whole: escapes, numbers of any size, the last of equal keys, any value", async () => {
    const policy = await load();
    for (const text of [
      '{"user":"\\u0061nn"}',
      '{"user":"eve","user":"ann"}',
      ' {"n":1e400000,"m":-1.50,"user":"ann","deep":[[{}],{"x":[null,true]}]}\n',
    ])
      expect(policy.evaluateJson("app/decision", text)).toMatchObject(ALLOWED);
    for (const text of ["null", "true", "[]", '"ann"', "1e400000", "{}", '{"user":"\\ud800ann"}'])
      expect(policy.evaluateJson("app/decision", text)).toMatchObject({ allowed: false, reason: "no_decision" });
    expect(policy.lastFault).toBeUndefined();
  });

  it("has a fault of the policy and none as an object has it", async () => {
    const policy = await load();
    for (const [entrypoint, input] of [
      ["app/clashing", { a: true, b: true }],
      ["app/clashing", { a: true }],
      ["app/open", { a: true, b: true }],
      ["app/big", { n: 3 }],
      ["app/big", {}],
      ["app/host", {}],
    ] as const) {
      const asked = policy.evaluate(entrypoint, input);
      const fault = policy.lastFault;
      expect(policy.evaluateJson(entrypoint, JSON.stringify(input))).toEqual(asked);
      expect(policy.lastFault).toEqual(fault);
    }
  });

  it("may be a part of a buffer, and is read once", async () => {
    const policy = await load();
    const bytes = encoder.encode('x{"user":"ann"}{"user":"eve"}y');
    expect(policy.evaluateJson("app/decision", bytes.subarray(1, 15))).toMatchObject(ALLOWED);
    expect(policy.evaluateJson("app/decision", bytes.subarray(15, 29))).toMatchObject({ allowed: false });
    expect(policy.evaluateJson("app/decision", bytes.subarray(1, 14))).toMatchObject({ allowed: false });
    expect(policy.lastFault).toMatchObject({ code: "input" });
  });
});

it("an entrypoint is found by its name, whichever was asked for before", async () => {
  const policy = await load();
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
