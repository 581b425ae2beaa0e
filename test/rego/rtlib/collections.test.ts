import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";
import { calls, expectLikeOpa, product } from "./differential.ts";
import { type Argument, NumberText, opaInstalled } from "./opa.ts";
import { Rtlib } from "./rtlib.ts";

/** Integers that are written otherwise. */
const wholes = ["1.0", "-0", "2.00", "-1.0", "1e0"].map((text) => new NumberText(text));

describe("collections", () => {
  const rtlib = new Rtlib();
  const q = (text: string): string => JSON.stringify(text);

  it("puts sets together, and makes them of keys, of every size", () => {
    const names = fc.array(fc.constantFrom(..."abcdefghijklmnop"), { maxLength: 14 });
    const ordered = (...lists: readonly string[][]): string[] => [...new Set(lists.flat())].sort();
    const setText = (list: readonly string[]): string => (list.length === 0 ? "set()" : `{${list.map(q).join(",")}}`);
    const objectText = (list: readonly string[]): string => `{${ordered([...list]).map((name) => `${q(name)}:1`)}}`;
    fc.assert(
      fc.property(names, names, names, (a, b, c) => {
        rtlib.reset();
        const both = rtlib.function("builtin_or")(rtlib.parse(setText(a)), rtlib.parse(setText(b)));
        const keys = rtlib.function("builtin_object_keys")(rtlib.parse(objectText(c)));
        const all = rtlib.function("builtin_or")(both, keys);
        expect(rtlib.valueText(rtlib.function("builtin_and")(all, both))).toBe(setText(ordered(a, b)));
        expect(rtlib.valueText(both)).toBe(setText(ordered(a, b)));
        expect(rtlib.valueText(keys)).toBe(setText(ordered(c)));
        expect(rtlib.valueText(all)).toBe(setText(ordered(a, b, c)));
        expect(rtlib.valueText(rtlib.function("builtin_minus")(all, keys))).toBe(
          setText(ordered(a, b).filter((name) => !c.includes(name))),
        );
      }),
      campaign(20_000),
    );
  });
});

describe("keys that are equal and written otherwise", () => {
  const rtlib = new Rtlib();
  it.each([
    ["[{1.0:1},{1:2}]", "{1:2}"],
    ["[{1:1},{1.0:2}]", "{1.0:2}"],
    ['[{"a":{1:{"b":1}}},{"a":{1.0:{"c":2}}}]', '{"a":{1.0:{"b":1,"c":2}}}'],
  ])("are in a union of many as in the last of them: %s", (objects, union) => {
    rtlib.reset();
    expect(rtlib.valueText(rtlib.function("builtin_object_union_n")(rtlib.parse(objects)))).toBe(union);
  });
});

describe("the keys that a filter leaves", () => {
  const rtlib = new Rtlib();
  it.each([
    ["{1:0,2:0}", "[1.0]", "{1:0}"],
    ["{1.0:0,2:0}", "[1,2]", "{1.0:0,2:0}"],
    ["{1.0:0}", "[1,2,3]", "{1:0}"],
  ])("are as the longer one writes them: %s, %s", (object, keys, left) => {
    rtlib.reset();
    const filter = rtlib.function("builtin_object_filter");
    expect(rtlib.valueText(filter(rtlib.parse(object), rtlib.parse(keys)))).toBe(left);
  });
});

describe.skipIf(!opaInstalled)("collections, like OPA", () => {
  it("objects", () => {
    const objects: Argument[] = [
      {},
      { a: 1 },
      { a: { b: 2 } },
      { a: { c: [1, { d: 2 }] }, b: { $set: [1, 2] } },
      { a: [1, 2] },
      [1],
      "a",
      null,
      1,
    ];
    const keys: Argument[] = [
      "a",
      "b",
      1,
      [],
      ["a"],
      ["a", "b"],
      ["a", "c", 1, "d"],
      ["a", 0],
      { $set: ["a"] },
      { a: 0 },
      null,
      ["b", 1],
    ];
    expectLikeOpa(calls("object.get", product(objects, keys, ["d", null])));
    expectLikeOpa(["object.remove", "object.filter"].flatMap((name) => calls(name, product(objects, keys))));
    expectLikeOpa(calls("object.keys", product(objects)));
    expectLikeOpa(calls("object.union", product(objects, objects)));
    const plain = objects.filter((o) => !JSON.stringify(o).includes("$set"));
    expectLikeOpa(
      calls(
        "object.union_n",
        product(plain, plain, plain).map((three) => [three]),
      ),
    );
    const wholes: Argument[] = [
      ...objects,
      [1, 2, 3],
      [1, 1],
      { $set: [1, 2, 3] },
      [[1, 2], { a: 1 }],
      { $set: [] },
      [],
    ];
    expectLikeOpa(
      calls("object.subset", product(wholes, [...wholes, [2, 3], { $set: [1, 2] }, { $set: [1, 9] }, { a: {} }])),
    );
  });

  it("sets, arrays, aggregates", () => {
    const sets: Argument[] = [{ $set: [] }, { $set: [1, 2] }, { $set: [2, 3, "a"] }, [1], 1, null];
    expectLikeOpa(
      ["and", "or", "minus", "set_diff"]
        .filter((n) => n !== "set_diff")
        .flatMap((name) => calls(name, product(sets, sets))),
    );
    const nested: Argument[] = [
      { $set: [] },
      { $set: [{ $set: [1, 2] }, { $set: [2, 3] }] },
      { $set: [{ $set: [1] }, 1] },
      [[1]],
      1,
    ];
    expectLikeOpa(["union", "intersection"].flatMap((name) => calls(name, product(nested))));
    const lists: Argument[] = [
      [],
      [1, 2.5, 3],
      { $set: [3, 1, 2] },
      [null, 1],
      { $set: [null, 1, "a"] },
      ["b", "a"],
      [1, "a"],
      { a: 1 },
      "abc",
      1,
      null,
      [true, false],
      [true],
      { $set: [false, true] },
      [[2], [1, 3]],
      [0.1, 0.2, 0.3],
    ];
    expectLikeOpa(
      ["count", "sum", "product", "max", "min", "sort", "array.reverse"].flatMap((name) => calls(name, product(lists))),
    );
    expectLikeOpa(calls("array.concat", product(lists, lists)));
    expectLikeOpa(calls("array.slice", product(lists, [0, 1, -1, 5, "a", ...wholes], [0, 2, -1, 9, 1.5, ...wholes])));
    expectLikeOpa(calls("internal.member_2", product([1, "a", null, [1, 3], true], lists)));
    expectLikeOpa(calls("internal.member_3", product([0, 1, "a", -1, 1.5], [1, 2.5, "a", true], lists)));
  });
});
