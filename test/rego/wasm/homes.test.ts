/**
 * A large object of the policy is the home of its keys: each knows its entry there. Tables that share keys, keys that no table has,
 * and objects of requests with as many members are looked up as a plain reading says, in small policies and in large ones, which
 * have no index for such a table.
 */

import { load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { StaticData } from "../../../compiler/rego/wasm/static-data.ts";
import { COLLECTION_ITEMS, HOME_SHIFT, RTLIB_BASE } from "../../../runtime/abi/index.ts";

type Table = { readonly [key: string]: number };

const name = (letter: string, i: number): string => letter + String(i).padStart(3, "0");
const table = (count: number, value: (i: number) => number, first = 0, letter = "k"): Table =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [name(letter, first + i), value(i)]));

const TABLES: { readonly [name: string]: Table } = {
  home: table(100, (i) => i),
  // The same keys, so that they may have one home with it; then its first keys alone, its last ones, and more than it has.
  same: table(100, (i) => 1000 - i),
  beginning: table(50, (i) => i * 2),
  end: table(50, (i) => i * 3, 50),
  more: { ...table(100, (i) => i * 5), x: 1 },
  few: table(4, (i) => i * 7),
  // Another home.
  others: table(70, (i) => i * 11, 0, "l"),
};
const NAMES = Object.keys(TABLES);
/** More members than a table without an index has. */
const MEMBERS = "abcdefghijkl".split("");

const RULES = `package p

${NAMES.map((name) => `${name} := ${JSON.stringify(TABLES[name])}`).join("\n")}

${NAMES.map((name) => `known contains ["${name}", value] if value := ${name}[input.k]`).join("\n")}

got := {${NAMES.map((name) => `"${name}": object.get(${name}, input.k, "none")`).join(", ")}}

picked := [value | some t in [${NAMES.join(", ")}]; value := t[input.k]]

fixed := [value | some t in [${NAMES.join(", ")}, input.t]; value := t.k007]

merged := [value | value := object.union(home, {"k100": 100})[input.k]]

members := [${MEMBERS.map((m) => `object.get(input.w, "${m}", null)`).join(", ")}]

member := [value | value := input.w[input.k]]

made := [value |
	record := {${MEMBERS.map((m) => `"${m}": [input.t, "${m}"]`).join(", ")}}
	value := record[input.k][1]
]

other := [value | value := large[input.k]]
`;

const ENTRYPOINTS = [
  "p/known",
  "p/got",
  "p/picked",
  "p/fixed",
  "p/merged",
  "p/members",
  "p/member",
  "p/made",
  "p/other",
];

async function policyOf(rules: string): Promise<Policy> {
  const { compiled } = await compileModules({
    modules: [new SourceFile("p.rego", rules)],
    entrypoints: ENTRYPOINTS,
  });
  return load(compiled?.wasm as Uint8Array<ArrayBuffer>);
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
interface Request {
  readonly k: Json;
  readonly t: { readonly [key: string]: Json };
  readonly w: { readonly [key: string]: Json };
}

const at = (object: { readonly [key: string]: Json }, key: Json): readonly Json[] =>
  typeof key === "string" && Object.hasOwn(object, key) ? [object[key] as Json] : [];

function plain({ k, t, w }: Request, count: number): { readonly [entrypoint: string]: Json } {
  const all = NAMES.map((name) => TABLES[name] as Table);
  return {
    "p/known": NAMES.toSorted().flatMap((name) => at(TABLES[name] as Table, k).map((v): Json => [name, v])),
    "p/got": Object.fromEntries(NAMES.map((name) => [name, at(TABLES[name] as Table, k)[0] ?? "none"])),
    "p/picked": all.flatMap((one) => at(one, k)),
    "p/fixed": [...all, t].flatMap((one) => at(one, "k007")),
    "p/merged": at({ ...(TABLES.home as Table), k100: 100 }, k),
    "p/members": MEMBERS.map((m) => at(w, m)[0] ?? null),
    "p/member": at(w, k),
    "p/made": MEMBERS.some((m) => m === k) ? [k] : [],
    "p/other": typeof k === "number" && Number.isInteger(k) && k >= 0 && k < count ? [3] : [],
  };
}

const key = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom("k", "l"), fc.nat(110)).map(([letter, i]) => name(letter, i)) },
  fc.constantFrom<Json>("", "x", "k", "home", "k0070", ...MEMBERS, 0, 7, 1.5, -1, true, false, null, {}, { k007: 1 }),
);
const members = (names: readonly string[], least = 0): fc.Arbitrary<{ readonly [key: string]: Json }> =>
  fc
    .uniqueArray(fc.constantFrom(...names), { minLength: least, maxLength: names.length })
    .chain((some) => fc.tuple(...some.map((name) => fc.tuple(fc.constant(name), fc.integer({ min: -9, max: 9 })))))
    .map((entries) => Object.fromEntries(entries));
