/** Constants as the compiler lays them out against the same values as the module makes them at run time. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareNumberText } from "../../../compiler/rego/value/decimal.ts";
import { compareValues, sortedItems } from "../../../compiler/rego/value/order.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { hashNumberText } from "../../../compiler/rego/wasm/number-hash.ts";
import { StaticData } from "../../../compiler/rego/wasm/static-data.ts";
import { RTLIB_BASE, TABLE_INDEX } from "../../../runtime/abi/index.ts";
import { campaign, isWhole } from "../../campaign.ts";
import { cpuMs } from "../../cpu-time.ts";
import { emit, entrypoint, Module } from "./module.ts";

const numbers = [
  "0",
  "-0",
  "0.0",
  "1",
  "1.0",
  "1e0",
  "10e-1",
  "100",
  "1e2",
  "1E+2",
  "255",
  "256",
  "-1",
  "-1.50",
  "-1.5",
];
const wideNumbers = [
  ...[
    "9223372036854775807",
    "9223372036854775808",
    "9223372036854775807.0",
    "-9223372036854775808",
    "-9.223372036854775808e18",
  ],
  ...["123456789012345678901234567890", "1234567890123456789012345678.90e2", "0.1", "1e-1", "0.10000000000000000001"],
  ...[
    "1e400",
    "1e-400",
    "1e99999999999999999999",
    "1e999999999999999999999",
    "-1e99999999999999999999",
    "0e5",
    "5e-324",
  ],
];
const texts = [
  "",
  "a",
  "aa",
  "b",
  "known",
  "\u0000",
  "é",
  "\uffff",
  "😀",
  "\ue000",
  "0",
  "x".repeat(100),
  "lone \ud800",
];

const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.constant<Value>({ kind: "null" }),
  fc.boolean().map((value): Value => ({ kind: "boolean", value })),
  fc.constantFrom(...numbers, ...wideNumbers).map((text): Value => ({ kind: "number", text })),
  fc
    .oneof(fc.integer(), fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))
    .map((n): Value => ({ kind: "number", text: String(n) })),
  fc.constantFrom(...texts).map((value): Value => ({ kind: "string", value })),
  fc.string({ unit: "binary", maxLength: 12 }).map((value): Value => ({ kind: "string", value })),
);

const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }).map((items): Value => ({ kind: "array", items })),
    fc.array(tie("value"), { maxLength: 12 }).map((items): Value => ({ kind: "set", items })),
    fc
      .array(fc.tuple(tie("value"), tie("value")), { maxLength: 12 })
      .map((entries): Value => ({ kind: "object", entries })),
  ),
})).value;

/** OPA's value text. */
function textOfValue(v: Value): string {
  switch (v.kind) {
    case "null":
      return "null";
    case "boolean":
      return String(v.value);
    case "number":
      return v.text;
    case "string":
      return JSON.stringify(v.value);
    case "array":
      return `[${v.items.map(textOfValue).join()}]`;
    case "set":
      return v.items.length === 0 ? "set()" : `{${v.items.map(textOfValue).join()}}`;
    case "object":
      return `{${v.entries.map(([k, e]) => `${textOfValue(k)}:${textOfValue(e)}`).join()}}`;
  }
}

/**
 * Entrypoints over constant #0: what look-ups by the elements of the input find in it; how many of them find something
 * equal; its elements in order; those of the input; whether the input equals it.
 */
const POLICY = `${["found", "count", "own", "given", "same"].map((name) => entrypoint(name, name)).join("")}
func found(L0, L1) -> L2
  block
    L2 = array 0
    scan L0 as L3, L4
      L5 = get #0 L4
      append L2 L5
  block
    return L2
func count(L0, L1) -> L2
  block
    L6 = array 0
    scan L0 as L3, L4
      L5 = get #0 L4
      equal L5 L4
      append L6 L5
    L2 = len L6
  block
    return L2
func own(L0, L1) -> L2
  block
    L2 = array 0
    L6 = #0
    scan L6 as L3, L4
      append L2 L4
  block
    return L2
func given(L0, L1) -> L2
  block
    L2 = array 0
    scan L0 as L3, L4
      append L2 L4
  block
    return L2
func same(L0, L1) -> L2
  block
    equal #0 L0
    L2 = true
  block
    return L2
`;
/** A fifth in `make test`. */
const TOOLS = isWhole ? 100_000 : 20_000;
const [FOUND, COUNT, OWN, GIVEN, SAME] = [0, 1, 2, 3, 4];

