/** Text in and out: exactly JSON (RFC 8259), and OPA's value text with sets and keys of any type. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_VALUE_DEPTH } from "../../../runtime/abi/index.ts";
import { campaign } from "../../campaign.ts";
import { cpuMs } from "../../cpu-time.ts";
import { emit, entrypoint, Module } from "./module.ts";

const m = new Module(
  emit(`${entrypoint("p", "f")}
func f(L0, L1) -> L2
  block
    L2 = "known"
  block
    return L2
`),
);

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const isJson = (bytes: Uint8Array): boolean => {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
};

/** The text's value as JSON text; undefined when it is refused. */
function roundTrip(text: string | Uint8Array, parser?: "opa_value_parse"): string | undefined {
  m.fn("opa_heap_ptr_set")(m.base);
  const v = m.parse(text, parser);
  return v === 0 ? undefined : m.text(m.fn(parser ? "opa_value_dump" : "opa_json_dump")(v));
}

describe("opa_json_parse accepts JSON", () => {
  const texts: [string, string?][] = [
    ["null"],
    ["true"],
    ["false"],
    ["0"],
    ["-0"],
    ["2.50"],
    ["1e3"],
    ["1E+3"],
    ["-1.5e-7"],
    ["255"],
    ["256"],
    ["9223372036854775807"],
    ["-9223372036854775808"],
    ["9223372036854775808"],
    ["123456789012345678901234567890.125"],
    ["1e99999999999999999999"],
    ['""'],
    ['"known"'],
    ['"a"'],
    ["[]"],
    ["{}"],
    ["[[],{}]"],
    [" \t\r\n[ 1 , 2 ] \n", "[1,2]"],
    ['{ "b" : 1 , "a" : [ ] }', '{"a":[],"b":1}'],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\"\\\\/\\b\\f\\n\\r\\t"'],
    ['"\\u0041\\u00e9\\u20ac\\ud83d\\ude00"', '"Aé€😀"'],
    ['"\\u0000\\u001f"', '"\\u0000\\u001f"'],
    ['"kno\\u0077n"', '"known"'],
    ['"é€😀\u007f\u2028"', '"é€😀\u007f\u2028"'],
    // A lone surrogate is U+FFFD, as in Go.
    ['"\\ud800"', '"\ufffd"'],
    ['"\\udc00x"', '"\ufffdx"'],
    ['"\\ud800\\u0041"', '"\ufffdA"'],
    ['"\\ud800\\ud800\\udc00"', '"\ufffd\u{10000}"'],
    // The last one of equal keys counts, as in Go; keys are equal after unescaping.
    ['{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ['{"a":1,"\\u0061":2}', '{"a":2}'],
  ];
  it.each(texts)("%s", (text, want) => {
    expect(roundTrip(text)).toBe(want ?? text);
  });

  it("sorts keys by code points", () => {
    expect(roundTrip('{"\\ud83d\\ude00":1,"\uffee":2,"z":3,"":4}')).toBe('{"":4,"z":3,"\uffee":2,"😀":1}');
  });

  it("takes any depth up to the limit", () => {
    const nest = (n: number): string => "[".repeat(n) + "]".repeat(n);
    expect(roundTrip(nest(MAX_VALUE_DEPTH))).toBe(nest(MAX_VALUE_DEPTH));
    expect(roundTrip(nest(MAX_VALUE_DEPTH + 1))).toBeUndefined();
    expect(roundTrip(nest(1_000_000))).toBeUndefined();
    const objects = '{"a":'.repeat(MAX_VALUE_DEPTH) + "1" + "}".repeat(MAX_VALUE_DEPTH);
    expect(roundTrip(objects)).toBe(objects);
    expect(roundTrip(`{"a":${objects}}`)).toBeUndefined();
  });
});

describe("opa_json_parse refuses", () => {
  it.each([
    "",
    " ",
    "nul",
    "nulll",
    "True",
    "tru",
    "fals",
    "[1,2,]",
    "[,1]",
    "[1 2]",
    "[1",
    "[1,",
    "]",
    '{"a":1,}',
    '{"a"}',
    '{"a":}',
    '{"a" 1}',
    "{a:1}",
    "{1:2}",
    "{,}",
    '{"a":1',
    "1 2",
    "{} {}",
    "[]]",
    "01",
    "-",
    "-01",
    "+1",
    ".5",
    "1.",
    "1.e3",
    "1e",
    "1e+",
    "0x10",
    "NaN",
    "Infinity",
    "- 1",
    '"',
    '"a',
    '"\\"',
    '"\\x"',
    '"\\u12"',
    '"\\u123g"',
    '"\n"',
    '"\u0000"',
    '"\u001f"',
    "'a'",
    "/* c */ 1",
    "\ufeff1",
    "set()",
    "{1,2}",
    '{"a"}',
  ])("%j", (text) => {
    expect(roundTrip(text)).toBeUndefined();
  });

  it.each<[string, number[]]>([
    ["a continuation byte alone", [0x80]],
    ["a sequence cut short", [0xc3]],
    ["three bytes cut short", [0xe2, 0x82]],
    ["an overlong form of two bytes", [0xc0, 0xaf]],
    ["an overlong form of three bytes", [0xe0, 0x80, 0xaf]],
    ["an overlong form of four bytes", [0xf0, 0x80, 0x80, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["byte FE", [0xfe]],
    ["a sequence whose second byte does not go on", [0xe2, 0x28, 0xa1]],
  ])("UTF-8: %s, plain and in a string with escapes", (_, bytes) => {
    expect(roundTrip(Uint8Array.from([34, ...bytes, 34]))).toBeUndefined();
    expect(roundTrip(Uint8Array.from([34, 92, 110, ...bytes, 34]))).toBeUndefined();
    expect(roundTrip(Uint8Array.from([123, 34, ...bytes, 34, 58, 49, 125]))).toBeUndefined();
  });
});

describe("opa_value_parse", () => {
  it.each<[string, string?]>([
    ["set()"],
    ["{1,2,3}"],
    ["{3,1,2,1,1.0}", "{1,2,3}"],
    ['{"a",{"b"},{}}', '{"a",{},{"b"}}'],
    ["{}"],
    ['{1:2,[3]:{4:5},null:{"x"}}', '{null:{"x"},1:2,[3]:{4:5}}'],
    ["{true}"],
    ["{{{}}}"],
    ["{set():set()}"],
    ["[{1},{1:1}]"],
    [" { 1 , 2 } ", "{1,2}"],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"a":[1,2, ], }', '{"a":[1,2]}'],
    ["{1,}", "{1}"],
  ])("%s", (text, want) => {
    expect(roundTrip(text, "opa_value_parse")).toBe(want ?? text);
  });

  it.each(["set(", "set", "set(1)", "{1,,}", "[,]", "{1:2,3}", "{1,2:3}", "{,}", "{1", "{1:", "se", "{set(}"])(
    "refuses %j",
    (text) => {
      expect(roundTrip(text, "opa_value_parse")).toBeUndefined();
    },
  );
});

describe("opa_json_dump", () => {
  it.each<[string, string]>([
    ['{1:2,"1":3}', '{"1":3}'],
    ['{null:1,"d":2,true:3}', '{"d":2,"null":1,"true":3}'],
    ['{{null:1,"d":2}:3}', '{"{\\"d\\":2,\\"null\\":1}":3}'],
    ["{[1,{2}]:{10:1,9:2}}", '{"[1,[2]]":{"10":1,"9":2}}'],
  ])("%s is %s: keys are texts, and sorted as texts", (text, want) => {
    m.fn("opa_heap_ptr_set")(m.base);
    expect(m.text(m.fn("opa_json_dump")(m.parse(text, "opa_value_parse")))).toBe(want);
  });
});

describe("any text", () => {
  it("is refused exactly where JSON.parse refuses it, and otherwise has the same value", () => {
    const almost = fc
      .json()
      .chain((text) =>
        fc
          .tuple(
            fc.nat(text.length),
            fc.string({ unit: fc.constantFrom(...'{}[]",:\\ 0123eE+-.utfn\n'), maxLength: 3 }),
            fc.nat(2),
          )
          .map(([at, insert, drop]) => text.slice(0, at) + insert + text.slice(at + drop)),
      );
    fc.assert(
      fc.property(fc.oneof(almost, fc.json(), fc.string({ unit: "binary" })), (text) => {
        let want: unknown;
        try {
          want = JSON.parse(text);
        } catch {
          want = undefined;
        }
        const got = roundTrip(text);
        if (want === undefined) expect(got).toBeUndefined();
        else expect(normal(JSON.parse(got as string))).toEqual(normal(want));
      }),
      campaign(3000),
    );
  });

  /** Lone surrogates as the module has them. */
  const normal = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replace(/\\ud[89a-f][0-9a-f]{2}/g, "\ufffd"));

  it("never traps and reads nothing behind its end, whatever the bytes", () => {
    const tokens = [
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      "\\",
      "\\u",
      "d800",
      "set(",
      ")",
      "1",
      "-",
      ".5",
      "e9",
      "true",
      "nul",
      " ",
      "\u0000",
    ];
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.array(fc.constantFrom(...tokens), { maxLength: 40 }).map((t) => utf8(t.join(""))),
      fc
        .array(fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(...tokens).map(utf8)), { maxLength: 20 })
        .map((p) => Uint8Array.from(p.flatMap((b) => [...b]))),
    );
    fc.assert(
      fc.property(bytes, fc.constantFrom("opa_json_parse", "opa_value_parse"), (text, parser) => {
        m.fn("opa_heap_ptr_set")(m.base);
        const { at, length } = m.malloc(Uint8Array.from([...text, 0xff]));
        const plain = m.fn(parser)(at, length - 1);
        // What follows the text does not count.
        new Uint8Array(m.memory.buffer)[at + length - 1] = 0x22;
        const quoted = m.fn(parser)(at, length - 1);
        expect(plain === 0).toBe(quoted === 0);
        if (plain !== 0) {
          const dumped = m.valueText(plain);
          expect(m.valueText(quoted)).toBe(dumped);
          expect(m.valueText(m.parse(dumped, "opa_value_parse"))).toBe(dumped);
          expect(() => m.json(plain)).not.toThrow();
          m.fn("opa_value_free")(plain);
          m.fn("opa_value_free")(quoted);
        }
        m.fn("opa_free")(at);
      }),
      campaign(20000),
    );
  });

  it("gives the same value at the very end of memory", () => {
    const end = m.memory.buffer.byteLength;
    const text = utf8('{"key": [1.5, "é"]}');
    m.write(end - text.length, text);
    m.fn("opa_heap_ptr_set")(m.base);
    expect(m.json(m.fn("opa_json_parse")(end - text.length, text.length))).toEqual({ key: [1.5, "é"] });
    for (let cut = 1; cut < text.length; cut++) {
      const value = m.fn("opa_json_parse")(end - cut, cut);
      expect(value === 0).toBe(!isJson(text.subarray(text.length - cut)));
    }
  });

  it("that claims to be longer than memory is refused or traps, and the module goes on", () => {
    for (const [at, length] of [
      [m.base, -1],
      [-8, 16],
      [0, 0],
    ]) {
      try {
        expect(m.fn("opa_json_parse")(at as number, length as number)).toBe(0);
      } catch (error) {
        expect(error).toBeInstanceOf(WebAssembly.RuntimeError);
      }
    }
    expect(roundTrip("[1]")).toBe("[1]");
  });
});

