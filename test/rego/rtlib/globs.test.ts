import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";
import { calls, expectLikeOpa, product } from "./differential.ts";
import { type Argument, NumberText, opaInstalled } from "./opa.ts";
import { Rtlib } from "./rtlib.ts";

const n = (text: string): NumberText => new NumberText(text);

describe("globs, graphs, walk and number text", () => {
  const rtlib = new Rtlib();

  it.each([
    ["glob.match", ['"*.github.com"', "[]", '"api.github.com"'], "true"],
    ["glob.match", ['"*.github.com"', "[]", '"api.cdn.github.com"'], "false"],
    ["glob.match", ['"*hub.com"', "null", '"api.cdn.github.com"'], "true"],
    ["glob.match", ['"{a,b[!x-z]}*"', '["/"]', '"bcd"'], "true"],
    ["glob.match", ['"[z-a]"', "[]", '"b"'], undefined],
    ["glob.quote_meta", ['"*.x{a}"'], '"\\\\*.x\\\\{a\\\\}"'],
    ["regex.globs_match", ['"a.a."', '".b.b"'], "true"],
    ["regex.globs_match", ['"[a-c]+d"', '"[d-f]*"'], "false"],
    ["graph.reachable", ['{"a":["b"],"b":["c"],"c":["a"],"d":[]}', '["a"]'], '{"a","b","c"}'],
    ["graph.reachable_paths", ['{"a":["b"],"b":["c"],"c":[]}', '{"a"}'], '{["a","b","c"]}'],
    ["walk", ['{"a":[1]}'], '[[[],{"a":[1]}],[["a"],[1]],[["a",0],1]]'],
    ["format_int", ["-255.9", "16"], '"-ff"'],
    ["format_int", ["10", "3"], undefined],
    ["to_number", ['"+01.50"'], "1.50"],
    ["to_number", ['".5e1"'], "0.5e1"],
    ["to_number", ['"0x10"'], undefined],
    ["to_number", ['"nan"'], undefined],
    ["internal.template_string", ['["a",1,{"x"},set(),{[1,"b"]}]'], '"a1x<undefined>[1, \\"b\\"]"'],
    ["internal.template_string", ["[{1,2}]"], undefined],
  ])("%s%j is %s", (name, args, want) => {
    expect(rtlib.call(name, ...args)).toBe(want);
  });

  it("ends the evaluation beyond its limits", () => {
    const nested = JSON.stringify("{".repeat(300) + "}".repeat(300));
    expect(() => rtlib.call("glob.match", nested, "null", '""')).toThrow("too deep");
    const long = JSON.stringify("a".repeat(1001));
    expect(() => rtlib.call("regex.globs_match", long, long)).toThrow("too long");
  });

  it("answers hard questions in time", () => {
    const stars = JSON.stringify("a*".repeat(300));
    rtlib.call("regex.globs_match", stars, JSON.stringify(`${"a*".repeat(300)}b`));
    rtlib.call("regex.globs_match", JSON.stringify(".*a".repeat(200)), JSON.stringify("b*.+".repeat(200)));
    rtlib.call("glob.match", JSON.stringify("*a".repeat(200)), "null", JSON.stringify("a".repeat(5000)));
    const chain = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`n${i}`, [`n${i + 1}`]]));
    expect(rtlib.call("graph.reachable_paths", JSON.stringify(chain), '["n0"]')).toContain('"n2999"');
  });
});

