/** Shapes learn in which order requests have their keys; whatever they have learnt, every key's value goes to its own place. */

import { load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../compiler/base/source-file.ts";
import { compileModules } from "../../compiler/compile-modules.ts";
import type { FootprintNode } from "../../runtime/abi/section.ts";
import { type MemberShape, moveForward, shapeOf } from "../../runtime/shape.ts";

const SEED = 20260402;
const strings = new Map(["a", "b", "c", "d"].map((text, i) => [text, 1000 + i * 8] as const));

function membersOf(node: FootprintNode): MemberShape {
  const shape = shapeOf(node, strings);
  if (shape === "whole" || shape.kind !== "members") throw new Error("no members");
  return shape;
}

describe("shapeOf", () => {
  it("keeps what a footprint says, places as words of memory or of entries", () => {
    const slotted = membersOf({ members: { a: true, b: { members: {} } }, object: 4096, slots: { a: 4140, b: 4148 } });
    expect(slotted).toMatchObject({ keys: ["a", "b"], object: 4096, places: [1035, 1037], addresses: [1000, 1008] });
    expect(slotted.shapes[0]).toBe("whole");
    expect(slotted.shapes[1]).toMatchObject({ kind: "members", keys: [] });
    expect(membersOf({ members: { c: true, a: true } })).toMatchObject({
      object: 0,
      places: [1, 3],
      addresses: [1016, 1000],
    });
    expect(shapeOf({ each: { members: { d: true } } }, strings)).toMatchObject({
      kind: "elements",
      each: { keys: ["d"] },
    });
    expect(shapeOf(true, strings)).toBe("whole");
  });

  it("is whole where the policy lacks a key's string: then nothing is left out", () => {
    expect(shapeOf({ members: { a: true, unheard: true } }, strings)).toBe("whole");
    expect(membersOf({ members: { a: { members: { unheard: true } } } }).shapes).toEqual(["whole"]);
  });
});

describe("moveForward", () => {
  it("moves a key with its shape and place, and leaves the entries' own order alone", () => {
    const shape = membersOf({ members: { a: true, b: { members: {} }, c: true } });
    const [, inner] = shape.shapes;
    expect(moveForward(shape, 1, 0)).toBe(0);
    expect(shape).toMatchObject({ keys: ["b", "a", "c"], places: [3, 1, 5], addresses: [1000, 1008, 1016] });
    expect(shape.shapes[0]).toBe(inner);
  });

  it("gives up in the end", () => {
    const shape = membersOf({ members: { a: true, b: true } });
    let moved = 0;
    while (moveForward(shape, 1, 0) === 0) moved++;
    expect(moved).toBeLessThan(1000);
    const keys = [...shape.keys];
    expect(moveForward(shape, 1, 0)).toBe(1);
    expect(shape.keys).toEqual(keys);
  });
});

/** Around the number of keys that have a bit each, and beyond it. */
const COUNTS = [1, 2, 9, 29, 30, 31, 32, 33, 40];

describe.each(COUNTS)("%d members", (count) => {
  const keys = Array.from({ length: count }, (_, i) => `k${i}`);
  let policy: Policy;
  beforeAll(async () => {
    const each = (from: string): string => keys.map((key) => `[x | x := ${from}.${key}]`).join(", ");
    const text = `package t\n\nflat := [${each("input")}]\n\nbelow := [${each("input.a.b")}]\n\nelements := [[${each("e")}] | some e in input.list]\n`;
    const { compiled } = await compileModules({
      modules: [new SourceFile("t.rego", text)],
      entrypoints: ["t/flat", "t/below", "t/elements"],
    });
    policy = await load(compiled?.wasm as Uint8Array);
  }, 60_000);

  const value = fc.constantFrom<unknown>("k0", "unheard of", 1, 1000, null, false, "", [1], { k0: "k1" });
  const entries = fc
    .tuple(fc.shuffledSubarray(keys), fc.infiniteStream(value), fc.constantFrom(0, 0, 3, 16, 17, 40), fc.nat(count))
    .map(([present, stream, others, at]) => {
      const made = present.map((key) => [key, stream.next().value as unknown] as const);
      const strange = Array.from({ length: others }, (_, i) => [`other${i}`, i] as const);
      return Object.fromEntries([...made.slice(0, at), ...strange, ...made.slice(at)]);
    });
  const wanted = (object: Record<string, unknown>): unknown[] =>
    keys.map((key) => (key in object ? [object[key]] : []));

  it("go to their own places, in any order, however many are missing and however many others there are", () => {
    fc.assert(
      fc.property(fc.array(entries, { minLength: 1, maxLength: 8 }), (list) => {
        for (const object of list) {
          expect(policy.evaluate("t/flat", object)).toEqual(wanted(object));
          expect(policy.evaluate("t/below", { a: { b: object } })).toEqual(wanted(object));
        }
        expect(policy.evaluate("t/elements", { list })).toEqual(list.map(wanted));
        expect(policy.evaluate("t/flat", {})).toEqual(wanted({}));
        expect(policy.lastFault).toBeUndefined();
      }),
      { seed: SEED, numRuns: 60 },
    );
  });
});

describe("a key that has had more strings than are kept near", () => {
  it("finds every string of the policy, before and after, and those that are none", async () => {
    const count = 6000;
    const name = (i: number): string => `name_${i}`;
    const table = Array.from({ length: count }, (_, i) => `"${name(i)}": ${i}`).join(", ");
    const { compiled } = await compileModules({
      modules: [
        new SourceFile("t.rego", `package t\n\ntable := {${table}}\n\np := [table[input.a], table[input.b]]\n`),
      ],
      entrypoints: ["t/p"],
    });
    const policy = await load(compiled?.wasm as Uint8Array);
    for (const pass of [0, 1]) {
      for (let i = 0; i < count; i++) {
        const [a, b] = [name(i), name((i * 7 + pass) % count)];
        const input = i % 3 === 0 ? { b, a } : { a, b };
        const answer = policy.evaluate("t/p", input) as readonly number[];
        if (answer?.[0] !== i || answer[1] !== (i * 7 + pass) % count) expect([input, answer]).toEqual("found");
        if (i % 100 === 0) expect(policy.evaluate("t/p", { a: `${a}x`, b })).toBeUndefined();
      }
    }
    expect(policy.faults).toBe(0);
  });
});
