/**
 * Patterns that repeat one character or class are matched without the machine. In a group they are matched by it, and what is
 * found is the same: generated patterns and texts, bytes that are not UTF-8 among them.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";
import { calls, expectLikeOpa } from "./differential.ts";
import { opaInstalled } from "./opa.ts";
import { Rtlib } from "./rtlib.ts";

const CLASSES = [
  ...["a", "b", "é", "\ufffd", "\\x{10ffff}", "-", ".", "(?s:.)", "(?i:k)", "[a]", "[ab]", "[^a]", "[^\\x00-\\x7f]"],
  ...["[a-zé]", "[^ab\\n]", "\\w", "\\W", "\\s", "\\d", "\\pL", "\\PL", "[^\\x{fffd}]", "[\\x00-\\x{10ffff}]"],
  ...["[^\\x00-\\x{10ffff}]", "(?i:[k-s])", "[\\x{80}-\\x{fffe}]"],
];
const TIMES = [
  "",
  "*",
  "+",
  "?",
  "*?",
  "+?",
  "??",
  "{0}",
  "{1}",
  "{2}",
  "{3,}",
  "{0,}",
  "{0,2}",
  "{1,3}",
  "{2,3}?",
  "{2,}?",
];
const STARTS = ["", "", "^", "\\A", "^^", "(?m)", "(?m)^", "(?U)", "(?U)^", "\\b"];
const ENDS = ["", "", "$", "\\z", "$$", "(?m)$", "\\B", "(?m:$)$"];

const patterns = fc
  .tuple(fc.constantFrom(...STARTS), fc.constantFrom(...CLASSES), fc.constantFrom(...TIMES), fc.constantFrom(...ENDS))
  .map((parts) => parts.join(""));

const PIECES = [
  "a",
  "b",
  "k",
  "K",
  "s",
  "z",
  "9",
  "_",
  "-",
  " ",
  "\n",
  "é",
  "\u212a",
  "\u017f",
  "\ufffd",
  "\u{10ffff}",
  "日",
];
const BROKEN = ["ff", "80", "c3", "e697", "f09f", "eda080", "c080"].map((hex) => Buffer.from(hex, "hex"));
const pieces = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PIECES.map((text) => Buffer.from(text))) },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
);
const texts = fc.oneof(
  { weight: 8, arbitrary: fc.array(pieces, { maxLength: 9 }).map((list) => Buffer.concat(list)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 200 }).map((n) => Buffer.from(`${"ab".repeat(n)}-`)) },
);

/** What each builtin makes of the pattern; `group`: the one that all of it is in. */
function found(rtlib: Rtlib, pattern: string, bytes: Buffer, group: string): unknown[] {
  const call = (name: string, order: (pattern: number, text: number) => number[]): unknown => {
    rtlib.reset();
    const text = rtlib.function("builtin_base64_decode")(rtlib.parse(JSON.stringify(bytes.toString("base64"))));
    const result = rtlib.function(name)(...order(rtlib.parse(JSON.stringify(pattern)), text));
    return result === 0 ? "undefined" : JSON.parse(rtlib.valueText(result));
  };
  const all = rtlib.parse.bind(rtlib);
  return [
    call("builtin_regex_match", (p, t) => [p, t]),
    call("builtin_regex_find_n", (p, t) => [p, t, all("-1")]),
    call("builtin_regex_find_n", (p, t) => [p, t, all("1")]),
    call("builtin_regex_split", (p, t) => [p, t]),
    call("builtin_regex_replace", (p, t) => [t, p, all(JSON.stringify(`<$${group}>`))]),
    call("builtin_regex_replace", (p, t) => [t, p, all('""')]),
  ];
}

describe("repetitions of one character or class", () => {
  const rtlib = new Rtlib();

  it("match what the machine matches", () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(found(rtlib, pattern, text, "0")).toEqual(found(rtlib, `(${pattern})`, text, "1"));
      }),
      campaign(100_000),
    );
  });

  it("take steps for what they read, however short the matches", () => {
    const text = JSON.stringify("a-".repeat(50_000));
    for (const pattern of ["[a-z]", "[a-z]{2}", "-", "[^\\x00-\\x7f]"]) {
      rtlib.function("setBudget")(1_000_000);
      rtlib.call("regex.replace", text, JSON.stringify(pattern), '""');
      expect(rtlib.function("spent")()).toBeGreaterThan(100_000 / 64);
    }
    rtlib.function("setBudget")(0);
  });

  it.skipIf(!opaInstalled)("match what OPA matches", () => {
    const valid = fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }).map((list) => list.join(""));
    const random = fc.sample(fc.tuple(patterns, valid), campaign(20_000));
    expectLikeOpa(
      calls(
        "regex.find_n",
        random.map(([p, t]) => [p, t, -1]),
      ),
    );
    expectLikeOpa(
      calls(
        "regex.replace",
        random.map(([p, t]) => [t, p, "<$0>"]),
      ),
    );
  });
});
