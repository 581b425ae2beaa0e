/** What reaches beyond a statement: `with`, calls by path, memoisation, limits. */

import { describe, expect, it } from "vitest";
import { mix } from "../../../compiler/rego/wasm/hash.ts";
import { TAG_STRING } from "../../../runtime/abi/index.ts";
import { Abort, emit, entrypoint, Module } from "./module.ts";
import { RETURN, run } from "./run-body.ts";

describe("with", () => {
  const q = `func g0.data.q(L0, L1) -> L2 path g0/q
  block
    L2 = get L0 "x"
  block
    return L2
`;
  const both = (withs: string): string => `block
  L2 = array 3
  append L2 "start"
  blocks
    block
      L3 = call g0.data.q(L0, L1)
      append L2 L3
  ${withs}
  blocks
    block
      L3 = call g0.data.q(L0, L1)
      append L2 L3
${RETURN}`;

  it("overrides the input for a block, rules included, and restores both", () => {
    const body = both(`with L0 ["x"] = "inside"\n    L3 = call g0.data.q(L0, L1)\n    append L2 L3`);
    expect(run(body, { x: "outside" }, undefined, q)).toEqual(["start", "outside", "inside", "outside"]);
    expect(run(body, {}, undefined, q)).toEqual(["start", "inside"]);
    expect(run(body, undefined, undefined, q)).toEqual(["start", "inside"]);
    expect(run(body, "scalar", undefined, q)).toEqual(["start", "inside"]);
  });

  it("restores when its block fails, which fails the block around it", () => {
    const body = both(
      `blocks\n    block\n      with L0 ["x"] = "inside"\n        L4 = get L0 "nothing"\n      append L2 "not reached"`,
    );
    expect(run(body, { x: 1 }, undefined, q)).toEqual(["start", 1, 1]);
  });

  it("nests, and replaces the whole input", () => {
    const body = both(`with L0 [] = L1
    L3 = call g0.data.q(L0, L1)
    append L2 L3
    with L0 ["x", "y"] = true
      L3 = call g0.data.q(L0, L1)
      append L2 L3
    L3 = call g0.data.q(L0, L1)
    append L2 L3`);
    expect(run(body, { x: 1 }, { x: { z: 2 } }, q)).toEqual(["start", 1, { z: 2 }, { y: true, z: 2 }, { z: 2 }, 1]);
  });

  it("does not change the input itself, nor anything shared with it", () => {
    const body = `block\n  L3 = get L0 "a"\n  with L0 ["a", "b"] = "new"\n    L4 = L0\n  L2 = array 3\n  append L2 L3\n  append L2 L4\n  append L2 L0\n${RETURN}`;
    const input = { a: { b: "old", c: 1 }, d: 2 };
    expect(run(body, input)).toEqual([input.a, { a: { b: "new", c: 1 }, d: 2 }, input]);
  });

  it("removes what it overrides with an undefined value", () => {
    const body = `block\n  with L0 ["x"] = L1\n    L2 = L0\n${RETURN}`;
    expect(run(body, { x: 1, y: 2 })).toEqual({ y: 2 });
    expect(run(body, { y: 2 })).toEqual({ y: 2 });
  });
});

describe("calls by path", () => {
  const rules = ["a/p", "a/q", "b/p", "c/d/p"].map((path) => {
    const name = `g0.data.${path.replaceAll("/", ".")}`;
    return `func ${name}(L0, L1) -> L2 path g0/${path}\n  block\n    L2 = "${path}"\n  block\n    return L2\n`;
  });
  const dynamic = (path: string): string =>
    `block\n  L3 = get L0 "x"\n  L4 = get L0 "y"\n  L2 = dynamic [${path}](L0, L1)\n${RETURN}`;
  const call = (path: string, x: unknown, y?: unknown): unknown =>
    run(dynamic(path), { x, y: y ?? null }, undefined, rules.join(""));

  it("finds the function that the computed parts name, and nothing else", () => {
    expect(call('"g0", "a", L3', "p")).toBe("a/p");
    expect(call('"g0", "a", L3', "q")).toBe("a/q");
    expect(call('"g0", "a", L3', "r")).toBeUndefined();
    expect(call('"g0", "a", L3', ["p"])).toBeUndefined();
    expect(call('"g0", L3, "p"', "b")).toBe("b/p");
    expect(call('"g0", L3, L4', "a", "q")).toBe("a/q");
    expect(call('"g0", L3, L4', "c", "d")).toBeUndefined();
    expect(call('"g0", "c", L3, L4', "d", "p")).toBe("c/d/p");
    expect(call('"g0", "none", L3', "p")).toBeUndefined();
    expect(call('"g0", "a", "p"', 0)).toBe("a/p");
  });

  it("leaves four blocks when the function is there and undefined", () => {
    const nothing = `func g0.data.n.u(L0, L1) -> L2 path g0/n/u\n  block\n    L3 = get L0 "nothing"\n  block\n    return L2\n`;
    const body = (name: string): string => `block
  L2 = array 0
  append L2 "1"
  blocks
    block
      append L2 "2"
      blocks
        block
          append L2 "3"
          blocks
            block
              append L2 "4"
              L4 = dynamic ["g0", "n", ${name}](L0, L1)
              append L2 "called"
          append L2 "after 4"
      append L2 "after 3"
  append L2 "after 2"
${RETURN}`;
    expect(run(body('"u"'), {}, undefined, nothing)).toEqual(["1", "2", "3", "4"]);
    expect(run(body('"v"'), {}, undefined, nothing)).toEqual(["1", "2", "3", "4", "after 4", "after 3", "after 2"]);
  });
});

