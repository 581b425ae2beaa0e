/** Builtins that compiled code does itself where the arguments are short integers or arrays: at the edges of that, and beyond. */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

/** Integers that are held once, others, a fraction, and an integer of more than 64 bits. */
const CONSTANTS = ["0", "1", "255", "256", "-1", "4294967296", "1.5", "9223372036854775808"];

const REGO = `package t

sums := [[x | x := input.a + input.b], [x | x := input.a - input.b], input.a < input.b, input.a >= input.b]

whole := [[x | x := floor(input.a)], [x | x := ceil(input.a)], [x | x := round(input.a)]]

counted := [x | x := count(input.a)]

item := [x | x := input.list[input.i]]

fixed := [
	[x | x := input.list[0]],
	[x | x := input.list[2]],
	[x | x := input.list[3]],
	[x | x := input.list[-1]],
	[x | x := input.list[4294967296]],
	[x | x := input.list[9007199254740993]],
	[x | x := input.list[18446744073709551616]],
	[x | x := input.list[1.0]],
	[x | x := input.list[1e0]],
	[x | x := input.list[-0]],
]

beside := [[x | x := input.a + 9999999999999], [x | x := input.a - 1.0], input.a < -5, input.a >= 3]

numbered := [[i, x] | some i, x in input.list]

same := [${CONSTANTS.map((c) => `[1 | input.a == ${c}], [1 | input.a != ${c}]`).join(", ")}]

conditions := [
	[1 | input.a < input.b], [1 | not input.a < input.b],
	[1 | input.a >= input.b], [1 | not input.a >= input.b],
	[1 | (input.a < input.b) == false], [1 | (input.a >= input.b) == true],
	[1 | input.a < 256], [1 | input.a >= -5],
]

types := [[1 | is_number(input.a)], [1 | not is_number(input.a)], [1 | is_string(input.a) == false], [1 | is_array(input.a)]]
`;

let policy: Policy;
beforeAll(async () => {
  const entrypoints = [
    "sums",
    "whole",
    "counted",
    "item",
    "fixed",
    "beside",
    "numbered",
    "same",
    "conditions",
    "types",
  ].map((name) => `t/${name}`);
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", REGO)], entrypoints });
  policy = await load(compiled?.wasm as Uint8Array);
});

/** Asked as text: numbers of any size stay what they are. */
const ask = (name: string, text: string): unknown => policy.evaluateJson(`t/${name}`, text);

/** Around what is held once, what has 31, 32 and 63 bits, and where sums of these wrap around; sums have 64 bits at most. */
const EDGES = [0n, 1n, 2n, 127n, 128n, 254n, 255n, 256n, 257n, 1000n, ...[31n, 32n, 53n, 63n].flatMap(around)];

function around(bits: bigint): bigint[] {
  const power = 2n ** bits;
  return [power - 2n, power - 1n, power];
}

const INTEGERS = [...EDGES, ...EDGES.map((n) => -n)];

describe("sums and comparisons of integers", () => {
  it("are exact, whatever their size", () => {
    for (const a of INTEGERS) {
      for (const b of INTEGERS) {
        const wanted = [[Number(a + b)], [Number(a - b)], a < b, a >= b];
        const answer = ask("sums", `{"a": ${a}, "b": ${b}}`);
        if (JSON.stringify(answer) !== JSON.stringify(wanted)) expect([a, b, answer]).toEqual([a, b, wanted]);
      }
    }
  });

  it("are exact for other numbers too", () => {
    expect(ask("sums", '{"a": 0.5, "b": 1}')).toEqual([[1.5], [-0.5], true, false]);
    expect(ask("sums", '{"a": 1e2, "b": 100}')).toEqual([[200], [0], false, true]);
    expect(ask("sums", '{"a": 1.0, "b": 0}')).toEqual([[1], [1], false, true]);
  });

  it("are exact beside constants", () => {
    expect(ask("beside", '{"a": 3}')).toEqual([[10000000000002], [2], false, true]);
    expect(ask("beside", '{"a": -6}')).toEqual([[9999999999993], [-7], true, false]);
    expect(ask("beside", '{"a": 2.5}')).toEqual([[10000000000001.5], [1.5], false, false]);
    expect(ask("beside", '{"a": "3"}')).toEqual([[], [], false, true]);
  });

  it("are undefined for what has none, but values of any type have an order", () => {
    expect(ask("sums", '{"a": "1", "b": 1}')).toEqual([[], [], false, true]);
    expect(ask("sums", '{"a": null, "b": []}')).toEqual([[], [], true, false]);
  });
});

