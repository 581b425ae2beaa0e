import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";
import { calls, expectLikeOpa, product } from "./differential.ts";
import { type Argument, NumberText, opaInstalled } from "./opa.ts";
import { Rtlib } from "./rtlib.ts";

/** Integers that are written otherwise. */
const wholes = ["1.0", "-0", "2.00", "-1.0", "1e0"].map((text) => new NumberText(text));

describe("strings", () => {
  const rtlib = new Rtlib();
  const q = (text: string): string => JSON.stringify(text);

  it.each([
    ["contains", ["héllo", "éll"], "true"],
    ["contains", ["", ""], "true"],
    ["indexof", ["héllo", "llo"], "2"],
    ["indexof", ["abc", "x"], "-1"],
    ["indexof", ["abc", ""], undefined],
    ["indexof_n", ["aaaa", "aa"], "[0,1,2]"],
    ["strings.count", ["aaaa", "aa"], "2"],
    ["split", ["a,b,", ","], '["a","b",""]'],
    ["split", ["aé", ""], '["a","é"]'],
    ["replace", ["aé", "", "-"], '"-a-\\udcc3-\\udca9-"'],
    ["lower", ["ÀÉİ"], '"àéi"'],
    ["upper", ["straße ǆ"], '"STRASSE Ǆ"'.replace("SS", "ß")],
    ["trim", ["  xx ", " x"], '""'],
    ["trim_space", ["\u2003\t a b\u00a0"], '"a b"'],
    ["trim_prefix", ["abc", "ab"], '"c"'],
    ["trim_suffix", ["abc", "x"], '"abc"'],
    ["strings.reverse", ["añ😀"], '"😀ña"'],
  ])("%s%j is %s", (name, args, want) => {
    expect(rtlib.call(name, ...args.map(q))).toBe(want);
  });

  it.each([
    ["substring", ['"héllo"', "1.0", "2.00"], '"él"'],
    ["substring", ['"abc"', "-0", "1"], '"a"'],
    ["substring", ['"abc"', "1e0", "1"], undefined],
    ["substring", ['"abc"', "0", "1.5"], undefined],
    ["substring", ['"abc"', "0", "1.000000000000000000"], undefined],
    ["strings.split_n", ['"a,b,c"', '","', "2.0"], '["a","b"]'],
    ["strings.split_n", ['"a,b,c"', '","', "-1.0"], '["c"]'],
    ["array.slice", ["[1,2,3]", "1.0", "9.0"], "[2,3]"],
    ["array.slice", ["[1,2,3]", "0", "1e0"], undefined],
    ["regex.find_n", ['"a"', '"aaa"', "2.0"], '["a","a"]'],
    ["regex.find_all_string_submatch_n", ['"(a)"', '"aaa"', "1.0"], '[["a","a"]]'],
  ])("%s%j takes integers as OPA does: %s", (name, args, want) => {
    expect(rtlib.call(name, ...args)).toBe(want);
  });

  it.each([
    ["and", ["{1,[2]}", "{1.0}"], "{1.0}"],
    ["and", ["{1.0}", "{1}"], "{1.0}"],
    ["intersection", ["{{1,2},{null,1.0}}"], "{1.0}"],
    ["union", ["{{1,2},{null,1.0}}"], "{null,1.0,2}"],
    ["json.filter", ['{1:{"a":2}}', '[[1.0],["b"]]'], '{1.0:{"a":2}}'],
    ["json.filter", ['{1:{"a":2}}', "[[1.0]]"], '{1:{"a":2}}'],
  ])("%s%j keeps of equal numbers the one that OPA keeps: %s", (name, args, want) => {
    expect(rtlib.call(name, ...args)).toBe(want);
  });

  it("searches in linear time", () => {
    const text = q("a".repeat(400_000));
    const needle = q(`${"a".repeat(200_000)}b`);
    expect(rtlib.call("contains", text, needle)).toBe("false");
    expect(rtlib.call("contains", q(`${"a".repeat(300_000)}b`), needle)).toBe("true");
    expect(rtlib.call("strings.count", text, q("a".repeat(1000)))).toBe("400");
    const many = Array.from({ length: 2000 }, (_, i) => q(`x${i}`));
    expect(
      rtlib.call(
        "strings.any_prefix_match",
        `[${many.join(",")}]`,
        `[${many.map((m) => m.replace("x", "y")).join(",")}]`,
      ),
    ).toBe("false");
    const patterns = `{${Array.from({ length: 3000 }, (_, i) => `${q(`${"a".repeat(20)}${i}`)}:"x"`).join(",")}}`;
    expect(rtlib.call("strings.replace_n", patterns, q("a".repeat(20_000)))).toBe(q("a".repeat(20_000)));
  });

  it("replaces many strings as a look at each place does", () => {
    const unit = fc.constantFrom("a", "b", "c", "é", "è", "😀");
    const strings = fc.dictionary(fc.string({ unit, maxLength: 3 }), fc.string({ unit, maxLength: 3 }), { maxKeys: 6 });
    fc.assert(
      fc.property(strings, fc.string({ unit, maxLength: 12 }), (replaced, t) => {
        const latin = (text: string): string => Buffer.from(text).toString("latin1");
        const pairs = Object.entries(replaced).map(([old, by]) => [latin(old), latin(by)] as const);
        pairs.sort(([a], [b]) => (a < b ? -1 : 1));
        const text = latin(t);
        let wanted = "";
        for (let at = 0; at <= text.length; ) {
          wanted += pairs[0]?.[0] === "" ? pairs[0][1] : "";
          const hit = pairs.find(([old]) => old !== "" && text.startsWith(old, at));
          wanted += hit?.[1] ?? text.charAt(at);
          at += hit?.[0].length ?? 1;
        }
        const got = JSON.parse(rtlib.call("strings.replace_n", JSON.stringify(replaced), q(t)) as string) as string;
        const bytes = [...got].map((c) => {
          const byte = (c.codePointAt(0) ?? 0) - 0xdc00;
          return byte >= 0x80 && byte <= 0xff ? String.fromCharCode(byte) : latin(c);
        });
        expect(bytes.join("")).toBe(wanted);
      }),
      campaign(20_000),
    );
  });

  it("compares and copies texts of every length to their last byte", () => {
    const letters = Array.from({ length: 40 }, (_, i) => String.fromCharCode(97 + (i % 26))).join("");
    for (let length = 0; length <= letters.length; length++) {
      const text = letters.slice(0, length);
      expect(rtlib.call("concat", q(""), `[${q(text)},${q("+")},${q(text)}]`)).toBe(q(`${text}+${text}`));
      expect(rtlib.call("startswith", q(`${text}+`), q(text))).toBe("true");
      expect(rtlib.call("endswith", q(`+${text}`), q(text))).toBe("true");
      for (let at = 0; at < length; at++) {
        const other = `${text.slice(0, at)}#${text.slice(at + 1)}`;
        expect(rtlib.call("startswith", q(text), q(other)), other).toBe("false");
        expect(rtlib.call("equal", q(text), q(other)), other).toBe("false");
      }
    }
  });

  it("changes the case of ASCII letters, and of no other characters, in texts of every length", () => {
    const ascii = String.fromCharCode(...Array.from({ length: 127 }, (_, i) => i + 1));
    for (let from = 0; from < ascii.length; from++) {
      for (const length of [0, 1, 7, 8, 9, 15, 16, 17, 25, 127]) {
        for (const end of ["", "\u00c9\u00e9"]) {
          const text = ascii.slice(from, from + length) + end;
          const written = (plain: string): unknown => JSON.parse(rtlib.call("concat", q(""), plain) as string);
          expect(written(`[${rtlib.call("lower", q(text))}]`)).toBe(text.toLowerCase());
          expect(written(`[${rtlib.call("upper", q(text))}]`)).toBe(text.toUpperCase());
        }
      }
    }
  });

  it("gives back the string that it was given where nothing of it changes", () => {
    rtlib.reset();
    const text = rtlib.parse(q("m.ortiz is here"));
    const same = (name: string, ...args: string[]): number =>
      rtlib.function(`builtin_${name}`)(text, ...args.map((a) => rtlib.parse(a)));
    const behind = (name: string, first: string, ...args: string[]): number =>
      rtlib.function(`builtin_${name}`)(rtlib.parse(first), text, ...args.map((a) => rtlib.parse(a)));
    expect(same("lower")).toBe(text);
    expect(same("trim", q(" \u00a0"))).toBe(text);
    expect(same("trim_space")).toBe(text);
    expect(same("replace", q("x"), q("y"))).toBe(text);
    expect(same("regex_replace", q("[^a-z. ]+"), q(""))).toBe(text);
    expect(behind("strings_replace_n", '{"x": "y", "mort": ""}')).toBe(text);
  });

  it("trims as a loop over the characters does", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "@", "é", "😀"), maxLength: 20 });
    const cutset = fc.string({ unit: fc.constantFrom("a", "@", "é", "😀", "x"), maxLength: 4 });
    fc.assert(
      fc.property(text, cutset, (t, cut) => {
        const letters = [...t];
        const isCut = (letter: string | undefined): boolean => letter !== undefined && [...cut].includes(letter);
        const right = [...letters];
        while (isCut(right.at(-1))) right.pop();
        while (isCut(letters[0])) letters.shift();
        expect(rtlib.call("trim_left", q(t), q(cut))).toBe(q(letters.join("")));
        expect(rtlib.call("trim_right", q(t), q(cut))).toBe(q(right.join("")));
        while (isCut(letters.at(-1))) letters.pop();
        expect(rtlib.call("trim", q(t), q(cut))).toBe(q(letters.join("")));
      }),
      campaign(300),
    );
  });

  it("finds what a plain search finds", () => {
    // Neighbours in ASCII, which a search of eight bytes at a time must not take for one another.
    const letter = fc.constantFrom("a", "b", "`", "é");
    const text = fc.oneof(
      fc.string({ unit: letter, maxLength: 600 }),
      fc.string({ unit: letter, maxLength: 30 }),
      fc.string({ unit: "binary", maxLength: 30 }),
    );
    const wanted = fc.oneof(
      fc.string({ unit: letter, minLength: 1, maxLength: 12 }),
      fc.string({ unit: letter, minLength: 1, maxLength: 3 }),
    );
    fc.assert(
      fc.property(text, wanted, (t, w) => {
        const codePoints = [...t];
        const at = [...w].length;
        const places = codePoints.flatMap((_, i) => (codePoints.slice(i, i + at).join("") === w ? [i] : []));
        expect(rtlib.call("indexof_n", q(t), q(w))).toBe(JSON.stringify(places));
        expect(rtlib.call("indexof", q(t), q(w))).toBe(String(places[0] ?? -1));
        expect(rtlib.call("contains", q(t), q(w))).toBe(String(places.length > 0));
        expect(rtlib.call("split", q(t), q(w))).toBe(JSON.stringify(t.split(w)));
        expect(rtlib.call("replace", q(t), q(w), q("<>"))).toBe(q(t.split(w).join("<>")));
      }),
      campaign(400),
    );
  });
});

