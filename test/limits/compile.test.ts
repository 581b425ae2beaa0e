/**
 * What is large compiles and answers rightly, or is refused at its place. Sizes are such that a step which takes quadratic
 * time would take minutes: the time limit is no measure, it only ends what hangs.
 */

import { describe, expect, it } from "vitest";
import type { Value } from "../../compiler/rego/value/value.ts";
import { isWhole, sampled } from "../campaign.ts";
import { answer, answerOf, array, findings, loaded, many, number, object, type Size } from "./compile.ts";

/** Rules of one document, and values of one rule: fewer in `make test`. */
const DEFINITIONS = isWhole ? 10_000 : 1_000;
const VALUES = isWhole ? 2_000 : 500;
const thousands = (n: number): string => n.toLocaleString("en");

/** Those rows that run: a sixteenth in `make test`. */
const some = <T>(rows: readonly T[]): readonly T[] => sampled(rows, 1 / 16);

type Row = readonly [name: string, size: Size, input: unknown, expected: unknown];

const table = (count: number): Value =>
  object(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, object({ n: number(i) })])));
const numbers = (count: number): Value => array(Array.from({ length: count }, (_, i) => number(i)));

describe("large data", () => {
  it.each<Row>(
    some([
      [
        "100,000 entries of an object",
        { text: "p := [data.tab[input.k].n, count(data.tab)]", data: object({ tab: table(100_000) }) },
        { k: "k99999" },
        [99_999, 100_000],
      ],
      [
        "100,000 elements of an array",
        { text: "p := [input.x in data.tab, data.tab[99999]]", data: object({ tab: numbers(100_000) }) },
        { x: 99_998 },
        [true, 99_999],
      ],
      [
        "100,000 elements of a set",
        {
          text: "s := {x | some x in data.tab}\np := [input.x in s, count(s)]",
          data: object({ tab: numbers(100_000) }),
        },
        { x: 100_000 },
        [false, 100_000],
      ],
      [
        "100,000 entries of 300 objects",
        {
          text: "p := data.tab[input.a][input.b]",
          data: object({
            tab: object(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, numbers(333)]))),
          }),
        },
        { a: "k299", b: 332 },
        332,
      ],
    ]),
  )("%s", async (_name, size, input, expected) => {
    expect(await answer(size, input)).toEqual(expected);
  });

  it("nested 10,000 deep is refused", async () => {
    let deep = array([]);
    for (let i = 0; i < 10_000; i++) deep = array([deep]);
    expect(await findings({ text: "p := data.tab", data: object({ tab: deep }) })).toEqual(["wasm/too-deep"]);
  });
});

