/** Where the parts of an input go in static memory, and that modules read exactly those places. */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { emptyFootprint, type Footprint } from "../../../compiler/rego/optimize/footprint.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { footprintNode, inputDots, layOutSlots } from "../../../compiler/rego/wasm/input-layout.ts";
import { StaticData } from "../../../compiler/rego/wasm/static-data.ts";
import { COLLECTION_COUNT, COLLECTION_ITEMS, RTLIB_BASE, TAG_OBJECT } from "../../../runtime/abi/layout.ts";
import type {
  FootprintElements,
  FootprintMembers,
  FootprintNode,
  PolicySection,
  RowArray,
} from "../../../runtime/abi/section.ts";
import { parsePolicyText } from "../plan/parse-text.ts";

type Spelled = "*" | "-" | readonly [Spelled] | { readonly [key: string]: Spelled };

function footprint(spelled: Spelled): Footprint {
  const members = new Map<string, Footprint>();
  const of = (whole: boolean, each?: Footprint): Footprint => ({ ...emptyFootprint(), whole, members, each });
  if (spelled === "*" || spelled === "-") return of(spelled === "*");
  if (Array.isArray(spelled)) return of(false, footprint(spelled[0] as Spelled));
  for (const [key, inner] of Object.entries(spelled)) members.set(key, footprint(inner));
  return of(false);
}

const newData = (): StaticData => new StaticData(RTLIB_BASE, new Uint8Array());

