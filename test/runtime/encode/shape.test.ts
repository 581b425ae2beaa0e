/** Shapes learn in which order requests have their keys; whatever they have learnt, every key's value goes to its own place. */

import { load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { valueOfJson } from "../../../compiler/rego/value/index.ts";
import type { FootprintNode } from "../../../runtime/abi/section.ts";
import {
  type Codec,
  codecsOf,
  type Member,
  type MemberShape,
  placeOf,
  type Shape,
} from "../../../runtime/encode/shape.ts";
import { campaign } from "../../campaign.ts";

const strings = new Map(["a", "b", "c", "d"].map((text, i) => [text, 1000 + i * 8] as const));

function codecs(nodes: readonly FootprintNode[], theirs: ReadonlyMap<string, number>): readonly (Codec | null)[] {
  return codecsOf(
    nodes.map((footprint, place) => ({ place, footprint })),
    theirs,
  );
}

function shapeOf(node: FootprintNode): Shape | undefined {
  return codecs([node], strings)[0]?.shape;
}

function membersOf(node: FootprintNode): MemberShape {
  const shape = shapeOf(node);
  if (shape === undefined || shape === "whole" || shape.kind !== "members") throw new Error("no members");
  return shape;
}

describe("codecsOf", () => {
  it("keeps what a footprint says, places as words of memory or of entries", () => {
    const slotted = membersOf({ members: { a: true, b: { members: {} } }, object: 4096, slots: { a: 4140, b: 4148 } });
    expect(slotted).toMatchObject({ object: 4096, addresses: [1000, 1008], row: 0 });
    expect(slotted.members).toMatchObject([
      { key: "a", place: 1035, shape: "whole" },
      { key: "b", place: 1037, shape: { kind: "members", members: [] } },
    ]);
    expect(membersOf({ members: { c: true, a: true } })).toMatchObject({
      object: 0,
      members: [{ place: 1 }, { place: 3 }],
      addresses: [1016, 1000],
    });
    const row = { number: 7, keys: ["a", "b", "c"] };
    expect(membersOf({ members: { c: true, a: true }, row })).toMatchObject({
      row: 7,
      members: [{ place: 5 }, { place: 1 }],
      addresses: [1000, 1008, 1016],
    });
    expect(shapeOf({ each: { members: { d: true } } })).toMatchObject({
      kind: "elements",
      each: { members: [{ key: "d" }] },
    });
    expect(shapeOf(true)).toBe("whole");
  });

  it("is whole where the policy lacks a key's string: then nothing is left out", () => {
    expect(shapeOf({ members: { a: true, unheard: true } })).toBe("whole");
    expect(membersOf({ members: { a: { members: { unheard: true } } } }).members).toMatchObject([{ shape: "whole" }]);
    expect(shapeOf({ members: { a: true }, row: { number: 1, keys: ["a", "unheard"] } })).toBe("whole");
    expect(shapeOf({ members: { a: true }, row: { number: 1, keys: ["b"] } })).toBe("whole");
  });
});

describe("shapes of several policies", () => {
  const nodes: FootprintNode[] = [
    { members: { a: { members: { b: true } }, c: { members: { unheard: true } } }, lookUp: ["a"] },
    true,
  ];
  const otherwise = (text: string, address: number): Map<string, number> => new Map(strings).set(text, address);

  it("are the same where footprints and addresses of keys are, whatever other strings the policies have", () => {
    const shapes = codecs(nodes, strings);
    expect(codecs(structuredClone(nodes), otherwise("z", 8))).toBe(shapes);
  });

  it.each([
    ["a key has another address", nodes, otherwise("b", 2000)],
    ["a key is a string of one of them alone", nodes, otherwise("unheard", 2000)],
    ["an entrypoint reads something else", [nodes[0], { members: { a: true } }] as FootprintNode[], strings],
    ["one has too many strings to look any up", nodes, new Map([...strings, ...manyStrings()])],
  ])("are not where %s", (_, others, theirs) => {
    const shapes = codecs(nodes, strings);
    expect(codecs(others, theirs)).not.toBe(shapes);
    expect(codecs(others, theirs)).not.toEqual(shapes);
  });

  it("number their members throughout, so that no two have the same texts kept", () => {
    const numbers: number[] = [];
    const count = (shape: Shape | undefined): void => {
      if (typeof shape !== "object") return;
      if (shape.kind === "elements") count(shape.each);
      else
        for (const member of shape.members) {
          numbers.push(member.number);
          count(member.shape);
        }
    };
    for (const codec of codecs([...nodes, { each: { members: { a: true, b: true } } }], otherwise("unheard", 8)))
      count(codec?.shape);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers).toHaveLength(6);
  });
});

function manyStrings(): [string, number][] {
  return Array.from({ length: 50_000 }, (_, i) => [`s${i}`, 3000 + i * 8]);
}

