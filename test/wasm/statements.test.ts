/** What each statement of the IR does, where a compiler can get it wrong: undefined values, blocks, `with`, conflicts. */

import { describe, expect, it } from "vitest";
import type { Value } from "../../compiler/base/value.ts";
import { mix } from "../../compiler/wasm/hash.ts";
import { TAG_STRING } from "../../runtime/abi/index.ts";
import { Abort, emit, entrypoint, Module } from "./module.ts";

/** Runs the body of one rule function over an input and data; `undefined` when the rule is undefined. */
function run(body: string, input?: unknown, data?: unknown, more = "", constants: readonly Value[] = []): unknown {
  const indented = body.replace(/^/gm, "  ").replace(/\s+$/, "");
  const policy = `${entrypoint("p", "g0.data.p")}func g0.data.p(L0, L1) -> L2 path g0/p\n${indented}\n${more}`;
  const m = new Module(emit(policy, constants));
  if (data !== undefined) m.setData(data);
  const results = m.evaluate(input) as { result: unknown }[];
  return results.length === 0 ? undefined : results[0]?.result;
}

const RETURN = "block\n  return L2";

describe("undefined values", () => {
  it.each([
    "equal L0 true",
    "not-equal L0 true",
    "equal L0 L0",
    "not-equal L0 L1",
    "L2 = get L0 L1",
    "is-object L0",
    "L3 = len L0",
  ])("%s fails without input", (stmt) => {
    expect(run(`block\n  ${stmt}\n  L2 = "reached"\n${RETURN}`)).toBeUndefined();
  });

  it.each([
    "append L3 L0",
    "add L4 L0",
    'insert L5 "k" L0',
    "insert L5 L0 true",
    'insert-once L5 "k" L0',
    "L6 = merge L5 L0",
  ])("%s fails without input, and puts nothing in", (stmt) => {
    const body = `block\n  L3 = array 0\n  L4 = set\n  L5 = object\n  L2 = array 3\n  append L2 L3\n  append L2 L4\n  append L2 L5
  blocks
    block
      ${stmt}
      append L3 "reached"
${RETURN}`;
    expect(run(body)).toEqual([[], [], {}]);
  });

  it("fails a call with an undefined argument, but not for the input and data that every rule is passed", () => {
    const f = "func f(L0, L1, L3) -> L2\n  block\n    return L3\n";
    expect(run(`block\n  L2 = call f(L0, L1, L0)\n${RETURN}`, undefined, undefined, f)).toBeUndefined();
    expect(run(`block\n  L2 = call f(L0, L1, L0)\n${RETURN}`, [1], undefined, f)).toEqual([1]);
    expect(run(`block\n  L2 = call f(L0, L1, "x")\n${RETURN}`, undefined, undefined, f)).toBe("x");
  });

  it("copies undefined on assignment, and tells it from false and null", () => {
    const body = `block
  L3 = L0
  is-undefined L3
  L2 = "undefined"
block
  is-undefined L2
  L2 = "defined"
${RETURN}`;
    expect(run(body)).toBe("undefined");
    for (const input of [false, null, 0, "", []]) expect(run(body, input)).toBe("defined");
  });

  it("after a reset", () => {
    expect(run(`block\n  L3 = "x"\n  L3 = reset\n  is-defined L3\n  L2 = true\n${RETURN}`)).toBeUndefined();
    expect(run(`block\n  L3 = "x"\n  L3 = reset\n  equal L3 L3\n  L2 = true\n${RETURN}`)).toBeUndefined();
  });
});

describe("look-ups", () => {
  const get = (source: unknown, key: unknown): unknown =>
    run(`block\n  L3 = get L0 "source"\n  L4 = get L0 "key"\n  L2 = get L3 L4\n${RETURN}`, { source, key });

  it.each<[unknown, unknown, unknown]>([
    [{ a: 1 }, "a", 1],
    [{ a: 1 }, "b", undefined],
    [{ a: 1 }, 0, undefined],
    [[1, 2], 1, 2],
    [[1, 2], 2, undefined],
    [[1, 2], -1, undefined],
    [[1, 2], 0.5, undefined],
    [[1, 2], "0", undefined],
    [[1, 2], 2 ** 32, undefined],
    [[1, 2], [0], undefined],
    ["text", 0, undefined],
    [1, 0, undefined],
    [null, "a", undefined],
    [true, true, undefined],
  ])("%j[%j] is %j", (source, key, want) => {
    expect(get(source, key)).toEqual(want);
  });

  it("sets give the element", () => {
    const body = `block\n  L3 = set\n  add L3 "a"\n  add L3 L0\n  L2 = get L3 L0\n${RETURN}`;
    expect(run(body, { x: [1] })).toEqual({ x: [1] });
  });
});

