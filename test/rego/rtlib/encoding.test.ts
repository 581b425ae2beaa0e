import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";
import { calls, expectLikeOpa, product } from "./differential.ts";
import { type Argument, NumberText, opaInstalled } from "./opa.ts";
import { Rtlib } from "./rtlib.ts";

describe("encodings", () => {
  const rtlib = new Rtlib();
  const q = (text: string): string => JSON.stringify(text);
  const unicode = fc.string({ unit: "grapheme", maxLength: 40 });

  it("base64, hex and urlquery give back what they were given, and agree with Node", () => {
    fc.assert(
      fc.property(unicode, (text) => {
        const bytes = Buffer.from(text, "utf8");
        expect(rtlib.call("base64.encode", q(text))).toBe(q(bytes.toString("base64")));
        expect(rtlib.call("base64url.encode_no_pad", q(text))).toBe(q(bytes.toString("base64url")));
        expect(rtlib.call("hex.encode", q(text))).toBe(q(bytes.toString("hex")));
        expect(rtlib.call("base64.decode", q(bytes.toString("base64")))).toBe(q(text));
        expect(rtlib.call("base64url.decode", q(bytes.toString("base64url")))).toBe(q(text));
        expect(rtlib.call("hex.decode", q(bytes.toString("hex")))).toBe(q(text));
        const escaped = rtlib.call("urlquery.encode", q(text));
        expect(rtlib.call("urlquery.decode", escaped ?? "")).toBe(q(text));
      }),
      campaign(500),
    );
  });

  it("json.marshal is what JSON.stringify makes, but for HTML", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const marshalled = JSON.parse(rtlib.call("json.marshal", text) ?? "null") as string;
        expect(JSON.parse(marshalled)).toEqual(JSON.parse(text));
        expect(rtlib.call("json.unmarshal", q(text))).toBe(rtlib.valueText(rtlib.parse(text)));
      }),
      campaign(500),
    );
  });

  it.each([
    ["json.marshal", ['"<a&b>\u2028"'], '"\\"\\\\u003ca\\\\u0026b\\\\u003e\\\\u2028\\""'],
    ["json.marshal", ["{1,2}"], '"[1,2]"'],
    [
      "json.marshal_with_options",
      ['{"a":[1,{}]}', '{"indent":" ","prefix":">"}'],
      '">{\\n> \\"a\\": [\\n>  1,\\n>  {}\\n> ]\\n>}"',
    ],
    ["json.unmarshal", ['"{"'], undefined],
    ["json.is_valid", ['"[1,]"'], "false"],
    ["base64.decode", ['"YQ"'], undefined],
    ["base64.decode", ['"YQ=="'], '"a"'],
    ["base64url.decode", ['"YWI\\n\\n\\n\\n"'], '"ab"'],
    ["base64url.decode", ['"YW\\r\\nJj"'], undefined],
    ["base64url.decode", ['"YQ=\\n\\n\\n\\n"'], '"a"'],
    ["base64url.decode", ['"YWI=\\n\\n"'], undefined],
    ["hex.decode", ['"6g"'], undefined],
    ["urlquery.decode", ['"a%2"'], undefined],
    ["urlquery.decode_object", ['"a=1&b=2&a=3&&c"'], '{"a":["1","3"],"b":["2"],"c":[""]}'],
    ["urlquery.encode_object", ['{1.0:"x",null:["y"],[1]:{"z"}}'], '"1.0=x&%5B1%5D=z&null=y"'],
    ["urlquery.encode_object", ['{1:"x","1":"y"}'], '"1=y"'],
  ])("%s%j is %s", (name, args, want) => {
    expect(rtlib.call(name, ...args)).toBe(want);
  });
});

describe.skipIf(!opaInstalled)("encodings, like OPA", () => {
  const texts: Argument[] = [
    "",
    "a",
    "ab",
    "abc",
    "é<>&\u2028'\"\\",
    "a b+c/d=e&f;g%",
    "\u0000\u0001\u001f\u007f\b\f\n\r\t",
    "YQ==",
    "YQ",
    "YWI=",
    "YWJj",
    "Y Q=",
    "Y\nQ==",
    "YQ=",
    "=",
    "====",
    "YQ==YQ==",
    "YR==",
    "_-8=",
    "_-8",
    "+/8=",
    "6162",
    "616",
    "zz",
    "%zz",
    "%41+%2B",
    "a=1",
    "a=1&a=2",
    "=x",
    "a",
    "a;b=1",
    "a=%",
    "&&",
    1,
    null,
    ["a"],
  ];

  it("of strings", () => {
    const names = [
      "base64.encode",
      "base64.decode",
      "base64.is_valid",
      "base64url.encode",
      "base64url.encode_no_pad",
      "base64url.decode",
      "hex.encode",
      "hex.decode",
      "urlquery.encode",
      "urlquery.decode",
      "urlquery.decode_object",
    ];
    expectLikeOpa(names.flatMap((name) => calls(name, product(texts))));
  });

  it("of objects", () => {
    expectLikeOpa(
      calls(
        "urlquery.encode_object",
        product([
          {},
          { b: "x y", a: ["1", "2"] },
          { s: { $set: ["y", "x"] } },
          { a: 1 },
          { a: [1] },
          { a: [] },
          "x",
          null,
        ]),
      ),
    );
  });

  const values: Argument[] = [
    ...texts,
    true,
    new NumberText("1e3"),
    new NumberText("2.50"),
    [],
    {},
    [1, [2, { a: [] }]],
    { b: 1, a: { $set: ["x", "w"] } },
    { $set: [] },
  ];
  it("json", () => {
    expectLikeOpa(calls("json.marshal", product(values)));
    const options: Argument[] = [
      {},
      { pretty: true },
      { pretty: false, indent: " " },
      { indent: "  " },
      { prefix: "#" },
      { indent: "", prefix: "é" },
      { pretty: 1 },
      { other: 1 },
      { indent: 1 },
      "x",
      null,
    ];
    expectLikeOpa(calls("json.marshal_with_options", product(values, options)));
    const json: Argument[] = [
      "1",
      " 1 ",
      "1 2",
      "[1,2]",
      "[1,]",
      '{"a":1,"a":2}',
      "{",
      '"\\ud800"',
      '"\\u00e9\\n"',
      "01",
      "1.",
      "-",
      "nul",
      "",
      "1e5",
      "1.50E+5",
      '{"a":{"b":[null,true,false]}}',
      "'a'",
      "\u00a01",
      "[1]x",
      1,
      null,
    ];
    expectLikeOpa(["json.unmarshal", "json.is_valid"].flatMap((name) => calls(name, product(json))));
  });
});