describe("constants", () => {
  it("are found, ordered and equal as run-time values are", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), value, (items, other) => {
        const set: Value = { kind: "set", items };
        const m = new Module(emit(POLICY, [set]));
        const evaluate = (input: string, entry: number): string => m.evaluateText(input, entry, 1);
        const list = (values: readonly Value[]): string => `[${values.map(textOfValue).join()}]`;
        expect(evaluate(list(items), COUNT)).toBe(`{{"result":${items.length}}}`);
        expect(evaluate("", OWN)).toBe(evaluate(textOfValue(set), GIVEN));
        expect(evaluate(textOfValue(set), SAME)).toBe(`{{"result":true}}`);
        const isIn = items.some((v) => compareValues(v, other) === 0);
        expect(evaluate(list([other]), COUNT)).toBe(`{{"result":${isIn ? 1 : 0}}}`);
      }),
      campaign(150),
    );
  });

  it("of objects give the value of any key, written in any way", () => {
    const object: Value = {
      kind: "object",
      entries: [...numbers, ...wideNumbers].map((text, i) => [
        { kind: "number", text },
        { kind: "number", text: String(i) },
      ]),
    };
    const m = new Module(emit(POLICY, [object]));
    for (const text of [...numbers, ...wideNumbers]) {
      const last = [...numbers, ...wideNumbers].findLastIndex((t) => compareNumberText(t, text) === 0);
      expect(m.evaluateText(`[${text}]`, FOUND), text).toBe(`[{"result":[${last}]}]`);
    }
  });

  it("keep the text of numbers", () => {
    const items = [...numbers, ...wideNumbers].map((text): Value => ({ kind: "number", text }));
    const m = new Module(emit(POLICY, [{ kind: "array", items }]));
    expect(m.evaluateText("", OWN)).toBe(`[{"result":[${[...numbers, ...wideNumbers].join()}]}]`);
  });

  it("have one layout, whichever objects their equal parts are", () => {
    const bytesOf = (values: readonly Value[]): Uint8Array => {
      const data = new StaticData(RTLIB_BASE, new Uint8Array());
      for (const v of values) data.value(v);
      return data.seal().bytes;
    };
    fc.assert(
      fc.property(fc.array(value, { maxLength: 6 }), (values) => {
        // Each stands alone, in a list, and beside an equal one: once as one object, and once as objects of their own.
        const all = (of: (v: Value) => Value): Value[] => [
          ...values.map(of),
          { kind: "array", items: values.map(of) },
          ...values.map(of),
        ];
        const [shared, apart] = [all((v) => v), all((v) => structuredClone(v))];
        expect(bytesOf(apart)).toEqual(bytesOf(shared));
      }),
      campaign(150),
    );
  });

  it("hash equal numbers alike", () => {
    for (const a of [...numbers, ...wideNumbers]) {
      for (const b of [...numbers, ...wideNumbers]) {
        if (compareNumberText(a, b) === 0) expect(hashNumberText(a), `${a} ${b}`).toBe(hashNumberText(b));
      }
    }
  });

  it("sort as OPA does", () => {
    const v = (text: string): Value => ({ kind: "string", value: text });
    const items: Value[] = [
      { kind: "set", items: [] },
      { kind: "object", entries: [] },
      { kind: "array", items: [v("b")] },
      { kind: "array", items: [v("a"), v("b")] },
      v("😀"),
      v("\uffff"),
      { kind: "number", text: "2.5" },
      { kind: "number", text: "10" },
      { kind: "boolean", value: true },
      { kind: "boolean", value: false },
      { kind: "null" },
    ];
    expect(sortedItems(items).map(textOfValue)).toEqual([
      "null",
      "false",
      "true",
      "2.5",
      "10",
      '"\uffff"',
      '"😀"',
      '["a","b"]',
      '["b"]',
      "{}",
      "set()",
    ]);
  });

  it(`of ${TOOLS} tools are laid out fast, fit into a module of 8 MB, load fast, and answer`, () => {
    const text = (value: string): Value => ({ kind: "string", value });
    const yes: Value = { kind: "boolean", value: true };
    const names = (...all: readonly string[]): Value => ({ kind: "object", entries: all.map((n) => [text(n), yes]) });
    const [scope, targets] = [names("run_id", "story_id"), names("drafts", "notes")];
    const entries = Array.from({ length: TOOLS }, (_, i): readonly [Value, Value] => [
      text(`tool.${(i * 7919) % TOOLS}`),
      {
        kind: "object",
        entries: [
          [text("approval"), text(i % 5 === 0 ? "required" : "none")],
          [text("enabled"), { kind: "boolean", value: i % 2 === 0 }],
          // Each tool has another pair of 2,000 lanes.
          [text("lanes"), names(`LANE_${i % 2_000}`, `MAIN_${(i * 31) % 2_003}`)],
          [text("prohibited_flags"), names()],
          [text("scope_keys"), scope],
          [text("write_targets"), targets],
        ],
      },
    ]);
    const start = cpuMs();
    const bytes = emit(POLICY, [{ kind: "object", entries }]);
    const emitted = cpuMs();
    const m = new Module(bytes);
    const loaded = cpuMs();
    expect(emitted - start).toBeLessThan(15_000);
    expect(loaded - emitted).toBeLessThan(2_000);
    expect(bytes.length).toBeLessThan(8_000_000);
    const record = (approval: string, enabled: boolean, ...lanes: readonly string[]): unknown => ({
      approval,
      enabled,
      lanes: Object.fromEntries(lanes.map((lane) => [lane, true])),
      prohibited_flags: {},
      scope_keys: { run_id: true, story_id: true },
      write_targets: { drafts: true, notes: true },
    });
    expect(JSON.parse(m.evaluateText(`["tool.7919", "tool.100000", "tool.0"]`, FOUND))).toEqual([
      { result: [record("none", false, "LANE_1", "MAIN_31"), record("required", true, "LANE_0", "MAIN_0")] },
    ]);
  });
});

describe("the index of an object", () => {
  const indexed = (count: number, isLarge: boolean): boolean => {
    const data = new StaticData(RTLIB_BASE, new Uint8Array(), isLarge);
    const entries = Array.from({ length: count }, (_, i): readonly [Value, Value] => [
      { kind: "string", value: `k${i}` },
      { kind: "null" },
    ]);
    const address = data.value({ kind: "object", entries });
    const { bytes } = data.seal();
    return new DataView(bytes.buffer).getUint32(address - RTLIB_BASE + TABLE_INDEX, true) !== 0;
  };

  it("is there whatever the object has, so that a free slot says that a key is not there", () => {
    expect([0, 1, 3, 6, 9, 40].map((count) => indexed(count, false))).not.toContain(false);
  });

  it("is spared where there is much data, for few keys and for those that know their entries", () => {
    expect([0, 1, 3, 5, 6, 8, 9, 40].map((count) => indexed(count, true))).toEqual([
      ...[false, false, false, false],
      ...[true, true],
      ...[false, false],
    ]);
  });
});