describe("loops", () => {
  const pairs = `block\n  L2 = array 0\nblock\n  scan L0 as L3, L4\n    L5 = array 2\n    append L5 L3\n    append L5 L4\n    append L2 L5\n${RETURN}`;

  it("go through arrays by index, and through objects in the order of their keys", () => {
    expect(run(pairs, ["x", "y"])).toEqual([
      [0, "x"],
      [1, "y"],
    ]);
    expect(run(pairs, { b: 1, a: 2, "": 3 })).toEqual([
      ["", 3],
      ["a", 2],
      ["b", 1],
    ]);
  });

  it("go through sets in order, the element being key and value", () => {
    const body = `block
  L2 = array 0
  L6 = set
  scan L0 as L3, L4
    add L6 L4
  scan L6 as L3, L4
    equal L3 L4
    append L2 L4
${RETURN}`;
    const mixed = [{ a: 1 }, "b", [1], 2, "a", true, null, 1.5, false, [0, 9], {}, -3, 10, "😀", "\uffff"];
    expect(run(body, mixed)).toEqual([
      null,
      false,
      true,
      -3,
      1.5,
      2,
      10,
      "a",
      "b",
      "\uffff",
      "😀",
      [0, 9],
      [1],
      {},
      { a: 1 },
    ]);
  });

  it("have no turns over anything else", () => {
    for (const input of [undefined, 1, "text", null, true]) expect(run(pairs, input)).toEqual([]);
  });

  it("go on with the next turn when a statement fails, and end with a break out of them", () => {
    const odd = `block\n  L2 = array 0\n  scan L0 as L3, L4\n    not-equal L4 "skip"\n    append L2 L4\n${RETURN}`;
    expect(run(odd, ["a", "skip", "b"])).toEqual(["a", "b"]);
    const first = `block
  L2 = array 0
  blocks
    block
      scan L0 as L3, L4
        append L2 L4
        break 1
      append L2 "not reached"
  append L2 "after"
${RETURN}`;
    expect(run(first, ["a", "b"])).toEqual(["a", "after"]);
  });

  it("over large collections keep the order of numbers and of text", () => {
    const values = Array.from({ length: 3000 }, (_, i) => (i * 7919) % 3000);
    const body = `block\n  L2 = array 0\n  L6 = set\n  scan L0 as L3, L4\n    add L6 L4\n  scan L6 as L3, L4\n    append L2 L4\n${RETURN}`;
    expect(run(body, values)).toEqual([...values].sort((a, b) => a - b));
    expect(run(body, values.map(String))).toEqual(values.map(String).sort());
  });
});

describe("negation", () => {
  const not = (stmts: string): string => `block\n  not\n    ${stmts}\n  L2 = true\n${RETURN}`;
  it("of what fails, of what holds, and of what is undefined at any depth", () => {
    expect(run(not('L3 = get L0 "a"'), {})).toBe(true);
    expect(run(not('L3 = get L0 "a"'), { a: false })).toBeUndefined();
    expect(run(not('L3 = get L0 "a"\n    not-equal L3 false'), { a: false })).toBe(true);
    expect(run(not('L3 = get L0 "a"'))).toBe(true);
    expect(run(not('L3 = get L0 "a"\n    L4 = get L3 "b"\n    L5 = get L4 "c"'), { a: { b: {} } })).toBe(true);
    expect(run(not('not\n      L3 = get L0 "a"'), { a: 1 })).toBe(true);
    expect(run(not('not\n      L3 = get L0 "a"'), {})).toBeUndefined();
    expect(run(not("break 0"), {})).toBe(true);
  });
});

describe("conflicts", () => {
  it("of complete rules abort, equal values do not", () => {
    const body = (a: string, b: string): string => `block\n  L2 = once ${a}\nblock\n  L2 = once ${b}\n${RETURN}`;
    expect(() => run(body('"x"', '"y"'))).toThrow(new Abort("var assignment conflict"));
    expect(run(body('"x"', '"x"'))).toBe("x");
    expect(run(body("L0", "L1"), [1, { a: 2 }], [1.0, { a: 2 }])).toEqual([1, { a: 2 }]);
    expect(() => run(body("L0", "L1"), [1], [2])).toThrow("var assignment conflict");
    expect(run(body("L0", "L1"), [1], [1.0])).toEqual([1]);
  });

  it("of partial objects abort, equal values do not", () => {
    const body = (a: string, b: string): string =>
      `block\n  L2 = object\n  insert-once L2 "k" ${a}\n  insert-once L2 "k" ${b}\n${RETURN}`;
    expect(() => run(body('"x"', '"y"'))).toThrow(new Abort("object insert conflict"));
    expect(run(body("L0", "L1"), { a: [] }, { a: [] })).toEqual({ k: { a: [] } });
  });

  it("leave the instance usable", () => {
    const body = `block\n  L2 = once true\nblock\n  L3 = get L0 "other"\n  L2 = once L3\n${RETURN}`;
    const m = new Module(
      emit(`${entrypoint("p", "g0.data.p")}func g0.data.p(L0, L1) -> L2 path g0/p\n${body.replace(/^/gm, "  ")}\n`),
    );
    expect(m.evaluate({})).toEqual([{ result: true }]);
    expect(() => m.evaluate({ other: 1 })).toThrow("var assignment conflict");
    expect(m.evaluate({})).toEqual([{ result: true }]);
    expect(m.evaluate({ other: true })).toEqual([{ result: true }]);
  });
});

describe("merge", () => {
  it("joins objects recursively; where both have something else, the first counts", () => {
    const body = `block\n  L3 = get L0 "a"\n  L4 = get L0 "b"\n  L2 = merge L3 L4\n${RETURN}`;
    expect(run(body, { a: { x: { p: 1 }, y: 1, z: [1] }, b: { x: { q: 2, p: 3 }, y: 2, w: 4, z: {} } })).toEqual({
      x: { p: 1, q: 2 },
      y: 1,
      z: [1],
      w: 4,
    });
  });

  it("changes neither", () => {
    const body = `block\n  L3 = get L0 "a"\n  L4 = get L0 "b"\n  L5 = merge L3 L4\n  L2 = L0\n${RETURN}`;
    const input = { a: { x: { p: 1 } }, b: { x: { q: 2 }, y: 1 } };
    expect(run(body, input)).toEqual(input);
  });
});

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