describe("large literals", () => {
  it.each<Row>(
    some([
      ["a string of 1 MB", { text: `p := count("${"x".repeat(1_000_000)}")` }, {}, 1_000_000],
      ["a raw string of a million lines", { text: `p := count(\`${"\n".repeat(1_000_000)}\`)` }, {}, 1_000_000],
      [
        "an object of 20,000 entries",
        { text: `p := {${many(20_000, (i) => `"k${i}": ${i}`, ", ")}}[input.k]` },
        { k: "k19999" },
        19_999,
      ],
      ["a set of 50,000", { text: `p := input.x in {${many(50_000, (i) => `"v${i}"`, ", ")}}` }, { x: "v49999" }, true],
      ["an array of 50,000", { text: `p := [${many(50_000, String, ", ")}][input.i]` }, { i: 49_999 }, 49_999],
      [
        "an array of 5,000 look-ups",
        { text: `p := count([${many(5_000, (i) => `input.x + ${i}`, ", ")}])` },
        { x: 1 },
        5_000,
      ],
      ["a template of 1,500 parts", { text: `p := count($"${"{input.x}".repeat(1_500)}")` }, { x: "ab" }, 3_000],
      ["100,000 comments", { text: `${many(100_000, (i) => `# ${i}`)}\npackage t\np := 1` }, {}, 1],
      ["a million empty lines", { text: `${"\n".repeat(1_000_000)}p := 1` }, {}, 1],
    ]),
  )("%s", async (_name, size, input, expected) => {
    expect(await answer(size, input)).toEqual(expected);
  });

  it.each([
    ["a number of a million digits", `p := ${"7".repeat(1_000_000)}`, "rego/illegal-number@2:6"],
    ["a large exponent", "p := 1e999999999 + 1", "rego/illegal-number@2:6"],
    ["a large negative exponent", "p := 1e-99999999999999999999", "rego/illegal-number@2:6"],
    ["an exponent in a place of a list", "p := [1, 2, 1e999999999]", "rego/illegal-number@2:13"],
  ])("%s is refused", async (_name, text, expected) => {
    expect(await findings({ text })).toEqual([expected]);
  });
});

describe("many definitions", () => {
  it.each<Row>(
    some([
      [
        "a set of 10,000 clauses",
        { text: many(10_000, (i) => `p contains "v${i}" if input.x[_] == ${i}`) },
        { x: [7, 9_999, 5_000] },
        ["v5000", "v7", "v9999"],
      ],
      [
        "an object of 5,000 clauses, two of which agree, with a default below it",
        {
          text: `${many(5_000, (i) => `p[x] := ${i} if { x := "v${i}"; input.x == ${i} }`)}\np[x] := 7 if { x := "v7"; input.x }`,
        },
        { x: 7 },
        { v7: 7 },
      ],
      ["a rule of 5,000 values", { text: many(5_000, (i) => `p := ${i} if input.x == ${i}`) }, { x: 4_999 }, 4_999],
      [
        "a rule of 5,000 bodies and a default",
        { text: `default p := false\n${many(5_000, (i) => `p if input.x == ${i}`)}` },
        { x: 5_000 },
        false,
      ],
      [
        "a function of 5,000 definitions",
        { text: `${many(5_000, (i) => `f(x, y) := "v${i}" if { x == ${i}; y > ${i} }`)}\np := f(input.x, input.y)` },
        { x: 4_000, y: 4_001 },
        "v4000",
      ],
      [
        "a function of 5,000 arguments",
        { text: `${many(5_000, (i) => `f(${i}) := "v${i}"`)}\ndefault f(_) := "none"\np := [f(input.x), f(input.y)]` },
        { x: 4_999, y: 5_000 },
        ["v4999", "none"],
      ],
    ]),
  )("%s", async (_name, size, input, expected) => {
    expect(await answer(size, input)).toEqual(expected);
  });

  it(`${thousands(DEFINITIONS)} rules as one document`, async () => {
    const last = DEFINITIONS - 1;
    const text = many(DEFINITIONS, (i) => `r${i} if input.x[_] == ${i}`);
    expect(await answer({ text, entrypoint: "t" }, { x: [1, last] })).toEqual({ r1: true, [`r${last}`]: true });
  });

  it("a rule of many values conflicts over its parts", async () => {
    const size = { text: `${many(VALUES, (i) => `p := ${i} if input.x == ${i}`)}\np := -1 if input.y` };
    const policy = await loaded(size);
    expect(answerOf(policy, size, { x: VALUES - 1 })).toBe(VALUES - 1);
    expect(() => answerOf(policy, size, { x: VALUES - 1, y: true })).toThrow("conflict");
  });

  it("an object of many values conflicts over its parts", async () => {
    const size = {
      text: `${many(VALUES, (i) => `p["v${i}"] := ${i} if input.x == ${i}`)}\np[x] := -1 if x := input.y`,
    };
    const policy = await loaded(size);
    expect(answerOf(policy, size, { x: VALUES - 1 })).toEqual({ [`v${VALUES - 1}`]: VALUES - 1 });
    expect(() => answerOf(policy, size, { x: VALUES - 1, y: `v${VALUES - 1}` })).toThrow("conflict");
  });

  it("many values under a with", async () => {
    const text = `${many(VALUES, (i) => `q contains ${i} if data.x[_] == ${i}`)}\np := x if x := q with data.x as input.x`;
    expect(await answer({ text }, { x: [VALUES - 1, 3, VALUES] })).toEqual([3, VALUES - 1]);
  });
});

describe("long bodies and chains", () => {
  const members = (count: number): unknown => Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, i]));

  it.each<Row>(
    some([
      [
        "a body of 5,000 tests",
        { text: `p if {\n${many(5_000, (i) => `input.a${i} == ${i}`)}\n}` },
        members(5_000),
        true,
      ],
      [
        "a body of 5,000 tests, the last of which fails",
        { text: `default p := "no"\np if {\n${many(5_001, (i) => `input.a${i} == ${i}`)}\n}` },
        members(5_000),
        "no",
      ],
      [
        "a body of 5,000 variables",
        { text: `p := x17 + x4999 if {\n${many(5_000, (i) => `x${i} := input.a${i}`)}\n}` },
        members(5_000),
        5_016,
      ],
      ["a body of 5,000 negations", { text: `p if {\n${many(5_000, (i) => `not input.b${i}`)}\n}` }, members(1), true],
      [
        "a body in which each expression needs the one before",
        { text: `p := x5000 if {\nx0 := input.a1\n${many(5_000, (i) => `x${i + 1} := x${i} + 1`)}\n}` },
        members(2),
        5_001,
      ],
      [
        "a chain of 5,000 rules",
        { text: `${many(5_000, (i) => `r${i} if r${i + 1}`)}\nr5000 if input.a1\np := r0` },
        members(2),
        true,
      ],
      [
        "a chain of 2,000 functions",
        { text: `${many(2_000, (i) => `f${i}(x) := f${i + 1}(x + 1)`)}\nf2000(x) := x\np := f0(input.a1)` },
        members(2),
        2_001,
      ],
      [
        "a chain of 900 else",
        { text: `p := 0 if input.a0 == -1\n${many(900, (i) => `else := ${i} if input.a300 == ${i}`)}` },
        members(301),
        300,
      ],
      ["a sum of 1,001 terms", { text: `p := ${many(1_001, () => "input.a1", " + ")}` }, members(2), 1_001],
      ["5,000 imports", { text: `${many(5_000, (i) => `import input.a${i}`)}\np := a4999` }, members(5_000), 4_999],
    ]),
  )("%s", async (_name, size, input, expected) => {
    expect(await answer(size, input)).toEqual(expected);
  });

  it("a reference of 10,000 parts", async () => {
    const text = `p if input${".a".repeat(10_000)}\nq := input${".a".repeat(300)}`;
    let input: unknown = 17;
    for (let i = 0; i < 300; i++) input = { a: input };
    expect(await answer({ text }, input)).toBeUndefined();
    expect(await answer({ text, entrypoint: "t/q" }, input)).toBe(17);
  });

  it("a reference of 10,000 parts into data", async () => {
    expect(await answer({ text: `p := 1 if data${".a".repeat(10_000)}` }, {})).toBeUndefined();
  });
});