describe("what was read before changes no answer", () => {
  /** Read twice, so that all that is remembered of the first texts is there. */
  const readAfter = (before: readonly string[], text: string): string | undefined => {
    for (let i = 0; i < 2; i++) for (const other of before) roundTrip(other, "opa_value_parse");
    return roundTrip(text);
  };
  const known = '{"a":{"known":1},"known":"known"}';

  it.each<[string, string?]>([
    ['{"known" : "known", "a" : {"known": 1}}', known],
    ['\n{\n"known"\t:\r"known"\n,"a":{ "known":1 }}', known],
    ['{"kno\\u0077n":"known","a":{"known":1}}', known],
    ['{"known":"known","known":1}', '{"known":1}'],
    ['{"known":1,"known":{"known":2}}', '{"known":{"known":2}}'],
    ['{,"known":1}'],
    ['{"known":1,,"known":2}'],
    ['{"known":}'],
    ['{"known":'],
    ['{"known":"known"'],
    ['{"known":"known","a":{"known":1}'],
    ['{"known":"known"}}'],
    ['{"known":[}]'],
    ['["known":1]'],
    ["{1:2}"],
    ["{true:2}"],
    ['{"known":1,}'],
  ])("%s", (text, want) => {
    expect(
      readAfter(['{"known":"known","a":{"known":1}}', '{"known": "known", "a": 1,}', "{1:2,3:4}", "{true:2}"], text),
    ).toBe(want);
  });

  it.each([127, 128, 129, 256])("%i members, a comma or a key again behind them", (count) => {
    const members = Array.from({ length: count }, (_, i) => `"k${1000 + i}":${i}`).join();
    const text = `{"known":0,${members}}`;
    const plain = (changed: string | undefined): unknown => changed && JSON.parse(changed);
    expect(plain(roundTrip(text))).toEqual(JSON.parse(text));
    expect(roundTrip(`{${members},}`)).toBeUndefined();
    expect(roundTrip(`{${members},"k1000":true}`)).toBe(`{${members.replace(":0", ":true")}}`);
    expect(roundTrip(`[${members.replace(/"k\d+":/g, "")},]`)).toBeUndefined();
  });
});

describe("large texts", () => {
  it("with 100,000 keys, in order and not", () => {
    const entries = Array.from({ length: 100_000 }, (_, i) => [`key ${(i * 7919) % 100_000}`, i] as const);
    const text = JSON.stringify(Object.fromEntries(entries));
    const start = cpuMs();
    const got = roundTrip(text) as string;
    expect(cpuMs() - start).toBeLessThan(3000);
    expect(JSON.parse(got)).toEqual(JSON.parse(text));
    const keys = Object.keys(JSON.parse(got) as object);
    expect(keys).toEqual([...keys].sort());
  });
});
