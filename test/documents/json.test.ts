/** JSON: what `JSON.parse` takes and no more, with exact numbers and exact places. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, toPlain } from "../../compiler/governance/sources/index.ts";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { campaign } from "../campaign.ts";

function parse(text: string) {
  return parseJson(new SourceFile("data.json", text));
}

describe("json", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "grapheme" }), fc.constantFrom(undefined, 1, "\t"), (text, indent) => {
        const pretty = JSON.stringify(JSON.parse(text), null, indent);
        const { root, diagnostics } = parse(pretty);
        expect(diagnostics).toEqual([]);
        expect(root && JSON.stringify(toPlain(root))).toBe(JSON.stringify(JSON.parse(pretty)));
      }),
      campaign(2_000),
    );
  });

  it("refuses what JSON.parse refuses", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"',
      "1",
      "-",
      "01",
      "1.",
      ".5",
      "1e",
      "true",
      "nul",
      " ",
      "\n",
      "\\u00",
      "/*x*/",
      "'a'",
      "NaN",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("");
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        const { root, diagnostics } = parse(text);
        // A duplicate key is the one thing that is refused beyond syntax.
        const syntax = diagnostics.filter((d) => d.code === "sources/invalid-json");
        expect(syntax.length === 0, text).toBe(valid);
        expect(root !== undefined).toBe(valid);
      }),
      campaign(10_000),
    );
  });

  it("keeps number text", () => {
    const { root } = parse("[-0, 1e400, 2.50, 123456789012345678901234567890]");
    expect(root?.kind === "Sequence" && root.items.map((i) => (i.kind === "Number" ? i.text : ""))).toEqual([
      "-0",
      "1e400",
      "2.50",
      "123456789012345678901234567890",
    ]);
  });

  it("finds every duplicate, and keeps the first", () => {
    const { root, diagnostics } = parse('{"a": 1, "b": {"c": 1, "c": 2}, "a": 3, "a": 4}');
    expect(diagnostics.map((d) => [d.code, d.span?.start])).toEqual([
      ["sources/duplicate-key", 23],
      ["sources/duplicate-key", 32],
      ["sources/duplicate-key", 40],
    ]);
    expect(root && toPlain(root)).toEqual(
      Object.assign(Object.create(null), { a: 1, b: Object.assign(Object.create(null), { c: 1 }) }),
    );
  });

  it("gives `__proto__` no meaning", () => {
    const { root } = parse('{"__proto__": {"x": 1}}');
    expect(root && Object.keys(toPlain(root) as object)).toEqual(["__proto__"]);
  });
});
