/** What a policy answers when evaluation fails, and after it. */

import { load } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { campaign } from "../../campaign.ts";
import { compileApp } from "./app.ts";

let wasm: Uint8Array;
beforeAll(async () => {
  wasm = await compileApp();
});

describe("a fault", () => {
  it("answers with the entrypoint's denial, and the next decision is sound", async () => {
    const policy = await load(wasm);
    expect(policy.evaluate("app/clashing", { a: true, b: true })).toEqual({
      allowed: false,
      gate: "INTERNAL_ERROR",
      reason: "clash",
    });
    expect(policy.lastFault).toMatchObject({ code: "conflict" });
    expect(policy.evaluate("app/clashing", { a: true })).toEqual({ allowed: true, n: 1 });
    expect(policy.lastFault).toBeUndefined();
    expect(policy.faults).toBe(1);
  });

  it("is undefined where the default is no denial: it must not open a gate", async () => {
    const policy = await load(wasm);
    expect(policy.evaluate("app/open", { a: true, b: true })).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "conflict" });
  });

  it("comes of a used-up step budget", async () => {
    const policy = await load(wasm, { limits: { steps: 10_000 } });
    expect(policy.evaluate("app/slow", {})).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "budget" });
    expect(policy.evaluate("app/decision", { user: "ann" })).toMatchObject({ allowed: true });
  });

  it("comes of the memory ceiling", async () => {
    const policy = await load(wasm, { limits: { memory: 1 << 20 } });
    expect(policy.evaluate("app/big", { n: 1_000_000 })).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "memory" });
    expect(policy.evaluate("app/big", { n: 2 })).toEqual([1, 2]);
  });

  it("comes of an entrypoint that is not there", async () => {
    const policy = await load(wasm);
    expect(policy.evaluate("app/other", {})).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "entrypoint" });
    expect(policy.lane({ role: "R", lane: "L" })).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
  });

  it("comes of a text that is not JSON", async () => {
    const policy = await load(wasm);
    for (const text of ["", "{", '{"user":"ann"', '{"user":"ann"}x', "\u0000"]) {
      expect(policy.evaluateJson("app/decision", text)).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
      expect(policy.lastFault).toMatchObject({ code: "input" });
    }
    expect(policy.evaluateJson("app/decision", '{"user":"ann"}')).toMatchObject({ allowed: true });
  });

  it("never throws for any JavaScript value", async () => {
    const policy = await load(wasm);
    const cycle: Record<string, unknown> = { user: "ann" };
    cycle["self"] = cycle;
    const hostile = {
      get user(): string {
        throw new Error("getter");
      },
    };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const thrown = (what: unknown): unknown => ({
      get user(): string {
        throw what;
      },
    });
    const wicked = Object.defineProperty(new Error(), "message", {
      get() {
        throw new Error("message");
      },
    });
    const values = [
      undefined,
      null,
      Number.NaN,
      10n ** 30n,
      ...[proxy, thrown(proxy), thrown(wicked), thrown(undefined), thrown(Object.assign(new Error(), { message: {} }))],
      Symbol("s"),
      () => 1,
      new Map(),
      new Date(),
      hostile,
      new Uint8Array(3),
    ];
    for (const value of [...values, { user: values }, [values]]) {
      expect(policy.evaluate("app/decision", value)).toMatchObject({ allowed: false });
    }
    // Only what the rules read is looked at: the cycle is beside it.
    expect(policy.evaluate("app/decision", cycle)).toMatchObject({ allowed: true });
  });

  it("comes of a builtin of the host's that throws, and the next decision is sound", async () => {
    const { compiled } = await compileModules({
      modules: [new SourceFile("t.rego", "package t\n\nnow := time.now_ns()\n\nok := input.x\n")],
      entrypoints: ["t/now", "t/ok"],
      allowBuiltins: ["time.now_ns"],
    });
    const broken = () => {
      throw new Error("clock");
    };
    const policy = await load(compiled?.wasm as Uint8Array, { builtins: [{ "time.now_ns": broken }] });
    expect(policy.evaluate("t/now", {})).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "internal" });
    expect(policy.evaluate("t/ok", { x: "y" })).toBe("y");
  });

  it("comes of asking the policy from within an evaluation of its own", async () => {
    const policy = await load(wasm);
    let inner: unknown;
    const input = {
      get user(): string {
        inner = policy.evaluate("app/decision", { user: "ann" });
        return "bob";
      },
    };
    expect(policy.evaluate("app/decision", input)).toMatchObject({ allowed: false });
    expect(inner).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
    expect(policy.evaluate("app/decision", { user: "ann" })).toMatchObject({ allowed: true });
  });

  it("is no crash for arbitrary values", async () => {
    const policy = await load(wasm);
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
          withObjectString: true,
        }),
        (value) => {
          const decision = policy.evaluate("app/decision", value) as { allowed: boolean };
          const isAnn = typeof value === "object" && value !== null && (value as { user?: unknown }).user === "ann";
          expect(decision.allowed).toBe(isAnn);
        },
      ),
      campaign(2000),
    );
  });
});