describe.skipIf(!opaInstalled)("globs, graphs, walk and number text, like OPA", () => {
  it("glob.match", () => {
    const patterns = [
      "",
      "*",
      "**",
      "?",
      "a*",
      "*a",
      "a?c",
      "a.b",
      "*.*",
      "**.c",
      "[abc]",
      "[!abc]",
      "[a-c]x",
      "[!a-c]x",
      "[a-c",
      "[]",
      "[",
      "[z-a]",
      "[a-]",
      "[!]",
      "{a,b}",
      "{a,b*}.c",
      "{a,{b,c}}d",
      "{a",
      "a}",
      "{}",
      "{,a}b",
      "a,b",
      "\\*",
      "a\\",
      "\\[a]",
      "[\\]]",
      "é*",
      "*.{com,org}",
      "**/x/*",
      "a{b,c}d{e,f}",
      "[a-c]*[0-9]",
    ];
    const texts = [
      "",
      "a",
      "abc",
      "a.b",
      "a.b.c",
      "b",
      "bx",
      "dx",
      "ax",
      "b.c",
      "bxy.c",
      "cd",
      "ab",
      "b,",
      "*",
      "a,b",
      "[a]",
      "]",
      "éé",
      "日本",
      "www.x.com",
      "a/x/b",
      "p/a/x/b",
      "abdce",
      "abde",
      "acdf",
      "a1",
      "{a",
      "a}",
      ".",
    ];
    const delimiters: Argument[] = [[], ["."], ["/"], [".", "/"], null];
    expectLikeOpa(calls("glob.match", product(patterns, delimiters, texts)));
    expectLikeOpa(calls("glob.match", product(["a"], [["ab"], [1], [""], "x", 1, [null], ["é"]], ["a", 1])));
    expectLikeOpa(calls("glob.quote_meta", product([...patterns, 1, null])));
  });

  it("regex.globs_match", () => {
    const unit = fc.constantFrom("a", "b", "c", ".", "[ab]", "[b-d]", "a*", "b+", ".*", ".+", "[a-b]*", "\\.", "[");
    const pattern = fc.string({ unit, maxLength: 6 });
    const pairs = fc.sample(fc.tuple(pattern, pattern), campaign(3000));
    expectLikeOpa(
      calls("regex.globs_match", [
        ...pairs,
        ...product(
          ["+", "a**", "]", "[]", "[a-", "[a-]", "[-a]", "a\\", "[\\]]", "[a-\\c]", "é+", 1],
          ["a", "[a]", "é"],
        ),
      ]),
    );
  });

  it("graphs", () => {
    const vertex = fc.constantFrom("a", "b", "c", "d", "e");
    const edges = fc.oneof(
      fc.array(vertex, { maxLength: 3 }),
      fc.array(vertex, { maxLength: 3 }).map((v) => ({ $set: [...new Set(v)] })),
    );
    const graph = fc.dictionary(vertex, edges);
    const rows = fc.sample(fc.tuple(graph, fc.array(vertex, { maxLength: 3 })), campaign(1000));
    expectLikeOpa(calls("graph.reachable", rows as Argument[][]));
    expectLikeOpa(calls("graph.reachable_paths", rows as Argument[][]));
    expectLikeOpa(
      ["graph.reachable", "graph.reachable_paths"].flatMap((name) =>
        calls(name, product([{ a: null, b: ["a"], c: "x" }, [], 1], [["a", "b", "c"], { $set: ["b"] }, "a", 1])),
      ),
    );
  });

  it("number text", () => {
    const numbers: Argument[] = [
      0,
      -1,
      255,
      n("3.7"),
      n("-3.7"),
      n("1e20"),
      n("-1e30"),
      n("9223372036854775808"),
      n("0.5"),
      "1",
      null,
    ];
    expectLikeOpa(calls("format_int", product(numbers, [2, 8, 10, 16, 3, n("10.0"), "10"])));
    const plain = [
      "1",
      "-1",
      "+1",
      "007",
      "1.5",
      "1.",
      ".5",
      "-.5e-3",
      "1e5",
      "1E+5",
      "1e",
      "e1",
      ".",
      "",
      " 1",
      "1 ",
      "1_0",
      "1__0",
      "_1",
      "1_",
      "0x10",
      "inf",
      "-Infinity",
      "NaN",
      "1e400",
      "-1e400",
      "1e-400",
      "1e308",
      "1.8e308",
      "abc",
      "--1",
      "1,5",
      "１",
    ];
    // OPA keeps texts that are not JSON numbers as they are, and then cannot print them: compare as numbers.
    expectLikeOpa(
      calls(
        "to_number",
        [...plain.filter((t) => !/^\+|^-?0\d|\.$|^-?\.|_/.test(t)), null, true, false, [], { $set: [] }].map((t) => [
          t,
        ]),
      ),
    );
  });
});
