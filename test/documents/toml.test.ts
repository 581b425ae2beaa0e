/** TOML: values are those of the `smol-toml` package, and every key and value points at where it was written. */

import fc from "fast-check";
import { stringify } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parseToml } from "../../compiler/documents/toml.ts";
import { type SourceNode, toPlain } from "../../compiler/documents/tree.ts";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { campaign } from "../campaign.ts";

/** `path=text` of every key and of every scalar, as the spans cut them out of the text. */
function places(text: string): string[] {
  const { root, diagnostics } = parseToml(new SourceFile("a.toml", text));
  expect(diagnostics).toEqual([]);
  const out: string[] = [];
  const cut = (start: number, end: number): string => text.slice(start, end);
  const walk = (node: SourceNode, path: string): void => {
    if (node.kind === "Mapping") {
      for (const e of node.entries) {
        out.push(`${path}.${e.key} key ${cut(e.keySpan.start, e.keySpan.end)}`);
        walk(e.value, `${path}.${e.key}`);
      }
    } else if (node.kind === "Sequence") for (const [i, item] of node.items.entries()) walk(item, `${path}[${i}]`);
    else out.push(`${path} = ${cut(node.span.start, node.span.end)}`);
  };
  if (root !== undefined) walk(root, "");
  return out;
}

