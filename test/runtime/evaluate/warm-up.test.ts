/** What happens between loading and the first decision is seen by nobody, whatever the policy does then. */

import { load, type Policy } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/base/source-file.ts";
import { compileModules } from "../../../compiler/compile-modules.ts";
import { blank } from "../../../runtime/evaluate/warm-up.ts";

async function policyOf(text: string, options: Parameters<typeof load>[1] = {}): Promise<Policy> {
  const { compiled, diagnostics } = await compileModules({
    modules: [new SourceFile("t.rego", `package t\n\n${text}`)],
    entrypoints: ["t/p"],
  });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join());
  return load(compiled.wasm, options);
}

describe("the input of a first evaluation", () => {
  it("has a value wherever a footprint names one", () => {
    expect(blank(true)).toBe("");
    expect(blank({ members: {} })).toEqual({});
    expect(blank({ members: { a: true, b: { each: { members: { c: true } } } } })).toEqual({ a: "", b: [{ c: "" }] });
  });
});

describe("a policy that", () => {
  it("goes on for ever without an answer loads, and keeps its budget", async () => {
    const count = 300;
    const policy = await policyOf(
      `p := count([x | some x in numbers.range(1, ${count}); some y in numbers.range(1, ${count}); x * y == input.n])`,
    );
    expect([policy.faults, policy.lastFault]).toEqual([0, undefined]);
    // More steps than there are for a first evaluation.
    expect(policy.evaluate("t/p", { n: 6 })).toBe(4);
  });

  it("has a conflict for such an input loads", async () => {
    const policy = await policyOf('p := 1 if input.a == ""\n\np := 2 if is_string(input.a)');
    expect(policy.faults).toBe(0);
    expect(policy.evaluate("t/p", { a: "x" })).toBe(2);
    expect(policy.evaluate("t/p", { a: "" })).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "conflict" });
  });

  it("needs more memory than it may have for such an input loads", async () => {
    const policy = await policyOf("p := count([x | some x in numbers.range(1, 5000)]) if is_string(input.a)", {
      limits: { memory: 20_000 },
    });
    expect(policy.faults).toBe(0);
    expect(policy.evaluate("t/p", { a: 1 })).toBeUndefined();
    expect(policy.faults).toBe(0);
    expect(policy.evaluate("t/p", { a: "x" })).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "memory" });
  });

  it("calls the host is not evaluated before somebody asks", async () => {
    let calls = 0;
    const count = (): unknown => ++calls;
    const { compiled } = await compileModules({
      modules: [new SourceFile("t.rego", "package t\n\np := [input.a, time.now_ns()]")],
      entrypoints: ["t/p"],
      allowBuiltins: ["time.now_ns"],
    });
    const policy = await load(compiled?.wasm as Uint8Array, { builtins: [{ "time.now_ns": count as never }] });
    expect(calls).toBe(0);
    policy.evaluate("t/p", { a: 1 });
    expect(calls).toBe(1);
  });

  it("reads what an earlier input had finds nothing of the first one", async () => {
    const policy = await policyOf("p := [[x | x := input.a.b], [x | some e in input.l; x := e.c], [x | x := input.a]]");
    expect(policy.evaluate("t/p", {})).toEqual([[], [], []]);
    expect(policy.evaluate("t/p", { l: [{}, {}] })).toEqual([[], [], []]);
  });
});
