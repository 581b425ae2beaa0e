/** Functions that remember their results: what they cost, and what they must not remember. */

import { load, type Policy } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const LEVELS = 30;

/** `f0` to `f29`, each a sum over the one behind it, as `body` makes it; `last` is the body of `f30`. */
function chain(body: (next: string) => string, last: string): string {
  const levels = Array.from({ length: LEVELS }, (_, i) => `f${i}(x) := ${body(`f${i + 1}`)}`);
  return [...levels, `f${LEVELS}(x) := ${last}`].join("\n");
}

async function loaded(rules: string, limits = {}): Promise<Policy> {
  const modules = [new SourceFile("t.rego", `package t\n\n${rules}\n`)];
  const { compiled, diagnostics } = await compileModules({ modules, entrypoints: ["t/p"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return load(compiled.wasm, { limits: { steps: 100_000, ...limits } });
}

async function answer(rules: string, input: unknown, limits = {}): Promise<unknown> {
  const policy = await loaded(rules, limits);
  const value = policy.evaluate("t/p", input);
  return policy.lastFault === undefined ? value : policy.lastFault.message;
}

describe("a chain of functions that ask the next one twice", () => {
  it("is as long as it is deep", async () => {
    const twice = chain((f) => `${f}(x) + ${f}(x)`, "x");
    expect(await answer(`${twice}\np := f0(input.x)`, { x: 1 })).toBe(2 ** LEVELS);
    const shifted = chain((f) => `${f}(x + 1) + ${f}(x + 2)`, "x - x + 1");
    expect(await answer(`${shifted}\np := f0(input.x)`, { x: 5 })).toBe(2 ** LEVELS);
  });

  it("knows texts and collections that were made anew", async () => {
    const texts = chain((f) => `max([${f}(concat("", [x, "a"])), ${f}(concat("", [x, "a"]))])`, "count(x)");
    expect(await answer(`${texts}\np := f0(input.x)`, { x: "b" })).toBe(LEVELS + 1);
    const lists = chain((f) => `${f}([x[0], x[1]]) + ${f}([x[0], x[1]])`, "x[0] + x[1]");
    expect(await answer(`${lists}\np := f0(input.x)`, { x: [1, 2] })).toBe(3 * 2 ** LEVELS);
  });

  it("tells arguments apart, all of them", async () => {
    const levels = Array.from({ length: LEVELS }, (_, i) => `f${i}(x, y) := f${i + 1}(y, x) + f${i + 1}(x, y)`);
    const rules = [...levels, `f${LEVELS}(x, y) := x`, "p := [f0(1, 0), f0(0, 1), f0(1, 1), f0(0, 0)]"];
    const half = 2 ** (LEVELS - 1);
    expect(await answer(rules.join("\n"), {})).toEqual([half, half, 2 * half, 0]);
  });

  it("remembers that there is no value", async () => {
    const none = chain((f) => `{1 | ${f}(x)} | {2 | ${f}(x)} | {3 | not ${f}(x)}`, "x if x > 3");
    expect(await answer(`${none}\np := count(f0(input.x))`, { x: 1 })).toBe(2);
    const undefinedOnes = Array.from(
      { length: LEVELS },
      (_, i) => `f${i}(x) := 1 if {f${i + 1}(x); f${i + 1}(x) == 2}`,
    );
    expect(await answer([...undefinedOnes, `f${LEVELS}(x) := x`, "p if not f0(1)"].join("\n"), {})).toBe(true);
  });
});

describe("what is remembered", () => {
  const deep = chain((f) => `${f}(x) + ${f}(x)`, "x * input.factor");

  it("holds for one evaluation", async () => {
    const policy = await loaded(`${deep}\np := f0(input.x)`);
    expect(policy.evaluate("t/p", { x: 1, factor: 1 })).toBe(2 ** LEVELS);
    expect(policy.evaluate("t/p", { x: 1, factor: 3 })).toBe(3 * 2 ** LEVELS);
  });

  it("is apart under every `with`, and as before behind it", async () => {
    const rules = `${deep}
p := [a, b, c, d] if {
	a := f0(1)
	b := f0(1) with input.factor as 2
	c := f0(1) with input as {"factor": 5}
	d := f0(1)
}`;
    const one = 2 ** LEVELS;
    expect(await answer(rules, { factor: 1 })).toEqual([one, 2 * one, 5 * one, one]);
  });

  it("is no more than a few thousand results, which others then replace", async () => {
    const rules = `${chain((f) => `${f}(x) + ${f}(x)`, "x")}
p := sum([f0(i) | some i in numbers.range(1, 6000)]) / ${2 ** LEVELS}`;
    expect(await answer(rules, {}, { steps: 5_000_000 })).toBe((6000 * 6001) / 2);
  });

  it("says no conflict of one call of another", async () => {
    const rules = `${chain((f) => `${f}(x) + ${f}(x)`, "g(x)")}
g(x) := 1
g(x) := 2 if x > 1
p := f0(input.x)`;
    expect(await answer(rules, { x: 1 })).toBe(2 ** LEVELS);
    expect(await answer(rules, { x: 2 })).toContain("conflict");
  });
});

it("prints each time", async () => {
  // A weighty function that is called often with the same: but for the print, it would remember.
  const rules = `${chain((f) => `${f}(x)`, "x")}
f(x) := y if {
	print(x)
	y := sum([f0(x) | some i in [1, 2]; some j in [1, 2]])
}
p := [f(1) | some i in [1, 2, 3]; some j in [1, 2]]`;
  const modules = [new SourceFile("t.rego", `package t\n\n${rules}\n`)];
  const { compiled } = await compileModules({ modules, entrypoints: ["t/p"], heard: true });
  let printed = 0;
  const builtins = [{ "internal.print": () => ++printed > 0 }];
  const policy = await load(compiled?.wasm as Uint8Array, { builtins });
  expect(policy.evaluate("t/p", {})).toEqual([4, 4, 4, 4, 4, 4]);
  expect(printed).toBe(6);
});
