import { describe, expect, it } from "vitest";
import { compilePattern } from "../../../runtime/builtins/jsonschema/pattern.ts";
import { cpuMs } from "../../cpu-time.ts";

/** Pattern, text, and what Go's regexp.MatchString says; undefined: it refuses the pattern. */
const table: readonly (readonly [string, string, boolean | undefined])[] = [
  ["", "", true],
  ["a", "bab", true],
  ["^a", "ba", false],
  ["a$", "ab", false],
  ["a$", "a\n", false],
  ["(?m)a$", "a\nb", true],
  ["^(a|b)+c?$", "abba", true],
  ["a{2,3}b", "aab", true],
  ["^a{2,3}b", "aaaab", false],
  ["x{,2}", "x{,2}", true],
  ["a{1001}", "", undefined],
  ["a**", "", undefined],
  ["a*?", "", true],
  ["(?=a)", "a", undefined],
  ["(a)\\1", "aa", undefined],
  ["[[:alpha:]_]+$", "1_", true],
  ["[^\\d\\s]", "1 2", false],
  ["[]a]", "]", true],
  ["[a-c-e]", "-", true],
  ["[b-a]", "a", undefined],
  ["\\Qa*\\E", "xa*", true],
  ["\\Qa*\\E{2}", "a**", true],
  ["(?i)straße", "STRAßE", true],
  ["(?i)k", "\u212a", true],
  ["(?i)\\W", "\u212a", false],
  ["(?i:a)b", "AB", false],
  ["(?s).", "\n", true],
  [".", "\n", false],
  ["\\p{Greek}", "λ", true],
  ["\\PL", "λ", false],
  ["\\p{Nope}", "λ", undefined],
  ["\\x{1F600}", "😀", true],
  ["^.$", "😀", true],
  ["\\bfoo\\b", "a foo b", true],
  ["\\Bfoo", "a foo", false],
  ["(?P<year>\\d{4})", "in 2024", true],
  ["(", "", undefined],
  ["a\\", "", undefined],
  ["(?z)a", "", undefined],
  ["\\_", "_", true],
];

describe("patterns", () => {
  it.each(table)("%j in %j: %j", (pattern, text, want) => {
    expect(compilePattern(pattern)?.(text)).toBe(want);
  });

  it.each(["(a*)*$", "(a|a)*$", "(a|aa)+$", "(a+)+$", "([a-z]+)*$", "(.*)(.*)(.*)(.*)x"])(
    "answers in linear time: %s",
    (pattern) => {
      const matches = compilePattern(pattern);
      const started = cpuMs();
      matches?.(`${"a".repeat(20_000)}!`);
      expect(cpuMs() - started).toBeLessThan(2000);
    },
  );

  it("refuses a pattern whose counts multiply beyond bounds", () => {
    expect(compilePattern("((a{100}){100}){100}")).toBeUndefined();
    expect(compilePattern("(".repeat(5000))).toBeUndefined();
  });
});
