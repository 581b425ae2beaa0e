/** Sets of what is in a list that are only compared are not made, and compare as if they were. */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const REGO = `package t

same if {
	wanted := {y | some y in input.b}
	{x | some x in input.a} == wanted
	count(wanted) >= 0
}

named if {
	[a, b] := [input.a, input.b]
	{x | some x in a} == {y | some y in b}
}

neither if {x | some x in input.a} == {y | some y in input.b}

differ if {
	wanted := {y | some y in input.b}
	wanted != {x | some x in input.a}
	count(wanted) >= 0
}

constant if {x | some x in input.a} == {"a", "b", 1}

itself if {x | some x in input.a} == input.a

rows := [same_as_b | some row in input.rows; same_as_b := same_in(row)]

same_in(row) := "same" if {
	wanted := {y | some y in input.b}
	{x | some x in row} == wanted
	count(wanted) >= 0
} else := "other"

kept := [all, all == {y | some y in input.b}] if all := {x | some x in input.a}
`;

const NAMES = ["same", "neither", "named", "differ", "constant", "itself", "rows", "kept"];

let policy: Policy;
beforeAll(async () => {
  const modules = [new SourceFile("t.rego", REGO)];
  const { compiled } = await compileModules({ modules, entrypoints: NAMES.map((name) => `t/${name}`) });
  policy = await load(compiled?.wasm as Uint8Array);
});

function ask(name: string, input: unknown): unknown {
  const answers = [policy.evaluateJson(`t/${name}`, JSON.stringify(input)), policy.evaluate(`t/${name}`, input)];
  expect(answers[1]).toEqual(answers[0]);
  return answers[0];
}

const long = (count: number, ...more: readonly unknown[]): unknown[] => [
  ...Array.from({ length: count }, (_, i) => `element ${i}`),
  ...more,
];

const LISTS: readonly unknown[] = [
  [],
  ["a"],
  ["a", "a"],
  ["a", "b"],
  ["b", "a", "b"],
  ["a", "a", "b", "b", "a"],
  ["b", 1, "a"],
  ["a", "b", 1, "c"],
  [["a"], { a: ["b"] }, null, true],
  [true, { a: ["b"] }, ["a"], null, null],
  long(64),
  long(64).reverse(),
  long(65, "a"),
  long(65, "element 3"),
  long(200).reverse(),
  long(200, "element 7"),
  { p: "a", q: "b" },
  { a: "b", b: "b" },
  {},
  "ab",
  7,
  null,
];

/** The elements of a value, as texts. */
function elementsOf(value: unknown): Set<string> {
  const items = typeof value === "object" && value !== null ? Object.values(value) : [];
  return new Set(items.map((item) => JSON.stringify(item)));
}

function isSame(a: unknown, b: unknown): boolean {
  const [left, right] = [elementsOf(a), elementsOf(b)];
  return left.size === right.size && [...left].every((text) => right.has(text));
}

describe("sets of two lists", () => {
  it.each(LISTS.map((list) => [JSON.stringify(list).slice(0, 40), list]))("%s", (_text, a) => {
    for (const b of LISTS) {
      const wanted = isSame(a, b);
      expect([b, ask("same", { a, b }) ?? false]).toEqual([b, wanted]);
      expect([b, ask("neither", { a, b }) ?? false]).toEqual([b, wanted]);
      expect([b, ask("named", { a, b }) ?? false]).toEqual([b, wanted]);
      expect([b, ask("differ", { a, b }) ?? false]).toEqual([b, !wanted]);
    }
  });

  it("are empty without the list", () => {
    expect(ask("same", { b: [] })).toBe(true);
    expect(ask("same", {})).toBe(true);
    expect(ask("same", { b: ["a"] })).toBeUndefined();
    expect(ask("differ", { b: ["a"] })).toBe(true);
  });
});

it("compare with a constant", () => {
  for (const a of LISTS) expect([a, ask("constant", { a }) ?? false]).toEqual([a, isSame(a, ["a", "b", 1])]);
});

it("equal no list", () => {
  for (const a of LISTS) expect(ask("itself", { a })).toBeUndefined();
});

it("compare in every turn of a loop", () => {
  const rows = Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? ["b", "a", "b"] : long(i % 100)));
  expect(ask("rows", { b: ["a", "b"], rows })).toEqual(rows.map((_, i) => (i % 3 === 0 ? "same" : "other")));
});

it("are there for whatever else reads them", () => {
  expect(ask("kept", { a: ["b", "a", "b"], b: ["a", "b"] })).toEqual([["a", "b"], true]);
});