describe("toml", () => {
  it("finds keys and values of every form", () => {
    const text = [
      "# a comment = 'not a key'",
      'plain = "a # b"   # c',
      "'quo ted' = 'x'",
      '"esc\\u0061ped" = 1_000',
      "dotted.a . b = 0x1F",
      "dotted.c = -2.5e3",
      'multi = """one',
      '# not a comment """',
      "literal = '''a''b'''",
      "list = [ 1, # one",
      "  [ 'x', { k = true } ],",
      "]",
      "inline = { a = 1, b.c = [ 2 ] }",
      "day = 2026-03-02",
      "moment = 2026-03-02 09:30:00Z",
      "",
      "[table.sub] # header",
      "x = 1",
      "[[rows]]",
      "n = 1",
      "[rows.more]",
      "m = 2",
      "[[rows]]",
      "n = 3",
    ].join("\n");
    expect(places(text)).toEqual([
      ".plain key plain",
      '.plain = "a # b"',
      ".quo ted key 'quo ted'",
      ".quo ted = 'x'",
      '.escaped key "esc\\u0061ped"',
      ".escaped = 1_000",
      ".dotted key dotted",
      ".dotted.a key a",
      ".dotted.a.b key b",
      ".dotted.a.b = 0x1F",
      ".dotted.c key c",
      ".dotted.c = -2.5e3",
      ".multi key multi",
      '.multi = """one\n# not a comment """',
      ".literal key literal",
      ".literal = '''a''b'''",
      ".list key list",
      ".list[0] = 1",
      ".list[1][0] = 'x'",
      ".list[1][1].k key k",
      ".list[1][1].k = true",
      ".inline key inline",
      ".inline.a key a",
      ".inline.a = 1",
      ".inline.b key b",
      ".inline.b.c key c",
      ".inline.b.c[0] = 2",
      ".day key day",
      ".day = 2026-03-02",
      ".moment key moment",
      ".moment = 2026-03-02 09:30:00Z",
      ".table key table",
      ".table.sub key sub",
      ".table.sub.x key x",
      ".table.sub.x = 1",
      ".rows key rows",
      ".rows[0].n key n",
      ".rows[0].n = 1",
      ".rows[0].more key more",
      ".rows[0].more.m key m",
      ".rows[0].more.m = 2",
      ".rows[1].n key n",
      ".rows[1].n = 3",
    ]);
  });

  it("keeps integers exact, and reads other bases and separators", () => {
    const { root } = parseToml(
      new SourceFile("a.toml", "a = 9007199254740993\nb = 0xff\nc = 1_0\nd = +5\ne = 1.50\nf = 5e-3\n"),
    );
    const numbers =
      root?.kind === "Mapping" ? root.entries.map((e) => (e.value.kind === "Number" ? e.value.text : "")) : [];
    expect(numbers).toEqual(["9007199254740993", "255", "10", "5", "1.50", "5e-3"]);
  });

  it("takes CRLF, and an empty file", () => {
    expect(places("a = 1\r\n[b]\r\nc = 2\r\n")).toEqual([".a key a", ".a = 1", ".b key b", ".b.c key c", ".b.c = 2"]);
    expect(places("")).toEqual([]);
  });

  it.each([
    ['a = "\\e"', "\\e"],
    ['a = "\\\\\\x21"', "\\x"],
    ['"\\x41" = 1', "\\x"],
    ['a = """\n\\x21"""', "\\x"],
    ['\ufeffa = "\\x21"', "\\x"],
    ["a = { b = 1,\n c = 2 }", "\n"],
    ["a = {\n}", "\n"],
    ["a = { b = 1 # c\n}", "#"],
    ["a = [{ b = 1, }]", ","],
    ["a = { b = { c = 1, }, d = 2 }", ","],
    ["a = 07:32", "07:32"],
    ["a = 1979-05-27T07:32Z", "1979-05-27T07:32Z"],
    ["a = [1979-05-27 07:32]", "1979-05-27 07:32"],
  ])("refuses what only TOML 1.1 has, for a host may be of 1.0: %j", (text, at) => {
    const { root, diagnostics } = parseToml(new SourceFile("a.toml", text));
    expect(root).toBeUndefined();
    expect(diagnostics.map((d) => [d.code, d.span && text.slice(d.span.start, d.span.end)])).toEqual([
      ["sources/invalid-toml", at],
    ]);
  });

  it.each([
    'a = "\\\\x"',
    "a = '\\x'",
    "a = { b = [\n1, # c\n2,\n] }",
    "a = 07:32:01",
    "a = 1979-05-27 07:32:00.5",
    "a = {}",
    'a = { b = """\n""" }',
  ])("takes what looks like it: %j", (text) => {
    expect(parseToml(new SourceFile("a.toml", text)).diagnostics).toEqual([]);
  });

  it("gives `__proto__` no meaning", () => {
    const { root } = parseToml(new SourceFile("a.toml", "__proto__ = { x = 1 }\n"));
    expect(root?.kind === "Mapping" && root.entries.map((e) => e.key)).toEqual(["__proto__"]);
  });

  it("has places for whatever the package writes", () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    const value = fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 3 }),
      fc.dictionary(fc.string(), scalar, { maxKeys: 3 }),
    );
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string(),
          fc.oneof(value, fc.array(fc.dictionary(fc.string(), value, { maxKeys: 2 }), { maxLength: 2 })),
        ),
        (table) => {
          const text = stringify(table);
          const { root, diagnostics } = parseToml(new SourceFile("a.toml", text));
          expect(diagnostics).toEqual([]);
          expect(JSON.parse(JSON.stringify(root === undefined ? null : toPlain(root)))).toEqual(
            JSON.parse(JSON.stringify(table)),
          );
          const check = (node: SourceNode): void => {
            expect(node.span.start).toBeLessThanOrEqual(node.span.end);
            expect(node.span.end).toBeLessThanOrEqual(text.length);
            const cut = text.slice(node.span.start, node.span.end);
            if (node.kind === "Number") expect(cut).toBe(node.text);
            if (node.kind === "Boolean") expect(cut).toBe(String(node.value));
            if (node.kind === "String") expect(cut).toMatch(/^["'][\s\S]*["']$/);
            if (node.kind === "Sequence") node.items.forEach(check);
            if (node.kind === "Mapping") for (const e of node.entries) check(e.value);
          };
          if (root !== undefined) check(root);
        },
      ),
      campaign(1_000),
    );
  });
});