describe("the slot area", () => {
  it("is one tree for all entrypoints, and each fills the slots that it names", () => {
    const data = newData();
    const footprints = [footprint({ a: { x: "*" }, b: "*" }), footprint({ a: { y: "-" }, c: { z: "*" } })];
    const root = layOutSlots(data, footprints);
    expect([...(root?.members.keys() ?? [])]).toEqual(["a", "b", "c"]);
    const below = root?.members.get("a")?.layout.object;
    expect([...(below?.members.keys() ?? [])]).toEqual(["x", "y"]);
    const [first, second] = footprints.map((f) => footprintNode(data, f, { object: root })) as FootprintMembers[];
    expect(Object.keys(first?.slots ?? {})).toEqual(["a", "b"]);
    expect(Object.keys(second?.slots ?? {})).toEqual(["a", "c"]);
    expect(first?.object).toBe(second?.object);
    expect(first?.slots?.["a"]).toBe(second?.slots?.["a"]);
    const inner = [first, second].map((node) => node?.members["a"] as FootprintMembers);
    expect(inner[0]?.object).toBe(inner[1]?.object);
    expect(inner[0]?.slots?.["x"]).not.toBe(inner[1]?.slots?.["y"]);
  });

  it("has no two slots at one address, whatever the footprints", () => {
    const data = newData();
    const root = layOutSlots(data, [
      footprint({ a: { a: { a: "*", b: "-" }, b: "*" }, b: { a: { a: "*" } }, "": "*" }),
      footprint({ ["__proto__"]: { k: "*" }, "10": "*", "9": "*", "😀": "*", "～": "*" }),
    ]);
    const slots: number[] = [];
    const visit = (object: typeof root): void => {
      for (const { slot, layout } of object?.members.values() ?? []) {
        slots.push(slot);
        visit(layout.object);
      }
    };
    visit(root);
    expect(slots.length).toBeGreaterThan(12);
    expect(new Set(slots).size).toBe(slots.length);
    expect(slots.every((slot) => slot % 4 === 0)).toBe(true);
  });

  it("has no place for what is handed over whole, and for elements of the input itself", () => {
    const data = newData();
    const nodes = (["*", "-", ["*"], [{ a: "*" }]] as Spelled[]).map((spelled): FootprintNode => {
      const read = footprint(spelled);
      const root = layOutSlots(data, [read]);
      expect(root).toBeUndefined();
      return footprintNode(data, read, { object: root });
    });
    const ofObjects = true;
    expect(nodes).toEqual([
      true,
      { members: {} },
      { each: true, ofObjects },
      { each: { members: { a: true } }, ofObjects },
    ]);
    const mixed = [footprint({ a: "*" }), footprint({ a: { b: "*" } }), footprint({ a: [{ c: "*" }] })];
    const root = layOutSlots(data, mixed);
    expect([...(root?.members.get("a")?.layout.object?.members.keys() ?? [])]).toEqual(["b"]);
    const [whole, , elements] = mixed.map((f) => footprintNode(data, f, { object: root }) as FootprintMembers);
    expect(whole?.members["a"]).toBe(true);
    expect(elements?.members["a"]).toMatchObject({ each: { members: { c: true } } });
  });

  it("tells whether each value of an object is wanted as each element is: not where a rule asks for one by its own key", () => {
    const data = newData();
    const elements = footprint([{ a: "*" }]);
    expect(footprintNode(data, elements, {})).toMatchObject({ ofObjects: true });
    elements.members.set("k", footprint({ b: "*" }));
    expect(footprintNode(data, elements, {})).toEqual({ each: { members: { a: true } } });
  });

  it("has rows for elements, with the keys that any entrypoint asks for", () => {
    const data = newData();
    const footprints = [footprint({ a: [{ y: "*", x: { i: "*" } }] }), footprint({ a: [{ z: [{ k: "-" }] }] })];
    const root = layOutSlots(data, footprints);
    const [first, second] = footprints.map(
      (f) => (footprintNode(data, f, { object: root }) as FootprintMembers).members["a"] as FootprintElements,
    );
    const [one, two] = [first?.each, second?.each] as [FootprintMembers, FootprintMembers];
    const inner = two.members["z"] as FootprintElements;
    expect(one.row).toEqual({ number: 1, keys: ["x", "y", "z"] });
    expect(two.row).toEqual(one.row);
    expect([Object.keys(one.members), Object.keys(two.members)]).toEqual([["x", "y"], ["z"]]);
    const numbers = [one.members["x"], inner.each].map((node) => (node as FootprintMembers).row?.number);
    expect(numbers).toEqual([2, 3]);
    expect(first?.rows).toEqual(second?.rows);
    // Only what has a slot has rows of its own: an inner array may be there as often as there are outer elements.
    expect(inner.rows).toBeUndefined();
    const rows = first?.rows as RowArray;
    const { array, items, first: start, stride, capacity } = rows;
    const { bytes } = data.seal();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const at = (address: number): number => view.getUint32(address - RTLIB_BASE, true);
    expect([at(array) & 0xff, at(array + COLLECTION_COUNT), at(array + COLLECTION_ITEMS)]).toEqual([5, 0, items]);
    for (let i = 0; i < capacity; i++) {
      const row = start + i * stride;
      expect(at(items + i * 4)).toBe(row);
      expect([at(row), at(row + COLLECTION_COUNT)]).toEqual([TAG_OBJECT | (1 << 16), 3]);
      const entries = at(row + COLLECTION_ITEMS);
      expect([0, 8, 16].map((n) => at(entries + n))).toEqual(["x", "y", "z"].map((key) => data.string(key)));
      expect([4, 12, 20].map((n) => at(entries + n))).toEqual([0, 0, 0]);
      expect(entries + 24).toBeLessThanOrEqual(row + stride);
    }
  });

  it("consists of objects whose values are undefined", () => {
    const data = newData();
    const root = layOutSlots(data, [footprint({ b: "*", a: "*" })]);
    const { bytes } = data.seal();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const at = (address: number): number => view.getUint32(address - RTLIB_BASE, true);
    const object = root?.address as number;
    expect(view.getUint8(object - RTLIB_BASE)).toBe(TAG_OBJECT);
    expect(at(object + COLLECTION_COUNT)).toBe(2);
    const items = at(object + COLLECTION_ITEMS);
    expect([at(items + 4), at(items + 12)]).toEqual([0, 0]);
    expect([root?.members.get("a")?.slot, root?.members.get("b")?.slot]).toEqual([items + 4, items + 12]);
    expect(at(items)).toBe(data.string("a"));
    expect(at(items + 8)).toBe(data.string("b"));
  });
});

describe("look-ups that may find a slot", () => {
  const text = `func f(L0, L1) -> L2
  block
    L3 = get L0 "a"
    L4 = get L3 "x"
    L5 = get L1 "a"
    L6 = get L0 "nowhere"
    L7 = get L0 L4
    blocks
      block
        L8 = get L3 "x"
        L2 = L8
  block
    return L2
`;

  it("are those of the input by keys that the tree has", () => {
    const policy = parsePolicyText(text);
    const root = layOutSlots(newData(), [footprint({ a: { x: "*" } })]);
    const blocks = policy.funcs[0]?.blocks ?? [];
    const found = inputDots(policy, blocks, root);
    const targets = [...found].map(([stmt, dot]) => [stmt.target, dot]);
    const a = root?.members.get("a");
    const object = a?.layout.object;
    const x = object?.members.get("x")?.slot;
    expect(targets).toEqual([
      [3, { kind: "slot", object: root?.address, slot: a?.slot }],
      [4, { kind: "slot", object: object?.address, slot: x }],
      [8, { kind: "slot", object: object?.address, slot: x }],
    ]);
    expect(inputDots(policy, blocks, undefined).size).toBe(0);
  });
});

