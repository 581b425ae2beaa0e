/** Records, copies of static objects, behave like objects that are filled key by key: whatever is done with one afterwards. */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const many = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}": input.x`).join(", ");

const REGO = `package t

record := {"b": input.x, "a": 1, "c": {"d": input.y}}

plain := record

extended := object.union(record, {"z": 1, "B": 2, "aa": 3})

overridden := object.union({"a": 5, "c": {"e": 6}}, record)

removed := object.remove(record, ["a"])

removed_all := [object.remove(record, ["a", "b", "c"]), record]

filtered := object.filter(record, ["c", "b"])

patched := json.patch(record, [{"op": "remove", "path": "/a"}, {"op": "add", "path": "/A", "value": input.y}])

set_of := {record, {"a": 1, "b": input.x, "c": {"d": input.y}}, {"a": 2, "b": input.x, "c": {"d": input.y}}}

list_of := [{"i": i, "r": {"x": x, "k": 1}} | some i, x in input.list]

set_of_many := {{"x": x, "k": 1} | some x in input.list}

by_key := {r.x: r | some r in set_of_many}

equal_to := [record == {"c": {"d": input.y}, "b": input.x, "a": 1}, record == {"a": 1}, record == input.same]

sorted := sort([{"x": x, "k": 1} | some x in input.list])

keyed[r] := 1 if some r in set_of_many

counted := [count(record), count(removed), object.get(record, "b", "none"), object.get(record, "q", "none")]

walked := [[p, v] | walk(record, [p, v])]

scanned := [[k, v] | some k, v in record]

undefined_value := {"a": 1, "b": input.nothing}

undefined_inside := {"a": {"b": input.nothing}}

default partly := "default"
partly := {"a": 1, "b": input.nothing}

proto := {"__proto__": input.x, "constructor": 1, "a": 2}

proto_constant := {"__proto__": {"polluted": true}, "b": input.x}

nine := {${many(9)}}

eight := {${many(8)}}

eight_and_one := object.union(eight, {"k9": 1})

forty := {${many(40)}}

unicode := {"\u{ff5e}": input.x, "😀": 1, "é": 2, "z": 3, "": 4}

alike := [{"a": 1, "b": input.x}, {"a": 2, "b": input.x}, {"b": input.x, "a": 1}, {"a": 1, "b": input.y}]

constants := [{"a": 1, "b": [1, {"c": null}]}, {"a": 1, "b": [1, {"c": input.x}]}]

through_json := json.unmarshal(json.marshal(record))

texts := sprintf("%v", [record])

nested_deep := {"a": {"b": {"c": {"d": {"e": input.x}}}}, "f": [{"g": input.y}]}

with_set := {"s": {input.x, input.y}, "k": {"s": {3, 2, 1}}}
`.replace("\\u{ff5e}", "～");

const RULES = [...new Set([...REGO.matchAll(/^(?:default )?(\w+)(?: :=|\[)/gm)].map((m) => m[1] as string))];

/** What each rule answers to an input with these values, by a plain reading of it. */
function expected(x: unknown, y: unknown, list: readonly unknown[]): Readonly<Record<string, unknown>> {
  const record = { a: 1, b: x, c: { d: y } };
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, x]));
  return {
    plain: record,
    extended: { B: 2, a: 1, aa: 3, b: x, c: { d: y }, z: 1 },
    overridden: { a: 1, b: x, c: { d: y, e: 6 } },
    removed: { b: x, c: { d: y } },
    removed_all: [{}, record],
    filtered: { b: x, c: { d: y } },
    patched: { A: y, b: x, c: { d: y } },
    set_of: [record, { a: 2, b: x, c: { d: y } }],
    list_of: list.map((item, i) => ({ i, r: { k: 1, x: item } })),
    equal_to: [true, false, true],
    counted: [3, 2, x, "none"],
    scanned: Object.entries(record),
    undefined_value: undefined,
    undefined_inside: undefined,
    partly: "default",
    proto: JSON.parse(JSON.stringify({ constructor: 1, a: 2 }).replace("{", `{"__proto__":${JSON.stringify(x)},`)),
    proto_constant: JSON.parse(`{"__proto__":{"polluted":true},"b":${JSON.stringify(x)}}`),
    nine: keys(9),
    eight: keys(8),
    eight_and_one: { ...keys(8), k9: 1 },
    forty: keys(40),
    unicode: { "": 4, z: 3, é: 2, "～": x, "😀": 1 },
    alike: [
      { a: 1, b: x },
      { a: 2, b: x },
      { a: 1, b: x },
      { a: 1, b: y },
    ],
    constants: [
      { a: 1, b: [1, { c: null }] },
      { a: 1, b: [1, { c: x }] },
    ],
    through_json: record,
    nested_deep: { a: { b: { c: { d: { e: x } } } }, f: [{ g: y }] },
  };
}

