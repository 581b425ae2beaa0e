/** What each statement of the IR does, where a compiler can get it wrong: undefined values, loops, blocks, conflicts. */

import { describe, expect, it } from "vitest";
import { Abort, emit, entrypoint, Module } from "./module.ts";
import { RETURN, run } from "./run-body.ts";

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
