/** What completion offers by the grammar: the keywords that may come next, and whether a name may. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { expectedAfter } from "../../../compiler/rego/syntax/expected.ts";

it.each([
  ["", ["default", "import", "package"], true],
  ["package a\n\np ", ["contains", "else", "if"], false],
  ["package a\n\nimport data.x ", ["as"], false],
  ["package a\n\ndefault ", [], true],
  ["package a\n\np contains x ", ["else", "if", "in"], false],
  ["package a\n\np if ", ["every", "false", "not", "null", "some", "true"], true],
  ["package a\n\np if not ", ["every", "false", "null", "some", "true"], true],
  ["p if {\n\tx := 1\n\t", ["every", "false", "in", "not", "null", "some", "true", "with"], true],
  // The rule goes on, or another statement begins.
  ["package a\n\np if true\n", ["default", "else", "import", "in", "package", "with"], true],
])("%j goes on with %j", (text, keywords, name) => {
  const found = expectedAfter(text);
  expect([...(found?.keywords ?? [])].sort()).toEqual(keywords);
  expect(found?.name).toBe(name);
});

it.each(["package a\n\np if )", "p if { x := := ", `p := [${"1, ".repeat(200)}`])(
  "cannot tell behind an error, nor in a very long statement: %j",
  (text) => {
    expect(expectedAfter(text)).toBeUndefined();
  },
);

it("expects the word that stands there, in every line of the library's call decision", () => {
  const text = readFileSync(new URL("../../../compiler/governance/library/call.rego", import.meta.url), "utf8");
  const words = [...text.matchAll(/^(?!#).*?\b(if|not|some|in|else|import|default|every)\b(?= )/gm)];
  expect(words.length).toBeGreaterThan(50);
  let told = 0;
  for (const { 0: line, 1: word = "", index } of words) {
    const at = index + line.length - word.length;
    const found = expectedAfter(text.slice(0, at));
    // The chain of its branches is a long statement.
    if (found === undefined) continue;
    told++;
    expect(found.keywords, text.slice(Math.max(0, at - 60), at + word.length)).toContain(word);
  }
  expect(told).toBeGreaterThan(50);
});
