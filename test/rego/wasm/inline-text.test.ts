/** Builtins of texts that compiled code does itself beside constants: texts of all lengths around the constants', and other values. */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { valueOfJson } from "../../../compiler/rego/value/index.ts";

/** The last two are longer than what is compared in place, by their bytes. */
const AFFIXES = ["", "/", "//", "abc", "abcd", "abcde", "é/", "abcdefgh", "abcdefghi", "éééé/"];
const CUTSETS = ["", "/", " \t\n\u00a0\u2003", "./#$", "éa", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz/"];
const PREFIXES = [["abc", "abcdefghijk", "é"], ["todo", "tbd", "n/a", "/"], [""], ["a", "a", "ab"]];
const TRIMS = ["trim", "trim_left", "trim_right"];

const lists = (of: (builtin: string) => string[], ...builtins: string[]): string =>
  `[${builtins.flatMap(of).join(", ")}]`;
const call = (builtin: string, constant: string): string => `[x | x := ${builtin}(input.v, ${constant})]`;

const REGO = `package t

affixes := ${lists((b) => AFFIXES.map((c) => call(b, JSON.stringify(c))), "startswith", "endswith", "contains")}

holding := ${lists((b) => AFFIXES.map((c) => `[1 | ${b}(input.v, ${JSON.stringify(c)})]`), "startswith", "endswith", "contains")}

true_ones := ${lists((b) => AFFIXES.map((c) => `[1 | ${b}(input.v, ${JSON.stringify(c)}) == true]`), "startswith", "endswith", "contains")}

false_ones := ${lists((b) => AFFIXES.map((c) => `[1 | ${b}(input.v, ${JSON.stringify(c)}) == false]`), "startswith", "endswith", "contains")}

failing := ${lists((b) => AFFIXES.map((c) => `[1 | not ${b}(input.v, ${JSON.stringify(c)})]`), "startswith", "endswith", "contains")}

same := ${lists((o) => AFFIXES.map((c) => `[1 | input.v ${o} ${JSON.stringify(c)}]`), "==", "!=")}

trims := ${lists((b) => CUTSETS.map((c) => call(b, JSON.stringify(c))), ...TRIMS)}

prefixes := ${lists((b) => PREFIXES.map((c) => call(b, JSON.stringify(c))), "strings.any_prefix_match")}

prefixes_of_set := [x | x := strings.any_prefix_match(input.v, {"abc", "abcdefghijk", "é"})]

not_texts := [[x | x := strings.any_prefix_match(input.v, data.mixed)], [x | x := strings.any_prefix_match(input.v, set())]]

written if trim(input.v, " ") != ""

empty if input.v == ""

other if input.v != ""
`;

let policy: Policy;
beforeAll(async () => {
  const names = [
    "affixes",
    "holding",
    "true_ones",
    "false_ones",
    "failing",
    "same",
    "trims",
    "prefixes",
    "prefixes_of_set",
    "not_texts",
    "written",
    "empty",
    "other",
  ];
  const entrypoints = names.map((name) => `t/${name}`);
  const data = valueOfJson({ mixed: ["a", 1] });
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", REGO)], data, entrypoints });
  policy = await load(compiled?.wasm as Uint8Array);
});

const PARTS = [
  "",
  "/",
  "a",
  "ab",
  "abc",
  "abcd",
  "abcdefgh",
  "abcdefghijkl",
  "é",
  "éé/",
  "\u2003",
  " ",
  "  ",
  "\u00a0",
  ".",
  "Z0",
  "todo",
  "tb",
];
const TEXTS = [
  ...PARTS.flatMap((a) => PARTS.map((b) => a + b)),
  ...AFFIXES,
  "abcdefgX",
  "Xbcdefgh",
  "abcdefghi",
  "Xabcdefghi",
];
const OTHERS = [null, true, false, 0, 1.5, ["/"], [], {}, { "/": "/" }];

/** From bytes, and as an object: then the bytes of a string are written when they are asked for. */
function answers(name: string, v: unknown): unknown[] {
  const text = JSON.stringify({ v });
  return [policy.evaluateJson(`t/${name}`, new TextEncoder().encode(text)), policy.evaluate(`t/${name}`, { v })];
}

function trimmed(text: string, builtin: string, cutset: string): string {
  const characters = [...text];
  if (builtin !== "trim_right")
    while (characters.length > 0 && cutset.includes(characters[0] as string)) characters.shift();
  if (builtin !== "trim_left")
    while (characters.length > 0 && cutset.includes(characters.at(-1) as string)) characters.pop();
  return characters.join("");
}

const found = (text: string): boolean[] => [
  ...AFFIXES.map((affix) => text.startsWith(affix)),
  ...AFFIXES.map((affix) => text.endsWith(affix)),
  ...AFFIXES.map((affix) => text.includes(affix)),
];
const oneIf = (holds: boolean): number[] => (holds ? [1] : []);

describe.each([
  ["affixes", (text: string) => found(text).map((holds) => [holds])],
  ["holding", (text: string) => found(text).map((holds) => oneIf(holds))],
  ["true_ones", (text: string) => found(text).map((holds) => oneIf(holds))],
  ["false_ones", (text: string) => found(text).map((holds) => oneIf(!holds))],
  ["failing", (text: string) => found(text).map((holds) => oneIf(!holds))],
  ["same", (text: string) => [...AFFIXES.map((c) => oneIf(text === c)), ...AFFIXES.map((c) => oneIf(text !== c))]],
  ["trims", (text: string) => TRIMS.flatMap((b) => CUTSETS.map((cutset) => [trimmed(text, b, cutset)]))],
  ["prefixes", (text: string) => PREFIXES.map((list) => [list.some((prefix) => text.startsWith(prefix))])],
  ["prefixes_of_set", (text: string) => [["abc", "abcdefghijk", "é"].some((prefix) => text.startsWith(prefix))]],
  ["not_texts", () => [[], [false]]],
  ["written", (text: string) => (/[^ ]/.test(text) ? true : undefined)],
  ["empty", (text: string) => (text === "" ? true : undefined)],
  ["other", (text: string) => (text === "" ? undefined : true)],
])("%s", (name, wanted) => {
  it("of texts", () => {
    for (const text of TEXTS) expect([text, ...answers(name, text)]).toEqual([text, wanted(text), wanted(text)]);
  });
});

describe("other values", () => {
  it.each([
    ["affixes", Array.from({ length: 3 * AFFIXES.length }, () => [])],
    ["holding", Array.from({ length: 3 * AFFIXES.length }, () => [])],
    ["true_ones", Array.from({ length: 3 * AFFIXES.length }, () => [])],
    ["false_ones", Array.from({ length: 3 * AFFIXES.length }, () => [])],
    ["failing", Array.from({ length: 3 * AFFIXES.length }, () => [1])],
    ["same", Array.from({ length: 2 * AFFIXES.length }, (_, i) => (i < AFFIXES.length ? [] : [1]))],
    ["trims", Array.from({ length: 3 * CUTSETS.length }, () => [])],
    ["written", undefined],
    ["empty", undefined],
    ["other", true],
  ])("%s", (name, wanted) => {
    for (const v of OTHERS) expect([v, ...answers(name, v)]).toEqual([v, wanted, wanted]);
  });

  it("many texts have prefixes together", () => {
    expect(answers("prefixes", ["xyz", "todo: x"])).toEqual(
      Array.from({ length: 2 }, () => [[false], [true], [true], [false]]),
    );
    expect(answers("prefixes", [1])).toEqual(Array.from({ length: 2 }, () => [[], [], [], []]));
    expect(answers("prefixes", null)).toEqual(Array.from({ length: 2 }, () => [[], [], [], []]));
  });
});