describe("memoisation", () => {
  it("runs a rule once an evaluation, undefined results too, and anew under with", () => {
    const calls: number[] = [];
    const policy = `builtin test.count/1
${entrypoint("p", "g0.data.p")}func g0.data.p(L0, L1) -> L2 path g0/p
  block
    blocks
      block
        L3 = call g0.data.q(L0, L1)
      block
        L3 = call g0.data.q(L0, L1)
      block
        L3 = call g0.data.u(L0, L1)
      block
        L3 = call g0.data.u(L0, L1)
      block
        with L0 ["x"] = "other"
          L3 = call g0.data.q(L0, L1)
          L3 = call g0.data.q(L0, L1)
      block
        L3 = call g0.data.q(L0, L1)
    L2 = true
  block
    return L2
func g0.data.q(L0, L1) -> L2 path g0/q
  block
    L2 = call test.count("q")
  block
    return L2
func g0.data.u(L0, L1) -> L2 path g0/u
  block
    L3 = call test.count("u")
    L4 = get L0 "missing"
  block
    return L2
`;
    const m: Module = new Module(emit(policy), { builtins: { "test.count": (a) => calls.push(a) && a } });
    m.evaluate({});
    expect(calls.length).toBe(3);
    m.evaluate({});
    expect(calls.length).toBe(6);
  });
});

describe("limits", () => {
  const loop = `${entrypoint("p", "g0.data.p")}func g0.data.p(L0, L1) -> L2 path g0/p
  block
    L2 = array 0
    scan L0 as L3, L4
      scan L0 as L3, L5
        scan L0 as L3, L6
          append L2 L6
  block
    return L2
`;
  const m = new Module(emit(loop));
  const list = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
  const count = (n: number): number => (m.evaluate(list(n)) as { result: unknown[] }[])[0]?.result.length as number;

  it("of steps end an evaluation, and each begins with the full budget", () => {
    m.fn("portcullis_set_budget")(200);
    expect(count(5)).toBe(125);
    expect(count(5)).toBe(125);
    expect(() => count(6)).toThrow(new Abort("step limit exceeded"));
    expect(count(5)).toBe(125);
    m.fn("portcullis_set_budget")(0);
    expect(count(40)).toBe(64000);
  });

  it("of memory end an evaluation, and the module goes on", () => {
    expect(count(100)).toBe(1_000_000);
    m.fn("portcullis_set_ceiling")(m.base + 1_000_000);
    expect(() => count(100)).toThrow(new Abort("memory limit exceeded"));
    expect(count(5)).toBe(125);
    m.fn("portcullis_set_ceiling")(0);
    expect(count(100)).toBe(1_000_000);
  });

  it("of steps hold for crafted collisions of hashes too", () => {
    const keys = collisions(3000);
    m.fn("portcullis_set_budget")(1_000_000);
    expect(count(5)).toBe(125);
    const crafted = JSON.stringify([Object.fromEntries(keys.map((k) => [k, 1]))]);
    expect(() => m.evaluateText(crafted)).toThrow(new Abort("step limit exceeded"));
    const ordinary = JSON.stringify([Object.fromEntries(keys.map((_, i) => [`key ${i}`, 1]))]);
    expect(JSON.parse(m.evaluateText(ordinary))).toEqual([{ result: JSON.parse(ordinary) }]);
    expect(() => m.parse(crafted)).toThrow(new Abort("step limit exceeded"));
    expect(m.json(m.parse(`["${keys[0]}"]`))).toEqual([keys[0]]);
  });
});

/** Texts of eight printable characters that all have the same hash. */
function collisions(n: number): string[] {
  const found: string[] = [];
  const word = (text: string): number => new DataView(new TextEncoder().encode(text).buffer).getInt32(0, true);
  // mix(h, w) depends on h ^ w alone: any first word has exactly one second word that leads to the same hash.
  const wanted = mix(mix(TAG_STRING, 8), word("some")) ^ word("text");
  for (let i = 0; found.length < n; i++) {
    const first = (i + 36 ** 3).toString(36);
    const second = mix(mix(TAG_STRING, 8), word(first)) ^ wanted;
    const bytes = [0, 8, 16, 24].map((shift) => (second >>> shift) & 0xff);
    if (bytes.every((b) => b >= 32 && b < 127 && b !== 34 && b !== 92))
      found.push(first + String.fromCharCode(...bytes));
  }
  return found;
}
