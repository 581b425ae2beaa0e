/** Collections that are filled at compile time have the members that the module would give them, for work that grows with these. */

import { expect, it } from "vitest";
import { Work } from "../../../compiler/rego/optimize/evaluation-work.ts";
import { GrowingCollections } from "../../../compiler/rego/optimize/growing-collections.ts";
import type { Value } from "../../../compiler/rego/value/index.ts";
import { answer } from "../../limits/compile.ts";

const number = (text: string): Value => ({ kind: "number", text });
const string = (value: string): Value => ({ kind: "string", value });
const numbers = (count: number): Value[] => Array.from({ length: count }, (_, i) => number(String(i)));
const collections = (steps: number) => new GrowingCollections(new Work(steps), 10_000);

const MIXED = '[1, 1.0, 10e-1, 0, -0, 0.0, true, "true", "1", null, "null", [1], [1.0], {"a": 1}, {"a": 1.0}]';

it("has what equals each other once, as the module has it", async () => {
  const known = `s := {x | some x in ${MIXED}}\no := {x: 7 | some x in ${MIXED}}\np := [count(s), count(o), o[1.0], true in s]`;
  expect(await answer({ text: known }, {})).toEqual([9, 9, 7, true]);
  const asked = known.replaceAll(MIXED, "input.list");
  const list = JSON.parse(MIXED.replaceAll("-0", "0")) as unknown;
  expect(await answer({ text: asked }, { list })).toEqual([9, 9, 7, true]);
});

it("takes no work that grows with the square of its numbers", () => {
  const all = numbers(5000);
  const growing = collections(1000);
  const set = growing.set();
  const object = growing.object();
  const isTaken = [...all, ...all].every((one) => growing.add(set, one) && growing.insert(object, one, string("x")));
  expect(isTaken).toBe(true);
  expect([set, object].map((one) => ("items" in one ? one.items : "entries" in one ? one.entries : []).length)).toEqual(
    [5000, 5000],
  );
  expect(growing.element(set, number("4999.0"))).toEqual(number("4999.0"));
  expect(growing.element(object, number("4999.0"))).toEqual(string("x"));
  expect(growing.element(set, number("5000"))).toBeUndefined();
});
