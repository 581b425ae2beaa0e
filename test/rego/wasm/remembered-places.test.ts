/**
 * A look-up looks first where it found its key in the object before. Requests whose members stand elsewhere, are missing, or are
 * no objects at all follow one another: each is answered by a plain reading, whatever came before it.
 */

import { load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const RULES = `package p

all contains ["a", input.a]
all contains ["b", input.b]
all contains ["a.b", input.a.b]
inner := [y | some x in input.list; y := x.k]`;

let policy: Policy;
beforeAll(async () => {
  const entrypoints = ["p/all", "p/inner"];
  const { compiled } = await compileModules({ modules: [new SourceFile("p.rego", RULES)], entrypoints });
  policy = await load(compiled?.wasm as Uint8Array<ArrayBuffer>);
});

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const member = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (new Map(Object.entries(value)).get(key) as Json | undefined)
    : undefined;

/** What the rules say by a plain reading, in the order of sets. */
function plain(input: Json): { readonly all: Json; readonly inner: Json } {
  const a = member(input, "a");
  const rows: readonly (readonly [string, Json | undefined])[] = [
    ["a", a],
    ["a.b", member(a, "b")],
    ["b", member(input, "b")],
  ];
  const list = member(input, "list");
  // Objects are gone through in the order of their keys.
  const elements: readonly Json[] = Array.isArray(list)
    ? list
    : typeof list === "object" && list !== null
      ? Object.entries(list)
          .sort()
          .map(([, element]) => element)
      : [];
  return {
    all: rows.filter((row): row is [string, Json] => row[1] !== undefined),
    inner: elements.map((element) => member(element, "k")).filter((k) => k !== undefined),
  };
}

function expectPlain(input: Json): void {
  const { all, inner } = plain(input);
  const text = JSON.stringify(input);
  for (const [rule, wanted] of [
    ["p/all", all],
    ["p/inner", inner],
  ] as const) {
    expect(policy.evaluateJson(rule, text), `${rule} of ${text}`).toEqual(wanted);
    expect(policy.evaluate(rule, input), `${rule} of ${text}, an object`).toEqual(wanted);
    expect(policy.lastFault).toBeUndefined();
  }
}

/** The members in that order, with `count` others before them. */
const behind = (count: number, members: { readonly [key: string]: Json }): { readonly [key: string]: Json } => ({
  ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`other${i}`, i])),
  ...members,
});

describe("a place that is remembered", () => {
  it("is a hint where members stand in another order, or are missing", () => {
    for (const input of [
      { a: 1, b: 2 },
      { b: 1, a: 2 },
      { c: 0, a: 1 },
      { b: 1 },
      {},
      { a: { b: 1, a: 2 } },
      { a: { a: 1, b: 2 } },
      { a: { c: 1 } },
    ])
      expectPlain(input);
  });

  it("is passed by where a value is not an object", () => {
    expectPlain({ c: 0, a: { c: 0, b: 1 } });
    for (const value of [null, true, 7, 1e300, "a", "", [], ["a", "b"], [0, 1]]) {
      expectPlain(value);
      expectPlain({ c: 0, a: value });
    }
  });

  it("is not beyond the end of a smaller object", () => {
    for (const count of [0, 1, 7, 8, 9, 40, 254, 255, 256, 257, 600]) {
      expectPlain(behind(count, { a: behind(count, { b: 1 }), b: 2 }));
      expectPlain({ a: { b: 3 }, b: 4 });
      expectPlain(behind(count, {}));
    }
  });

  it("is that of the last turn in a loop", () => {
    expectPlain({ list: [{ k: 1 }, { c: 0, k: 2 }, { k: 3, c: 0 }, 4, "k", { c: 0 }, ["k"], behind(9, { k: 5 })] });
  });

  it("decides nothing in any succession of requests", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "k", "list");
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<Json>(null, 0, 1, "a"),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 20 }), (inputs) => {
        for (const input of inputs) expectPlain(input);
      }),
      { seed: 11, numRuns: 200 },
    );
  });
});