describe("look-ups that may find a row", () => {
  const text = `func f(L0, L1) -> L2
  block
    L3 = get L0 "a"
    L4 = get L3 L1
    L5 = get L4 "y"
    scan L3 as L6, L7
      L8 = get L7 "x"
      L9 = get L7 "nowhere"
      L10 = L7
      L11 = get L10 "y"
      L12 = get L8 "i"
    L13 = get L3 "x"
  block
    return L2
`;

  it("are those of elements, however these are reached", () => {
    const policy = parsePolicyText(text);
    const root = layOutSlots(newData(), [footprint({ a: [{ x: { i: "*" }, y: "*" }] })]);
    const found = inputDots(policy, policy.funcs[0]?.blocks ?? [], root);
    const rows = [...found].flatMap(([stmt, dot]) =>
      dot.kind === "row" ? [[stmt.target, dot.firstWord >>> 16, dot.offset]] : [],
    );
    expect(rows).toEqual([
      [5, 1, 44],
      [8, 1, 36],
      [11, 1, 44],
      [12, 2, 36],
    ]);
  });
});

describe("a module", () => {
  const REGO = `package t

one := input.a.x if input.b == "b"
two := input.a.y if input.c.z == "b"
three := [x.a | some x in input.a]
four := input.a
five := [input.__proto__.x, input["10"], input["9"], input["～"], input["😀"]]
seven := [x | some e in input.a; some x in array.concat([k | k := e.k], [y | some f in e.b; y := value(f)])]
eight := [x | some e in input.a; x := e.c]
value(f) := f.c
value(f) := f if is_number(f)
six := x if { x := one with input as {"a": {"x": input.a.y}, "b": "b"} }
`;

  it("names the slots of each entrypoint in its section, and reads no others", async () => {
    const entrypoints = ["one", "two", "three", "four", "five", "six", "seven", "eight"].map((name) => `t/${name}`);
    const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", REGO)], entrypoints });
    const wasm = compiled?.wasm as Uint8Array<ArrayBuffer>;
    const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(wasm), "portcullis");
    const { decide, heapBase, entrypoints: names } = JSON.parse(new TextDecoder().decode(section)) as PolicySection;
    expect(decide?.length).toBe(entrypoints.length);
    const footprints = new Map(names.map((name, id) => [name, decide?.[id]?.footprint]));
    // What is evaluated under another input may hand on any part of this one.
    expect(footprints.get("t/six")).toBe(true);
    footprints.delete("t/six");
    for (const read of footprints.values()) {
      const slots = Object.values((read as FootprintMembers).slots ?? {});
      expect(slots.length).toBeGreaterThan(0);
      for (const slot of slots) expect(slot).toBeLessThan(heapBase);
    }
    const policy = await load(wasm);
    const ask = (name: string, input: unknown): unknown => policy.evaluate(`t/${name}`, input);
    expect(ask("one", { a: { x: 1 }, b: "b" })).toBe(1);
    expect(ask("two", { a: { y: 2 }, c: { z: "b" } })).toBe(2);
    expect(ask("one", { a: { y: 3 }, b: "b" })).toBeUndefined();
    expect(ask("two", { a: { x: 4 }, c: { z: "b" } })).toBeUndefined();
    expect(ask("three", { a: [{ a: 5 }, { b: 6 }] })).toEqual([5]);
    expect(ask("three", { a: { k: { a: 7, x: 8 } } })).toEqual([7]);
    expect(ask("four", { a: { y: 9 } })).toEqual({ y: 9 });
    expect(ask("one", { b: "b", a: "x" })).toBeUndefined();
    expect(ask("six", { a: { y: "from the other", x: "not this" } })).toBe("from the other");
    expect(ask("one", { b: "b" })).toBeUndefined();
    expect(ask("seven", { a: [{ k: "a", b: [{ c: "a" }] }, "x", null, { k: "b", b: { c: 2 } }] })).toEqual([
      "a",
      "a",
      "b",
      2,
    ]);
    expect(ask("eight", { a: [{}, { c: 3, k: "not asked for" }] })).toEqual([3]);
    expect(ask("seven", { a: [{}, { b: ["x"] }] })).toEqual([]);
    expect(ask("seven", { a: [{}, {}] })).toEqual([]);
    const special = JSON.parse('{"__proto__":{"x":1},"9":2,"10":3,"😀":4,"～":5}') as unknown;
    expect(ask("five", special)).toEqual([1, 3, 2, 5, 4]);
    expect(ask("five", { 9: 2, 10: 3, "😀": 4, "～": 5 })).toBeUndefined();
  });
});
