import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";
import { cpuMs } from "../../cpu-time.ts";
import { calls, expectLikeOpa } from "./differential.ts";
import { type Argument, opaInstalled } from "./opa.ts";
import { PATTERNS, TEXTS } from "./regex-cases.ts";
import { Rtlib } from "./rtlib.ts";

const q = (text: string): string => JSON.stringify(text);

describe("regular expressions", () => {
  const rtlib = new Rtlib();

  it.each([
    ["(a|ab)(c|bcd)(d*)", "abcd", '[["abcd","a","bcd",""]]'],
    ["x*", "axb", '[[""],["x"],[""]]'],
    ["(?i)k", "K\u212a", '[["K"],["\u212a"]]'],
    ["(\\w)(\\d)?", "a1b", '[["a1","a","1"],["b","b",""]]'],
  ])("%s finds in %j %s", (pattern, text, want) => {
    expect(rtlib.call("regex.find_all_string_submatch_n", q(pattern), q(text), "-1")).toBe(want);
  });

  it("takes time linear in the text", () => {
    const text = q(`${"a".repeat(100_000)}!`);
    for (const pattern of ["^(a+)+$", "(a|a)*$", "(a*)*b", "(.*a){20}b", "(?:a?){50}a{50}$"]) {
      const started = cpuMs();
      rtlib.call("regex.match", q(pattern), text);
      expect(cpuMs() - started).toBeLessThan(5000);
    }
  });

  it("refuses patterns that would be too large, at once", () => {
    for (const pattern of [
      "((((a{10}){10}){10}){10}){10}",
      "(".repeat(5000),
      `${"(".repeat(2000)}a${")".repeat(2000)}`,
      `(?:${"a".repeat(20000)}){1000}`,
      "a".repeat(300) + "*".repeat(300),
    ]) {
      expect(rtlib.call("regex.is_valid", q(pattern))).toBe("false");
    }
    expect(rtlib.call("regex.is_valid", q(`(${"a|".repeat(20_000)}b)`))).toBe("true");
    expect(rtlib.call("regex.match", q(`(${"a|".repeat(20_000)}b)`), q("b"))).toBe("true");
    expect(rtlib.call("regex.match", q(`${"(a".repeat(300)}${")*".repeat(300)}`), q("aaa"))).toBe("true");
  });

  it("compiles a pattern once an evaluation, and forgets it after", () => {
    rtlib.reset();
    for (let i = 0; i < 3; i++) expect(rtlib.callAgain("regex.match", q("^a+$"), q("aa"))).toBe("true");
    expect(rtlib.call("regex.match", q("^b+$"), q("aa"))).toBe("false");
    expect(rtlib.call("regex.match", q("^a+$"), q("aa"))).toBe("true");
  });

  it("answers for any pattern and text", () => {
    const unit = fc.constantFrom(..."ab(()|*+?{}[]^$.\\dpL{2,1}:<>Pi-=&é日".split(""));
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 25 }),
        fc.string({ unit: fc.constantFrom("a", "b", "é", "1", "\n"), maxLength: 20 }),
        (p, t) => {
          const valid = rtlib.call("regex.is_valid", q(p)) === "true";
          expect(rtlib.call("regex.match", q(p), q(t)) !== undefined).toBe(valid);
          rtlib.call("regex.replace", q(t), q(p), q("<$1>"));
          rtlib.call("regex.split", q(p), q(t));
        },
      ),
      campaign(5000),
    );
  });
});