describe.skipIf(!opaInstalled)("strings, like OPA", () => {
  const texts: Argument[] = [
    "",
    "a",
    "abc",
    "aXbXc",
    "ééa",
    "日本語",
    "a😀b",
    " \t x\u00a0",
    "aaa",
    "ǅ Ⅷ ſK",
    1,
    null,
    true,
    ["a"],
    { $set: ["a", "b"] },
  ];
  const parts: Argument[] = ["", "a", "X", "é", "本", "aa", "abc", " \t", 1, null];

  it("two strings", () => {
    const names = [
      "contains",
      "startswith",
      "endswith",
      "indexof",
      "indexof_n",
      "split",
      "strings.count",
      "trim",
      "trim_left",
      "trim_right",
      "trim_prefix",
      "trim_suffix",
    ];
    expectLikeOpa(names.flatMap((name) => calls(name, product(texts, parts))));
  });

  it("one string", () => {
    expectLikeOpa(
      ["lower", "upper", "trim_space", "strings.reverse", "count"].flatMap((name) => calls(name, product(texts))),
    );
    // Every code point that has case, and those around it.
    const rows: Argument[][] = [];
    for (let start = 0; start < 0x20000; start += 512) {
      let row = "";
      for (let code = start; code < start + 512; code++)
        if (code < 0xd800 || code > 0xdfff) row += String.fromCodePoint(code);
      rows.push([row]);
    }
    expectLikeOpa(["lower", "upper", "trim_space"].flatMap((name) => calls(name, rows)));
  });

  it("replace, substring, concat", () => {
    expectLikeOpa(calls("replace", product(texts, parts, ["", "-", "éé", 1])));
    expectLikeOpa(
      calls("substring", product(texts, [0, 1, 2, 5, -1, "a", 1.5, ...wholes], [-1, 0, 1, 3, 100, null, ...wholes])),
    );
    const lists: Argument[] = [
      [],
      ["a"],
      ["a", "b"],
      ["b", "a", ""],
      [1],
      ["a", 1],
      { $set: [] },
      { $set: ["b", "a"] },
      { $set: ["x", 1] },
      "a",
      null,
      { a: "b" },
    ];
    expectLikeOpa(calls("concat", product(["", ",", "é-", 1], lists)));
  });

  it("prefixes and suffixes", () => {
    const lists: Argument[] = [
      "",
      "a",
      "abc",
      [],
      ["a", "b"],
      ["abc", "xyz"],
      { $set: ["c", "bc"] },
      { $set: [] },
      [1],
      1,
      null,
      ["a", "bb", "ccc", "dddd", "é", "aé", "xa", "xb", "xc"],
    ];
    expectLikeOpa(
      ["strings.any_prefix_match", "strings.any_suffix_match"].flatMap((name) => calls(name, product(lists, lists))),
    );
  });

  it("replace_n", () => {
    const patterns: Argument[] = [
      {},
      { a: "1" },
      { a: "1", ab: "2", b: "3" },
      { "": "-" },
      { "": "-", a: "1" },
      { é: "e", aé: "xé" },
      { a: 1 },
      "x",
      { ab: "x", abc: "y", b: "zz" },
    ];
    expectLikeOpa(calls("strings.replace_n", product(patterns, ["", "a", "abc", "aab abc", "xx", 1])));
  });
});
