/** Arrays and sets of what is in a list, which have room for all of it from the start. */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const REGO = `package t

answer := {
	"array": [x | some x in input.of],
	"set": {x | some x in input.of},
	"both": {x | some x in input.of} == {x | some x in input.again},
	"more": {x | some x in input.of} | {x | some x in input.again},
	"twice": [[y | some y in x] | some x in [input.of, input.again]],
}
`;

let policy: Policy;
beforeAll(async () => {
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", REGO)], entrypoints: ["t/answer"] });
  policy = await load(compiled?.wasm as Uint8Array);
});

const ask = (of: unknown, again: unknown): unknown =>
  policy.evaluateJson("t/answer", new TextEncoder().encode(JSON.stringify({ of, again })));

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

it.each([0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 100])("lists of %i, with some of them twice", (length) => {
  const of = Array.from({ length }, (_, i) => `element ${i % 40}`);
  const again = [...of].reverse();
  expect(ask(of, [...again, "z"])).toEqual({
    array: of,
    set: sorted(of),
    both: false,
    more: sorted([...of, "z"]),
    twice: [of, [...again, "z"]],
  });
  expect(ask(of, again)).toEqual({ array: of, set: sorted(of), both: true, more: sorted(of), twice: [of, again] });
});

it.each([
  [{ a: "y", b: "x", c: "y" }, ["y", "x", "y"]],
  [{}, []],
  ["a long text, which has a length too", []],
  [1e9, []],
  [null, []],
  [undefined, []],
])("%j", (of, elements) => {
  const set = sorted(elements);
  expect(ask(of, of ?? [])).toMatchObject({ array: elements, set, both: true, more: set });
});