describe("policies of the same rules", () => {
  const text = `package t

p := [x | some key in ["lane", "tool"]; x := data.of[key][input[key]]]

lane := object.get(data.of.lane, input.lane, null)
`;
  const rules = new SourceFile("t.rego", text);
  const laneOf = (of: number, i: number): string => `lane_${of}_${i}`;
  let policies: Policy[];
  beforeAll(async () => {
    policies = await Promise.all(
      [0, 1, 2].map(async (of) => {
        const named = (what: string): Record<string, string> =>
          Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${what}_${of}_${i}`, `${what} ${i} of ${of}`]));
        const { compiled } = await compileModules({
          modules: [rules],
          entrypoints: ["t/p", "t/lane"],
          data: valueOfJson({ of: { lane: named("lane"), tool: named("tool") } }),
        });
        return load(compiled?.wasm as Uint8Array);
      }),
    );
  });

  it("asked in turn find each its own strings, and those of another nowhere", () => {
    for (let round = 0; round < 3; round++)
      for (let i = 0; i < 40; i++)
        for (const [of, policy] of policies.entries())
          for (const asked of [of, (of + 1) % policies.length]) {
            const lane = laneOf(asked, i);
            const tool = `tool_${asked}_${i}`;
            const wanted = asked === of ? [`lane ${i} of ${of}`, `tool ${i} of ${of}`] : [];
            expect(policy.evaluate("t/p", round === 1 ? { tool, lane } : { other: 1, lane, tool })).toEqual(wanted);
          }
    for (const policy of policies) expect(policy.lastFault).toBeUndefined();
  });

  it("do not disturb one another where reading a request asks another policy", () => {
    const [first, second] = policies as [Policy, Policy];
    const request = {
      get tool(): string {
        expect(second.evaluate("t/p", { lane: laneOf(1, 3), tool: "tool_1_4" })).toEqual([
          "lane 3 of 1",
          "tool 4 of 1",
        ]);
        return "tool_0_7";
      },
      lane: laneOf(0, 6),
    };
    for (let i = 0; i < 3; i++) expect(first.evaluate("t/p", request)).toEqual(["lane 6 of 0", "tool 7 of 0"]);
  });
});

describe("placeOf", () => {
  it("moves a member to where requests have it, with its shape and place, and leaves the entries' own order alone", () => {
    const shape = membersOf({ members: { a: true, b: { members: {} }, c: true } });
    const before = [...shape.members];
    expect(placeOf(shape, "b", 0)).toBe(0);
    expect(shape.members).toEqual([before[1], before[0], before[2]]);
    expect(shape.addresses).toEqual([1000, 1008, 1016]);
  });

  it("gives up in the end", () => {
    const shape = membersOf({ members: { a: true, b: true } });
    let moved = 0;
    while (placeOf(shape, (shape.members[1] as Member).key, 0) === 0) moved++;
    expect(moved).toBeLessThan(1000);
    const members = [...shape.members];
    expect(placeOf(shape, (shape.members[1] as Member).key, 0)).toBe(1);
    expect(shape.members).toEqual(members);
  });

  it("leaves a member where it is that the request has later, and finds no other key", () => {
    const shape = membersOf({ members: { a: true, b: true, c: true } });
    const before = [...shape.members];
    expect([placeOf(shape, "a", 1), placeOf(shape, "b", 1), placeOf(shape, "c", 3), placeOf(shape, "d", 0)]).toEqual([
      0, 1, 2, -1,
    ]);
    expect(shape.members).toEqual(before);
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
  });

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
      campaign(60),
    );
  });
});

describe("elements", () => {
  let policy: Policy;
  beforeAll(async () => {
    const text =
      "package t\n\np := [[[x | x := e.a], [x | x := e.b.c], [x | some f in e.d; x := f.a]] | some e in input.list]\n";
    const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", text)], entrypoints: ["t/p"] });
    policy = await load(compiled?.wasm as Uint8Array);
  });

  const inner = fc.oneof(fc.record({ a: fc.integer() }), fc.constantFrom<unknown>({}, 1, "a", null, [{ a: 1 }]));
  const element = fc.oneof(
    {
      arbitrary: fc.record(
        {
          a: fc.constantFrom<unknown>(1, "a", "unheard of", [1], { a: 1 }),
          b: fc.constantFrom<unknown>({ c: 1 }, { c: { c: 2 } }, {}, [{ c: 1 }], 3, "b"),
          d: fc.array(inner, { maxLength: 20 }),
          e: fc.integer(),
        },
        { requiredKeys: [] },
      ),
      weight: 8,
    },
    { arbitrary: fc.constantFrom<unknown>(1, "a", null, [], [{ a: 1 }], true), weight: 1 },
  );
  const member = (value: unknown, key: string): unknown[] =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
      ? [(value as Record<string, unknown>)[key]]
      : [];
  const wanted = (e: unknown): unknown => [
    member(e, "a"),
    member(e, "b").flatMap((b) => member(b, "c")),
    member(e, "d").flatMap((d) => (d as unknown[]).flatMap((f) => member(f, "a"))),
  ];

  it("keep their members, however many there are and whatever was there before", () => {
    fc.assert(
      fc.property(fc.array(fc.array(element, { maxLength: 40 }), { minLength: 1, maxLength: 4 }), (lists) => {
        for (const list of lists) {
          expect(policy.evaluate("t/p", { list })).toEqual(list.map(wanted));
          expect(policy.evaluateJson("t/p", JSON.stringify({ list }))).toEqual(list.map(wanted));
        }
      }),
      campaign(150),
    );
    expect(policy.faults).toBe(0);
  });
});

describe("a key that has had more strings than are kept near", () => {
  it("finds every string of the policy, before and after, and the texts that are not among them", async () => {
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
