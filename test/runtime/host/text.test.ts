import { fromJson, fromText, type JsonLike, toText } from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";

describe("texts of values", () => {
  it("keep numbers, sets and keys of any type", () => {
    const text = '{"__proto__":1e3,"a":[-0,2.50,{1,"x"},set()],[1]:{"b":null}}';
    expect(toText(fromText(text) as JsonLike)).toBe('{"__proto__":1e3,"a":[-0,2.50,{1,"x"},set()],[1]:{"b":null}}');
  });

  it.each([
    "",
    "[1,]",
    "[1] x",
    "01",
    "1.",
    "+1",
    "'a'",
    '{"a"}',
    "{1:2}",
    '"\\x"',
    '"\u0001"',
    "nul",
    "[".repeat(5000),
    '{"a":1,}',
    "set()",
    "NaN",
    "\ufeff1",
  ])("refuse %j as JSON", (text) => expect(fromJson(text)).toBeUndefined());

  it("read what JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read = fromJson(JSON.stringify(value));
        expect(JSON.parse(toText(read as JsonLike))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      campaign(500),
    );
  });
});