describe("what is nested or chained too deeply is refused where it is", () => {
  it.each([
    ["a million brackets", `p := ${"[".repeat(1_000_000)}`, "rego/too-deep@2:106"],
    ["a million parentheses", `p := ${"(".repeat(1_000_000)}`, "rego/too-deep@2:106"],
    ["10,000 balanced brackets", `p := ${"[".repeat(10_000)}${"]".repeat(10_000)}`, "rego/too-deep@2:106"],
    ["5,000 comprehensions", `p := ${"[x | x := ".repeat(5_000)}1${"]".repeat(5_000)}`, "rego/too-deep@2:997"],
    ["5,000 calls", `p := ${"abs(".repeat(5_000)}1${")".repeat(5_000)}`, "rego/too-deep@2:406"],
    ["5,000 every", `p if { ${"every x in [1] { ".repeat(5_000)}true${" }".repeat(5_000)} }`, undefined],
    [
      "5,000 negated comprehensions",
      `p if { ${"not count([1 | ".repeat(5_000)}1${"]) == 0".repeat(5_000)} }`,
      undefined,
    ],
    ["1,000 templates", `p := ${'$"{'.repeat(1_000)}1${'}"'.repeat(1_000)}`, "rego/too-deep@2:306"],
    ["10,000 terms of a sum", `p := ${many(10_000, () => "1", " + ")}`, undefined],
    ["10,000 terms of a union", `p := ${many(10_000, () => "{1}", " | ")}`, undefined],
    ["10,000 terms of an intersection", `p := ${many(10_000, () => "{1}", " & ")}`, undefined],
    [
      "sums that begin with sums",
      `p := ${many(30, () => "(")}1${many(30, () => `${many(50, () => " + 1", "")})`)}`,
      undefined,
    ],
    ["10,000 else", `p := 0 if input.x\n${many(10_000, (i) => `else := ${i} if input.y`)}`, undefined],
  ])("%s", async (_name, text, expected) => {
    const found = await findings({ text });
    expect(found).toEqual([expected ?? expect.stringMatching(/^rego\/too-deep@\d+:\d+$/)]);
  });

  it.each([
    ["a megabyte of |", `p := ${"|".repeat(1_000_000)}`],
    ["two megabytes of &|", `p := ${"&|".repeat(1_000_000)}`],
    ["10,000 minus signs", `p := ${"-".repeat(10_000)}1`],
  ])("%s is no Rego", async (_name, text) => {
    expect(await findings({ text })).toEqual([expect.stringMatching(/^rego\/unexpected-token@2:[67]$/)]);
  });

  it("metadata", async () => {
    const text = `# METADATA\n# custom: ${"[".repeat(3_000)}${"]".repeat(3_000)}\npackage t\np := 1`;
    expect(await findings({ text })).toEqual([expect.stringMatching(/^rego\/illegal-metadata@2:\d+$/)]);
    const aliases = many(30, (i) => `#   a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`);
    const bomb = `# METADATA\n# custom:\n#   a0: &a0 [x, x]\n${aliases}\npackage t\np := 1`;
    expect(await findings({ text: bomb })).toEqual([expect.stringMatching(/^rego\/illegal-metadata@\d+:\d+$/)]);
  });

  it("5,000 iterations in one rule", async () => {
    const text = `p if {\n${many(5_000, (i) => `some x${i} in input.a`)}\n}`;
    expect(await findings({ text })).toEqual([expect.stringMatching(/^plan\/too-deep@\d+:1$/)]);
  });

  it("5,000 with", async () => {
    const text = `q if input.a0\np if q ${many(5_000, (i) => `with input.a${i} as ${i}`, " ")}`;
    expect(await findings({ text })).toEqual(["plan/too-deep@3:6"]);
  });

  it("a function of 2,000 parameters", async () => {
    const text = `f(${many(2_000, (i) => `x${i}`, ", ")}) := x0\np := f(${many(2_000, () => "input.a", ", ")})`;
    expect(await findings({ text })).toEqual(["wasm/too-large@2:1"]);
  });

  it("thousands of findings", async () => {
    const found = await findings({ text: many(5_000, (i) => `r${i} if x${i}`), entrypoint: "t/r0" });
    expect(found.length).toBe(5_000);
    expect(found[4_999]).toMatch(/^analyze\/unsafe-var@5001:\d+$/);
  });
});