describe("records", () => {
  let policy: Policy;
  beforeAll(async () => {
    const { compiled, diagnostics } = await compileModules({
      modules: [new SourceFile("t.rego", REGO)],
      entrypoints: RULES.map((r) => `t/${r}`),
    });
    if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
    policy = await load(compiled.wasm);
  });

  const values = ["x", "unknown", 7, null, true, [1], { k: "v" }];
  it.each(values.flatMap((x) => values.map((y) => [x, y] as const)))("hold %j and %j like any object", (x, y) => {
    const list = [x, y, 3];
    const input = { x, y, list, same: { a: 1, b: x, c: { d: y } } };
    for (const [rule, wanted] of Object.entries(expected(x, y, list))) {
      for (const answer of [
        policy.evaluate(`t/${rule}`, input),
        policy.evaluateJson(`t/${rule}`, JSON.stringify(input)),
      ]) {
        expect(policy.lastFault, rule).toBeUndefined();
        expect(answer, rule).toEqual(wanted);
        expect(JSON.stringify(answer === undefined ? null : sortedKeys(answer)), rule).toBe(
          JSON.stringify(wanted === undefined ? null : sortedKeys(wanted)),
        );
      }
    }
  });

  it("are one element of a set for each of their values", () => {
    const list = ["b", "a", "b", "a", "c", "a"];
    const input = { list, x: "x", y: "y" };
    const made = ["a", "b", "c"].map((x) => ({ k: 1, x }));
    expect(policy.evaluate("t/set_of_many", input)).toEqual(made);
    expect(policy.evaluate("t/by_key", input)).toEqual(Object.fromEntries(made.map((r) => [r.x, r])));
    expect(policy.evaluate("t/sorted", input)).toEqual([...list].sort().map((x) => ({ k: 1, x })));
    expect(policy.evaluate("t/keyed", input)).toEqual(Object.fromEntries(made.map((r) => [JSON.stringify(r), 1])));
    expect(policy.evaluate("t/walked", input)).toEqual([
      [[], { a: 1, b: "x", c: { d: "y" } }],
      [["a"], 1],
      [["b"], "x"],
      [["c"], { d: "y" }],
      [["c", "d"], "y"],
    ]);
    expect(policy.evaluate("t/texts", input)).toBe('{"a": 1, "b": "x", "c": {"d": "y"}}');
    expect(policy.evaluate("t/with_set", input)).toEqual({ k: { s: [1, 2, 3] }, s: ["x", "y"] });
  });

  it("are their own: what is done to one answer is not seen in the next", () => {
    const input = { x: "the input's own", y: "another", list: [] };
    const first = policy.evaluate("t/plain", input) as Record<string, unknown>;
    first["a"] = "spoilt";
    (first["c"] as Record<string, unknown>)["d"] = "spoilt";
    expect(policy.evaluate("t/plain", input)).toEqual({ a: 1, b: "the input's own", c: { d: "another" } });
    const constant = (policy.evaluate("t/constants", input) as { b: unknown[] }[])[0] as { b: unknown[] };
    expect(() => constant.b.push("spoilt")).toThrow(TypeError);
  });

  it("pollute no prototype", () => {
    const answer = policy.evaluate("t/proto_constant", { x: 1 }) as object;
    expect(Object.keys(answer)).toContain("__proto__");
    expect(Object.getPrototypeOf(answer)).toBe(Object.prototype);
    expect((answer as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([k, v]) => [k, sortedKeys(v)]);
}

describe("a record of constants", () => {
  const SIZE = 300;
  const table = Array.from({ length: SIZE }, (_, i) => `"id${i}": "name ${i}"`).join(", ");
  let answers: Policy;
  beforeAll(async () => {
    const text = `package t

table := {${table}}

p := {"allowed": input.n > 5, "name": table[input.id], "n": input.n, "list": table[input.other]}

q := {"name": table[input.id], "n": input.n}
`;
    const { compiled } = await compileModules({
      modules: [new SourceFile("t.rego", text)],
      entrypoints: ["t/p", "t/q"],
    });
    answers = await load(compiled?.wasm as Uint8Array);
  });

  it("is what it says, however many others there were", () => {
    for (let i = 0; i < 5000; i++) {
      const [a, b, n] = [(i * 7) % SIZE, (i * 11) % SIZE, i % 256];
      const input = { id: `id${a}`, other: `id${b}`, n };
      expect(answers.evaluate("t/p", input)).toEqual({
        allowed: n > 5,
        list: `name ${b}`,
        n,
        name: `name ${a}`,
      });
      expect(answers.evaluate("t/q", input)).toEqual({ n, name: `name ${a}` });
    }
  });

  it("is shared and cannot be changed; one that holds a part of the input is neither", () => {
    const ask = (n: number): object => answers.evaluate("t/q", { id: "id1", n }) as object;
    expect(ask(9)).toBe(ask(9));
    expect(Object.isFrozen(ask(9))).toBe(true);
    expect(ask(1000)).not.toBe(ask(1000));
    expect(ask(1000)).toEqual({ n: 1000, name: "name 1" });
    expect(Object.isFrozen(ask(1000))).toBe(false);
  });
});