describe("conditions", () => {
  const oneIf = (holds: boolean): number[] => (holds ? [1] : []);

  it("whether a value is a number of the policy", () => {
    for (const a of INTEGERS) {
      const wanted = CONSTANTS.flatMap((c) => [oneIf(c === String(a)), oneIf(c !== String(a))]);
      expect([a, ask("same", `{"a": ${a}}`)]).toEqual([a, wanted]);
    }
  });

  it.each([
    ["1.0", "1"],
    ["1e0", "1"],
    ["2.56e2", "256"],
    ["1.5", "1.5"],
    ["15e-1", "1.5"],
    ["-0", "0"],
    ['"1"', ""],
    ["null", ""],
    ["[1]", ""],
    ["{}", ""],
    ["true", ""],
  ])("whether %s is one", (text, same) => {
    const wanted = CONSTANTS.flatMap((c) => [oneIf(c === same), oneIf(c !== same)]);
    expect(ask("same", `{"a": ${text}}`)).toEqual(wanted);
  });

  it("of two integers", () => {
    for (const a of INTEGERS) {
      for (const b of INTEGERS) {
        const [less, most] = [oneIf(a < b), oneIf(a >= b)];
        const wanted = [less, most, most, less, most, most, oneIf(a < 256n), oneIf(a >= -5n)];
        const answer = ask("conditions", `{"a": ${a}, "b": ${b}}`);
        if (JSON.stringify(answer) !== JSON.stringify(wanted)) expect([a, b, answer]).toEqual([a, b, wanted]);
      }
    }
  });

  it("of other values, which have an order", () => {
    expect(ask("conditions", '{"a": "1", "b": 1}')).toEqual([[], [1], [1], [], [1], [1], [], [1]]);
    expect(ask("conditions", '{"a": null, "b": 0.5}')).toEqual([[1], [], [], [1], [], [], [1], []]);
    expect(ask("conditions", '{"b": 1}')).toEqual([[], [], [], [], [], [], [], []]);
  });

  it.each([
    ['{"a": 1}', [[1], [], [1], []]],
    ['{"a": "x"}', [[], [1], [], []]],
    ['{"a": [1]}', [[], [1], [1], [1]]],
    ["{}", [[], [], [], []]],
  ])("of types: %s", (text, wanted) => {
    expect(ask("types", text)).toEqual(wanted);
  });
});

describe("rounding", () => {
  it.each([
    ["7", [[7], [7], [7]]],
    ["-7", [[-7], [-7], [-7]]],
    ["9223372036854775807", [[Number(2n ** 63n - 1n)], [Number(2n ** 63n - 1n)], [Number(2n ** 63n - 1n)]]],
    ["1.5", [[1], [2], [2]]],
    ["-1.5", [[-2], [-1], [-2]]],
    ['"7"', [[], [], []]],
    ["[7]", [[], [], []]],
  ])("%s", (text, wanted) => {
    expect(ask("whole", `{"a": ${text}}`)).toEqual(wanted);
  });
});

describe("counting", () => {
  it.each([0, 1, 255, 256, 257, 3000])("an array of %d", (length) => {
    expect(ask("counted", JSON.stringify({ a: Array.from({ length }, (_, i) => i) }))).toEqual([length]);
  });

  it.each([
    ['{"a": {"x": 1, "y": 2}}', [2]],
    ['{"a": "\u00e4\ud83d\ude00"}', [2]],
    ['{"a": ""}', [0]],
    ['{"a": 12}', []],
    ['{"a": null}', []],
    ["{}", []],
  ])("%s", (text, wanted) => {
    expect(ask("counted", text)).toEqual(wanted);
  });
});

describe("elements", () => {
  it.each([
    ['[10, 11, 12], "i": 0', [10]],
    ['[10, 11, 12], "i": 2', [12]],
    ['[10, 11, 12], "i": 3', []],
    ['[10, 11, 12], "i": -1', []],
    ['[10, 11, 12], "i": 4294967296', []],
    ['[10, 11, 12], "i": 18446744073709551616', []],
    ['[10, 11, 12], "i": -9223372036854775808', []],
    ['[10, 11, 12], "i": 0.5', []],
    // As `opa eval` answers: written without an exponent, in up to 19 characters, an integer is an index.
    ['[10, 11, 12], "i": 1.0', [11]],
    ['[10, 11, 12], "i": 1.00000000000000000', [11]],
    ['[10, 11, 12], "i": 1.000000000000000000', []],
    ['[10, 11, 12], "i": -0', [10]],
    ['[10, 11, 12], "i": -0.0', [10]],
    ['[10, 11, 12], "i": -1.0', []],
    ['[10, 11, 12], "i": 1e0', []],
    ['[10, 11, 12], "i": 10e-1', []],
    ['[10, 11, 12], "i": "0"', []],
    ['[10, 11, 12], "i": true', []],
    ['[], "i": 0', []],
    ['{"0": 10}, "i": 0', []],
    ['{"0": 10}, "i": "0"', [10]],
    ['"text", "i": 0', []],
  ])("%s", (text, wanted) => {
    expect(ask("item", `{"list": ${text}}`)).toEqual(wanted);
  });

  it("are found by constants as by what is in a request", () => {
    expect(ask("fixed", '{"list": [10, 11, 12]}')).toEqual([[10], [12], [], [], [], [], [], [11], [], [10]]);
    for (const list of ["[]", '{"0": 10, "2": 12, "-1": 9}', '"text"', "7", "null", "true"])
      expect(ask("fixed", `{"list": ${list}}`), list).toEqual(Array.from({ length: 10 }, () => []));
  });

  it("have their numbers, beyond those that are held once", () => {
    const list = Array.from({ length: 300 }, (_, i) => `x${i}`);
    expect(ask("numbered", JSON.stringify({ list }))).toEqual(list.map((x, i) => [i, x]));
    expect(ask("numbered", '{"list": {"b": 1, "a": 2}}')).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
    expect(ask("numbered", '{"list": "text"}')).toEqual([]);
  });
});
