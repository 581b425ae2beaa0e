/** The tree of prefixes against the plain statement: of the rules whose prefix a text begins with, all hold. */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

/** Prefixes of prefixes, none of ASCII, of more than one word, edges that part in the middle of a character. */
const PREFIXES: readonly string[] = [
  ..."abcdefgh".split("").map((_, i) => "/".padEnd(i * 3 + 1, "ab")),
  "a",
  "aé",
  "aè",
  "aéz",
  "日",
  "日本",
  "曰",
  "😀",
  "😁!",
  "\u0000",
  "x".repeat(200),
];

async function matching(): Promise<(text: unknown) => unknown> {
  const rules = PREFIXES.map((p, i) => `p contains ${i} if startswith(input.x, ${JSON.stringify(p)})`);
  const modules = [new SourceFile("t.rego", `package t\n${rules.join("\n")}\n`)];
  const { compiled } = await compileModules({ modules, entrypoints: ["t/p"], indexFrom: 2 });
  const policy = await load((compiled as NonNullable<typeof compiled>).wasm);
  return (text) => policy.evaluate("t/p", { x: text });
}

describe("a table of prefixes", () => {
  it("finds every prefix of a text, and no other", async () => {
    const ask = await matching();
    const texts = PREFIXES.flatMap((p) => [p, `${p}!`, `${p}ab`, `${p}é`, p.slice(0, -1), `b${p}`, `${p}${p}`]);
    for (const text of ["", ...texts]) {
      const want = PREFIXES.flatMap((p, i) => (text.startsWith(p) ? [i] : []));
      expect(ask(text), JSON.stringify(text)).toEqual(want);
    }
  });

  it("holds for nothing but texts", async () => {
    const ask = await matching();
    for (const value of [null, true, 7, ["a"], { a: "a" }]) expect(ask(value)).toEqual([]);
  });
});
