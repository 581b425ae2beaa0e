/** Values of hosts' own builtins: what they are given, what they may give, and what is refused. */

import {
  equalValues,
  fromPlain,
  fromText,
  HostNumber,
  type JsonLike,
  type PlainValue,
  toPlain,
  toText,
} from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";

const plain = (text: string): PlainValue => toPlain(fromText(text) as JsonLike);

describe("values in plain form", () => {
  it("are what JavaScript would write", () => {
    expect(plain('{"a":[1,-2.5,1e3,true,null],"b":{"c":"d"}}')).toEqual({
      a: [1, -2.5, 1000, true, null],
      b: { c: "d" },
    });
    expect(plain('{1,"x"}')).toEqual(new Set([1, "x"]));
    expect(plain("set()")).toEqual(new Set());
    expect(plain('{[1]:"x"}')).toEqual(new Map([[[1], "x"]]));
  });

  it("keep whole numbers that a double would change", () => {
    expect(plain("[9007199254740991,9007199254740993,-12345678901234567890]")).toEqual([
      9007199254740991,
      9007199254740993n,
      -12345678901234567890n,
    ]);
    expect(plain("1e400")).toBe(10n ** 400n);
    expect(() => plain("1e999999999")).toThrow("no number of JavaScript holds 1e999999999");
  });

  it("have `__proto__` as a member like any other", () => {
    const value = plain('{"__proto__":{"admin":true}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(value["admin"]).toBeUndefined();
    expect(toText(fromPlain(value))).toBe('{"__proto__":{"admin":true}}');
  });

  it("come back as they were", () => {
    const scalar = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (v) => {
        const exact = fromText(toText(fromPlain(v))) as JsonLike;
        expect(equalValues(fromPlain(toPlain(exact)), exact)).toBe(true);
      }),
      campaign(200),
    );
  });

  it("may be handed back in the exact form, too", () => {
    expect(toText(fromPlain({ n: new HostNumber("1.50"), s: new Set([1]) }))).toBe('{"n":1.50,"s":{1}}');
  });

  it.each<[string, unknown, string]>([
    ["a promise", Promise.resolve(true), "a Promise"],
    ["NaN", Number.NaN, "NaN"],
    ["infinity", { deep: [Number.POSITIVE_INFINITY] }, "Infinity"],
    ["a function", () => true, "function"],
    ["a date", new Date(0), "a Date"],
    ["a member that is undefined", { allowed: undefined }, "undefined"],
    ["a hole", new Array(1), "undefined"],
    ["a symbol", Symbol("x"), "symbol"],
  ])("are not %s", (_, value, name) => {
    expect(() => fromPlain(value)).toThrow(`its result holds a value that Rego does not have: ${name}`);
  });

  it("do not hold themselves", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(() => fromPlain(cycle)).toThrow("too deep, or holds itself");
  });
});
