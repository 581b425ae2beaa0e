/** What of a JavaScript object is a member of the policy's object, whichever way it is handed over. */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
const list = (wanted: readonly string[]): string => wanted.map((key) => `[x | x := input.${key}]`).join(", ");

const REGO = `package t

one := [${list(keys.slice(0, 1))}]

few := [${list(keys.slice(0, 3))}]

many := [${list(keys)}]

elements := [[x | x := e.k0] | some e in input.list]

whole := [object.get(input, key, "missing") | some key in ["k0", "k1", "\\ufffd"]]

replaced := [[x | x := input["\\ufffd"]], [x | x := input.k0]]

# No rule looks up what is in these lists, though the policy has "known" as well.
sorted if sort(input.list) == sort(input.other)

sorted_known if sort(input.list) == ["known", "unknown"]

key_of_sorted := {"known": 1}[sort(input.list)[0]]

digits := sprintf("%v", [input.list[0]])

any_blank if {
	some x in input.list
	trim(x, " ") == ""
}
`;

let policy: Policy;
beforeAll(async () => {
  const entrypoints = [
    "one",
    "few",
    "many",
    "elements",
    "whole",
    "replaced",
    "sorted",
    "sorted_known",
    "key_of_sorted",
    "any_blank",
    "digits",
  ].map((name) => `t/${name}`);
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", REGO)], entrypoints });
  policy = await load(compiled?.wasm as Uint8Array);
});

/** An object with `k0` as it is described. */
const withFirst = (descriptor: PropertyDescriptor, others: object = {}): object =>
  Object.defineProperty({ ...others }, "k0", { value: "there", configurable: true, ...descriptor });

const others = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`other${i}`, i]));

describe.each([
  ["an own, enumerable property", withFirst({ enumerable: true }), "there"],
  ["the same among many others", withFirst({ enumerable: true }, others), "there"],
  ["one that is not enumerable", withFirst({ enumerable: false }), undefined],
  ["the same among many others", withFirst({ enumerable: false }, others), undefined],
  ["one that is inherited", Object.create(withFirst({ enumerable: true })), undefined],
  ["the same under many own ones", Object.assign(Object.create(withFirst({ enumerable: true })), others), undefined],
  ["one that is undefined", { k0: undefined }, undefined],
  ["one under a symbol", { [Symbol("k0")]: 1 }, undefined],
] as const)("%s", (_, object, value) => {
  const first = value === undefined ? [] : [value];
  it("is the same to every rule", () => {
    expect(policy.evaluate("t/one", object)).toEqual([first]);
    expect(policy.evaluate("t/few", object)).toEqual([first, [], []]);
    expect(policy.evaluate("t/many", object)).toEqual([first, ...keys.slice(1).map(() => [])]);
    expect(policy.evaluate("t/elements", { list: [object, object] })).toEqual([first, first]);
    expect(policy.evaluate("t/whole", object)).toEqual([value ?? "missing", "missing", "missing"]);
    expect(policy.lastFault).toBeUndefined();
  });
});

describe("strings that are not looked up", () => {
  it("are what they are, beside those of the policy", () => {
    const both = ["unknown", "known"];
    expect(policy.evaluate("t/sorted", { list: both, other: ["known", "unknown"] })).toBe(true);
    expect(policy.evaluate("t/sorted", { list: both, other: ["known", "other"] })).toBeUndefined();
    expect(policy.evaluate("t/sorted_known", { list: both })).toBe(true);
    expect(policy.evaluate("t/sorted_known", { list: ["known"] })).toBeUndefined();
    expect(policy.evaluate("t/key_of_sorted", { list: both })).toBe(1);
    expect(policy.evaluate("t/key_of_sorted", { list: ["unknown"] })).toBeUndefined();
    expect(policy.evaluate("t/any_blank", { list: ["known", " "] })).toBe(true);
    expect(policy.evaluate("t/any_blank", { list: both })).toBeUndefined();
  });

  it("and that cannot be written leave nothing behind for the next request", () => {
    expect(policy.evaluate("t/sorted", { list: [Symbol("x")], other: [] })).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "input" });
    expect(policy.evaluate("t/sorted_known", { list: ["unknown", "known"] })).toBe(true);
  });
});

describe("a key that is not valid Unicode", () => {
  it("is refused where an object is handed over whole, as it would become another key", () => {
    expect(policy.evaluate("t/whole", { k0: 1, "\ud800": 2 })).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "input" });
    expect(policy.evaluate("t/whole", { k0: 1, "\ufffd": 2 })).toEqual([1, "missing", 2]);
    expect(policy.evaluate("t/whole", { k0: 1, "\ud83d\ude00": 2 })).toEqual([1, "missing", "missing"]);
  });

  it("is not a member elsewhere", () => {
    expect(policy.evaluate("t/replaced", { "\ud800": 1, k0: 2 })).toEqual([[], [2]]);
    expect(policy.evaluate("t/replaced", { "\ufffd": 1, "\udc00": 3 })).toEqual([[1], []]);
  });
});

describe("an object that JSON has no place for, or writes as something else", () => {
  it.each([
    ["a Map", new Map([["k0", 1]])],
    ["a Set", new Set([1])],
    ["bytes", new Uint8Array(2)],
    ["a buffer", new ArrayBuffer(2)],
    ["a Date", new Date(0)],
    ["a String object", new String("k0")],
    ["a Number object", new Number(1)],
    ["a Boolean object", new Boolean(true)],
  ])("%s is refused, not taken for an empty object", (_, value) => {
    for (const entrypoint of ["one", "few", "many", "whole"]) {
      expect(policy.evaluate(`t/${entrypoint}`, value), entrypoint).toBeUndefined();
      expect(policy.lastFault, entrypoint).toMatchObject({ code: "input" });
    }
    expect(policy.evaluate("t/elements", { list: [value] })).toBeUndefined();
  });
});

describe("a number beyond what is exact", () => {
  it.each([
    2 ** 53,
    -(2 ** 53) - 2,
    Number("12345678901234567890"),
    2 ** 63,
    -(2 ** 63),
    1e20,
    999999999999999900000,
    1e21,
    2 ** 70,
  ])("%d has the digits that it has as JSON text", (number) => {
    const text = new TextEncoder().encode(JSON.stringify({ list: [number] }));
    expect(policy.evaluate("t/digits", { list: [number] })).toBe(JSON.stringify(number));
    expect(policy.evaluateJson("t/digits", text)).toBe(policy.evaluate("t/digits", { list: [number] }));
  });
});