describe.skipIf(!opaInstalled)("regular expressions, like OPA", () => {
  const pairs = PATTERNS.flatMap((p) => TEXTS.map((t): Argument[] => [p, t]));

  it("validity and matches", () => {
    expectLikeOpa(
      calls(
        "regex.is_valid",
        [...PATTERNS, 1, null].map((p) => [p]),
      ),
    );
    expectLikeOpa(calls("regex.match", pairs));
    expectLikeOpa(
      calls(
        "regex.find_all_string_submatch_n",
        pairs.map((pair) => [...pair, -1]),
      ),
    );
    expectLikeOpa(calls("regex.split", pairs));
  });

  it("find_n", () => {
    const limits: Argument[] = [-1, 0, 1, 2, 1.5, "a"];
    expectLikeOpa(
      calls(
        "regex.find_n",
        ["a", "a*", "(b)?", "[", 1].flatMap((p) =>
          ["", "abab", 1].flatMap((t) => limits.map((n): Argument[] => [p, t, n])),
        ),
      ),
    );
  });

  it("replace", () => {
    const templates = [
      "",
      "x",
      "<$1>",
      "${1}0",
      "$10",
      "$name",
      "${n}",
      "$n$",
      "$$1",
      "$",
      "${",
      "${1",
      "$é",
      "$-",
      "$01",
      "$0",
    ];
    expectLikeOpa(
      calls(
        "regex.replace",
        pairs.map(([p, t], i) => [t as string, p as string, templates[i % templates.length] as string]),
      ),
    );
    expectLikeOpa(
      calls(
        "regex.replace",
        templates.map((t) => ["ab ab", "(?P<n>a)(b)", t]),
      ),
    );
  });

  it("random patterns", () => {
    const unit = fc.constantFrom(
      "a",
      "b",
      "c",
      "(",
      "(?:",
      ")",
      "|",
      "*",
      "+",
      "?",
      "*?",
      "{1,2}",
      "[ab]",
      "[^a]",
      ".",
      "^",
      "$",
      "\\b",
      "é",
      "(?i)",
      "B",
    );
    const random = fc.sample(
      fc.tuple(
        fc.string({ unit, minLength: 1, maxLength: 9 }),
        fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "B"), maxLength: 8 }),
      ),
      campaign(6000),
    );
    expectLikeOpa(
      calls(
        "regex.find_all_string_submatch_n",
        random.map(([p, t]) => [p, t, -1]),
      ),
    );
  });

  it("every code point in the common classes", () => {
    const rows: string[] = [];
    for (let start = 0; start < 0x20000; start += 4096) {
      let row = "";
      for (let code = start; code < start + 4096; code++)
        if (code < 0xd800 || code > 0xdfff) row += String.fromCodePoint(code);
      rows.push(row);
    }
    const classes = [
      "\\pL+",
      "\\p{Lu}+",
      "\\p{Ll}+",
      "\\p{Lt}+",
      "\\pM+",
      "\\pN+",
      "\\p{Nd}+",
      "\\pP+",
      "\\pS+",
      "\\pZ+",
      "\\p{Cf}+",
      "\\pC+",
      "\\p{Cn}+",
      "\\p{Greek}+",
      "\\p{Latin}+",
      "\\p{Han}+",
      "\\p{Arabic}+",
      "(?i)\\p{Lu}+",
      "(?i)[a-zß-ÿ]+",
      "(?i)\\PL+",
    ];
    expectLikeOpa(
      calls(
        "regex.find_n",
        classes.flatMap((c) => rows.map((row): Argument[] => [c, row, -1])),
      ),
    );
  });

  it("templates", () => {
    const templates = ["urn:foo:{.*}", "{[a-c]+}.x", "a{b", "a}b", "{a{2}}", "{(}{)}", "plain.", "{}", "x{\\d+}y{z}"];
    const texts = ["urn:foo:bar", "abc.x", "abcyx", "aa", "plain.", "plainx", "x12yz", ""];
    const delimiters: [string, string][] = [
      ["{", "}"],
      ["<", ">"],
      ["", "}"],
      ["{", "é"],
      ["ab", "c"],
    ];
    // OPA keeps templates by their text alone: each delimiter needs texts of its own.
    const own = (p: string, i: number): string => `${p}${"~".repeat(i)}`;
    const rows = templates.flatMap((p) =>
      texts.flatMap((t) => delimiters.map(([a, b], i) => [own(p, i), own(t, i), a, b])),
    );
    expectLikeOpa(calls("regex.template_match", rows));
  });
});
