/** What happens between loading and the first decision is not seen, whatever the policy does then. */

import { readFileSync } from "node:fs";
import { load, type Policy } from "@portcullis/runtime";
import { describe, expect, it, vi } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import type { FootprintNode, PolicySection } from "../../../runtime/abi/section.ts";
import { ModuleEvaluator } from "../../../runtime/evaluate/evaluate.ts";
import { DEFAULT_LIMITS, Instance } from "../../../runtime/evaluate/instance.ts";
import { blank, OTHERS, STRANGE, warmUp } from "../../../runtime/evaluate/warm-up.ts";
import { openSource } from "../../../runtime/load/source.ts";
import { policySectionOf } from "../../../runtime/load/verify.ts";

async function moduleOf(text: string): Promise<Uint8Array> {
  const { compiled, diagnostics } = await compileModules({
    modules: [new SourceFile("t.rego", `package t\n\n${text}`)],
    entrypoints: ["t/p"],
  });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join());
  return compiled.wasm;
}

async function policyOf(text: string, options: Parameters<typeof load>[1] = {}): Promise<Policy> {
  return load(await moduleOf(text), options);
}

describe("the input of a first evaluation", () => {
  it("has a value wherever a footprint names one", () => {
    expect(blank(true, "/a")).toBe("/a");
    expect(blank({ members: {} }, "")).toEqual({});
    const node: FootprintNode = { members: { a: true, b: { each: { members: { c: true } } } } };
    expect(blank(node, "")).toEqual({ a: "", b: [{ c: "" }] });
    const ofObjects: FootprintNode = { each: true, ofObjects: true };
    expect(blank(ofObjects, "/a")).toEqual(["/a"]);
    expect(blank({ each: true }, OTHERS)).toEqual([OTHERS]);
    expect(blank(ofObjects, OTHERS)).toEqual({ [STRANGE]: OTHERS });
  });
});

/** Functions that remember their results, in a rule behind a gate. */
const REMEMBERING = [
  'p if {\n\tinput.gate == "open"\n\tlate\n}\n\nlate if f0(input.x) == 4',
  ...Array.from({ length: 30 }, (_, i) => `f${i}(x) := f${i + 1}(x) + f${i + 1}(x)`),
  "f30(x) := x",
].join("\n\n");

describe("loading", () => {
  it.each([
    [{}, true],
    [{ warmUp: true }, true],
    [{ warmUp: false }, false],
  ])("with %j asks entrypoints beforehand: %s", async (options, asks) => {
    const rehearse = vi.spyOn(Instance.prototype, "rehearse");
    const policy = await policyOf("p if input.a == 1", options);
    expect(rehearse.mock.calls.length > 0).toBe(asks);
    rehearse.mockRestore();
    expect([policy.evaluate("t/p", { a: 1 }), policy.evaluate("t/p", { a: 2 }), policy.faults]).toEqual([
      true,
      undefined,
      0,
    ]);
  });
});

describe("the rules of a section", () => {
  const text = `default p := "none"

p := "late" if {
	input.gate == "open"
	late
}

late if {
	some x in input.list
	x == "found"
}`;

  const evaluatorOf = async (rules: (given: readonly number[]) => readonly number[]): Promise<ModuleEvaluator> => {
    const module = await WebAssembly.compile((await moduleOf(text)) as Uint8Array<ArrayBuffer>);
    const section = policySectionOf(module) as PolicySection;
    const decide = section.decide?.map((entry) => entry && { ...entry, rules: rules(entry.rules ?? []) });
    return new ModuleEvaluator(module, { ...section, decide: decide ?? [] }, new Map(), DEFAULT_LIMITS);
  };

  const wrong: readonly (readonly [string, (given: readonly number[]) => readonly number[]])[] = [
    ["as they are", (given) => given],
    ["none", () => []],
    ["beyond the table", (given) => [...given, 9999]],
    ["functions of other types", () => Array.from({ length: 50 }, (_, place) => place)],
    ["no numbers", () => ["x", null, -1, Number.NaN] as never],
  ];
  it.each(wrong)("change no answer: %s", async (_, rules) => {
    const policy = await evaluatorOf(rules);
    expect([policy.faults, policy.lastFault]).toEqual([0, undefined]);
    expect(policy.evaluate("t/p", { gate: "open", list: ["a", "found"] })).toBe("late");
    expect(policy.evaluate("t/p", { gate: "open", list: ["a"] })).toBe("none");
    expect(policy.evaluate("t/p", {})).toBe("none");
    expect(policy.faults).toBe(0);
  });

  it("are all asked for the example: no question ends the module, with all that come after it", async () => {
    const { module } = await openSource(readFileSync(new URL("../../../generated/bundle.tar.gz", import.meta.url)), {});
    const section = policySectionOf(module) as PolicySection;
    expect(section.decide?.some((entry) => (entry?.rules ?? []).length > 0)).toBe(true);
    expect(warmUp(new Instance(module, section, new Map(), DEFAULT_LIMITS), section)).toBe(true);
  });

  it("are no functions with arguments, which a host cannot ask", async () => {
    const module = await WebAssembly.compile((await moduleOf(REMEMBERING)) as Uint8Array<ArrayBuffer>);
    const section = policySectionOf(module) as PolicySection;
    expect(section.decide?.[0]?.rules?.length).toBeGreaterThanOrEqual(1);
    expect(warmUp(new Instance(module, section, new Map(), DEFAULT_LIMITS), section)).toBe(true);
  });

  it("are those behind gates, too", async () => {
    const module = await WebAssembly.compile((await moduleOf(text)) as Uint8Array<ArrayBuffer>);
    expect(policySectionOf(module)?.decide?.[0]?.rules?.length).toBeGreaterThanOrEqual(1);
  });
});

describe("a policy that", () => {
  it("would go on for ever in a rule behind a gate loads, and keeps its budget", async () => {
    const count = 300;
    const policy = await policyOf(
      `p if {\n\tinput.gate == "open"\n\tslow > 3\n}\n\nslow := count([x | some x in numbers.range(1, ${count}); some y in numbers.range(1, ${count}); x * y == input.n])`,
    );
    expect([policy.faults, policy.lastFault]).toEqual([0, undefined]);
    expect(policy.evaluate("t/p", { gate: "open", n: 6 })).toBe(true);
  });

  it("has a conflict in a rule behind a gate loads", async () => {
    const policy = await policyOf(
      'p if {\n\tinput.gate == "open"\n\tq == 1\n}\n\nq := 1 if input.a == "/a"\n\nq := 2 if is_string(input.a)',
    );
    expect(policy.faults).toBe(0);
    expect(policy.evaluate("t/p", { gate: "shut", a: "/a" })).toBeUndefined();
    expect(policy.faults).toBe(0);
  });

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
