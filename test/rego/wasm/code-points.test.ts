/** Lengths and parts of texts in code points, where plain characters and others meet at every place of a word of eight bytes. */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/rego/index.ts";

const REGO = "package t\n\np := [count(input), substring(input, 3, -1), indexof(input, `!`)]\n";

/** Texts of each length: with no other character, then with one of two, three and four bytes at each place. */
const TEXTS = Array.from({ length: 20 }, (_, length) => "abcdefghijklmnopqrst".slice(0, length)).flatMap((plain) =>
  ["", "é", "√", "😀"].flatMap((wide) =>
    Array.from({ length: plain.length + 1 }, (_, at) => `${plain.slice(0, at)}${wide}${plain.slice(at)}!`),
  ),
);

describe("code points", () => {
  it("are counted as JavaScript does", async () => {
    const { compiled, diagnostics } = await compile({ modules: { "t.rego": REGO }, entrypoints: ["t/p"] });
    expect(diagnostics).toEqual([]);
    const policy = await load(compiled?.wasm as Uint8Array);
    for (const text of TEXTS) {
      const points = [...text];
      const expected = [points.length, points.slice(3).join(""), points.length - 1];
      expect(policy.evaluate("t/p", text), text).toEqual(expected);
      expect(policy.evaluateJson("t/p", JSON.stringify(text)), text).toEqual(expected);
    }
  });
});