const request: fc.Arbitrary<Request> = fc.record({
  k: key,
  t: members(Object.keys(TABLES.home as Table)),
  w: members([...MEMBERS, "k007", "k050", "x"]),
});

/** With this many values a policy is large. */
const LARGE = 500_001;

for (const [size, count] of [
  ["a small policy", 1],
  ["a large policy", LARGE],
] as const) {
  const rules = `${RULES}\nlarge := [${Array.from({ length: count }, () => 3).join()}]\n`;
  describe(size, () => {
    let policy: Policy;
    beforeAll(async () => {
      policy = await policyOf(rules);
    });

    it("looks up whatever key in whatever table, in requests of any kind", () => {
      fc.assert(
        fc.property(request, (input) => {
          const wanted = plain(input, count);
          const bytes = new TextEncoder().encode(JSON.stringify(input));
          for (const entrypoint of ENTRYPOINTS) {
            expect(policy.evaluate(entrypoint, input), entrypoint).toEqual(wanted[entrypoint]);
            expect(policy.evaluateJson(entrypoint, bytes), entrypoint).toEqual(wanted[entrypoint]);
          }
        }),
        { numRuns: 1000 },
      );
    });
  });
}

describe("homes", () => {
  const object = (keys: readonly string[]): Value => ({
    kind: "object",
    entries: keys.map((value) => [{ kind: "string", value }, { kind: "null" }]),
  });
  const names = (count: number, first = 0): string[] => Object.keys(table(count, () => 0, first));
  /** Objects that code asks for in this order, with room to read what was laid out. */
  const laidOut = (values: readonly Value[]) => {
    const data = new StaticData(RTLIB_BASE, new Uint8Array());
    const addresses = values.map((value) => data.value(value));
    const { bytes } = data.seal();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const word = (address: number): number => view.getUint32(address - RTLIB_BASE, true);
    return { data, addresses, word };
  };
  const areHomes = (lists: readonly (readonly string[])[]): boolean[] => {
    const { data, word } = laidOut(lists.map(object));
    return lists.map((keys) => keys.every((key, i) => word(data.string(key)) >>> HOME_SHIFT === i + 1));
  };

  it("are objects of many keys that have no other home, or the same one at the same places", () => {
    expect(areHomes([names(8)])).toEqual([false]);
    const lists = [names(100), names(50), names(50, 50), [...names(99), "x"], names(20, 200)];
    expect(areHomes(lists)).toEqual([true, true, false, false, true]);
  });

  it("are the largest objects, in whatever order code asks for them", () => {
    expect(areHomes([names(20, 40), names(100), names(30, 10)])).toEqual([false, true, false]);
  });

  it("have strings alone for keys", () => {
    const entries = Array.from({ length: 20 }, (_, i): readonly [Value, Value] => [
      i === 9 ? { kind: "number", text: "9" } : { kind: "string", value: `s${i}` },
      { kind: "null" },
    ]);
    const { data, word } = laidOut([{ kind: "object", entries }]);
    expect(word(data.string("s0")) >>> HOME_SHIFT).toBe(0);
  });

  it("are known to each key by the number of its entry", () => {
    const keys = names(100);
    const { data, addresses, word } = laidOut([object(keys)]);
    const entries = word((addresses[0] as number) + COLLECTION_ITEMS);
    for (const name of keys) {
      const own = data.string(name);
      expect(word(entries + ((word(own) >>> HOME_SHIFT) - 1) * 8), name).toBe(own);
    }
  });
});
