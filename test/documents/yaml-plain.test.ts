/**
 * The short way through plain YAML against the full parser: wherever the short way answers, both give the same tree, with
 * the same places; and it does answer for the style in which policies are written.
 */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAnyYaml } from "../../compiler/documents/yaml.ts";
import { parsePlainYaml } from "../../compiler/documents/yaml-plain.ts";
import type { SourceNode } from "../../compiler/governance/sources/index.ts";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { campaign, runs } from "../campaign.ts";

/** A tree as text, with the range of every node and key. */
function dump(node: SourceNode | undefined): unknown {
  if (node === undefined) return undefined;
  const at = `${node.span.start}-${node.span.end}`;
  switch (node.kind) {
    case "Null":
      return [at, null];
    case "Number":
      return [at, "number", node.text];
    case "Boolean":
    case "String":
      return [at, node.value];
    case "Sequence":
      return [at, node.items.map(dump)];
    case "Mapping":
      return [at, node.entries.map((e) => [e.key, `${e.keySpan.start}-${e.keySpan.end}`, dump(e.value)])];
  }
}

/** `true` when the short way answered; fails when it answered otherwise than the full parser. */
function agree(text: string): boolean {
  const file = new SourceFile("a.yaml", text);
  const plain = parsePlainYaml(file, 0, text.length);
  if (plain === undefined) return false;
  const full = parseAnyYaml(file);
  expect(
    full.diagnostics.map((d) => d.message),
    text,
  ).toEqual([]);
  expect(dump(plain), text).toEqual(dump(full.root));
  return true;
}

const PLAIN = [
  "a: b\n",
  "a: b",
  "a:\nb: 1\n",
  "a: # c\n\n# d\nb: 1 # e\n",
  "a:\n  # only a comment\nb: [ ]\n",
  "a:\n- b\n- c: d\n  e: f\n-   g: h\n    i: { j: k, l: [m, 1, true, null, 'n', \"o p\"] }\nz: ~x\n".replace("~x", "y"),
  "a:\n    b:\n          c: d e f\n    g: h\n",
  'when: 2026-02-23\nhex: 5f1c\npath: /srv/a.b\nurl: https://a.example/x#y\ntext: it\'s (so) "quoted", a#b\n',
  "- a\n- b: c\n",
  "words: [True, FALSE, Null, no, on, Yes]\n",
  "deep:\n  - a:\n      - b: [c, { d: e }]\n        f:\n        - g\n",
  "a: 0\nb: 10\nc: é ü 漢 😀\nd: x\n",
  "a: &x b\nc: *x\n",
  "a: &x [b, { c: d }]  # e\nf: [*x, { g: *x, h: [*x] }]\ni:\n  - *x\n  - j: *x\n",
  "a: &x # e\n\n  b: c\n  d: &y\n    - e\nf: { <<: *x, b: g }\nh: *y\n",
  "a: -1\nb: [-20, -1-2, -5f, -1 2]\n/etc/a.b: { /etc/c-d: e }\n",
  "<<: { a: b }\n",
  "a: b\n<<: [{ a: c, d: e }, { d: f, g: h }]\ni: j\n",
  "a: &x { b: c }\na2: &x { d: e }\nf:\n  <<: *x\n  g: h\n",
  "a: &x { b: &y c, d: e }\n".replace("&y ", ""),
  'a: "b\\n\\"\\\\\\/ \\ufeff\\ud83d\\ude00"\n',
];

const NOT_PLAIN = [
  "a: 1_0\n",
  "a: [0b1]\n",
  "True: a\n",
  "",
  "a\n",
  "a: *x\nb: &x c\n",
  "a: &x\n  b: *x\n",
  "a: &x\nb: *x\n",
  "a: &x &y b\n",
  "a: &x b\nc: &y *x\n",
  "a: &x\n- b\n",
  "- &x a\n- *x\n",
  "a: &x b\nc: [*x : d]\n",
  "a: &x b\n*x : c\n",
  "a: &x b\nc: *x,\n",
  "a: &x b\nc: *x\n  d\n",
  "a: &x! b\nc: *x!\n",
  "a: { b: &x c }\n",
  "&x a: b\n",
  "&x\na: b\n",
  "<<: b\n",
  "<<: [{ a: b }, c]\n",
  "<<: { a: b }\n<<: { c: d }\n",
  "a: { <<: { a: b }, <<: { c: d } }\n",
  'a: "\\ud800"\n',
  'a: "\\x41"\n',
  "a: !!str b\n",
  "a: |\n  b\n",
  "a: b\n  c\n",
  "a: b\n c: d\n",
  "a: b\na: c\n",
  "- - a\n",
  "-\n  a\n",
  "a: [b,\n  c]\n",
  "a: 'it''s'\n",
  "a:\tb\n",
  "a: b\r\n",
  "a: 1.5\n",
  "a: 007\n",
  "a: .inf\n",
  "a: -0\n",
  "a: -1.5\n",
  "a: -.5\n",
  "a: -1e3\n",
  "a: +1\n",
  "a: -x\n",
  "a: ~\n",
  "a: b: c\n",
  "--- \na: b\n",
  "a: b\n---\nc: d\n",
  "a: b\n...\n",
  "? a\n: b\n",
  "a: {b, c}\n",
  "a: [b: c]\n",
  "a: [b,]\n",
  "a: [b] c\n",
  "  a: b\n",
  "1: a\n",
  "a:\n  - b\n c: d\n",
  "- a: b\n c: d\n",
];

describe("plain YAML", () => {
  it.each(PLAIN)("reads %j", (text) => {
    expect(agree(text)).toBe(true);
  });

  it.each(NOT_PLAIN)("leaves %j to the full parser", (text) => {
    expect(agree(text)).toBe(false);
  });

  it("reads a part of a file with the same places", () => {
    const text = "---\na: [b]\nc:\n---\nnot: [yaml\n";
    const file = new SourceFile("a.md", text);
    const plain = parsePlainYaml(file, 4, 14);
    expect(dump(plain)).toEqual(dump(parseAnyYaml(file, 4, 14).root));
    expect(plain).toBeDefined();
  });

  it("leaves aliases that stand for too much to the full parser", () => {
    const doubled = (n: number): string =>
      `a0: &a0 [x]\n${Array.from({ length: n }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join("")}`;
    expect(agree(doubled(9))).toBe(true);
    const file = new SourceFile("a.yaml", doubled(20));
    expect(parsePlainYaml(file, 0, file.text.length)).toBeUndefined();
    expect(parseAnyYaml(file).diagnostics.map((d) => d.code)).toEqual(["sources/alias-expansion"]);
    // The place behind the last of either.
    for (let n = 9; n < 16; n++) {
      const text = new SourceFile("a.yaml", doubled(n));
      const plain = parsePlainYaml(text, 0, text.text.length) !== undefined;
      expect(plain && parseAnyYaml(text).diagnostics.length > 0, String(n)).toBe(false);
    }
  });

  it("agrees with the full parser on decision tests with a character changed", () => {
    const base = `a: &x\n  b: &y { c: [d, "e\\t"] }\n  f: *y\ng: { <<: *x, b: *y, h: [*x, *y] }\ni:\n  <<: *x\n  j: [*y]\n`;
    const change = fc.constantFrom(..." \n:#-[]{},'\"&*!|x<y>?\\u~");
    expect(agree(base)).toBe(true);
    fc.assert(
      fc.property(fc.nat(base.length), change, fc.boolean(), fc.nat(base.length), change, (at, c, replace, too, d) => {
        const once = base.slice(0, at) + c + base.slice(replace ? at + 1 : at);
        agree(once);
        agree(once.slice(0, too) + d + once.slice(too + 1));
      }),
      campaign(3_000),
    );
  });

  it("finds a repeated key among few and among many", () => {
    const keys = (n: number): string[] => Array.from({ length: n }, (_, i) => `k${i}`);
    for (const n of [2, 16, 17, 18, 40])
      for (const repeated of [0, n - 1]) {
        const all = [...keys(n), `k${repeated}`];
        expect(
          agree(
            keys(n)
              .map((k) => `${k}: 1\n`)
              .join(""),
          ),
        ).toBe(true);
        expect(
          agree(
            `a: {${keys(n)
              .map((k) => `${k}: 1`)
              .join(", ")}}\n`,
          ),
        ).toBe(true);
        expect(agree(all.map((k) => `${k}: 1\n`).join(""))).toBe(false);
        expect(agree(`a: {${all.map((k) => `${k}: 1`).join(", ")}}\n`)).toBe(false);
      }
  });

  it("reads most of the example policies", () => {
    const root = fileURLToPath(new URL("../../policies/", import.meta.url));
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((f) => /\.ya?ml$/.test(f));
    const plain = files.filter((f) => agree(readFileSync(root + f, "utf8")));
    expect(files.length).toBeGreaterThan(10);
    expect(plain.length / files.length).toBeGreaterThan(0.5);
    // A key of `approvers.yaml` stands in a block of lines.
    const simple = files.filter((f) => /^(tests\/|(?!exec|approvers)[a-z_]+\.yaml)/.test(f));
    expect(plain).toEqual(expect.arrayContaining(simple));
  });

  it("agrees with the full parser on generated trees", () => {
    const scalar = fc.constantFrom(
      "a",
      "b c",
      "x.y/z",
      "true",
      "12",
      "é\u00a0",
      "2026-01-02",
      "'q r'",
      '"s, t"',
      "[a, 'b']",
      "{ k: v }",
      "[]",
      "",
      "p:q # c",
      "😀",
    );
    interface Tree {
      readonly scalar: string;
      readonly list: boolean;
      readonly width: number;
      readonly children: readonly Tree[];
      readonly comment: boolean;
    }
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.record({
        scalar,
        list: fc.boolean(),
        width: fc.integer({ min: 0, max: 4 }),
        children: fc.oneof({ maxDepth: 4 }, fc.constant([]), fc.array(tie("tree"), { maxLength: 4 })),
        comment: fc.boolean(),
      }),
    }));
    const print = (t: Tree, indent: number): string => {
      const pad = " ".repeat(indent);
      const child = (c: Tree, lead: string, next: number): string => {
        const note = c.comment ? ` ${pad}# note\n` : "";
        if (c.children.length === 0) return `${note}${pad}${lead}${c.scalar}\n`;
        if (lead === "- ") return `${note}${pad}${lead}${print(c, indent + 2).trimStart()}`;
        return `${note}${pad}${lead}${c.comment ? "  # why" : ""}\n${print(c, next)}`;
      };
      return t.children
        .map((c, i) =>
          t.list ? child(c, "- ", indent + 2) : child(c, `key${i}: `, indent + (c.list ? c.width : c.width + 1)),
        )
        .join("");
    };
    let answered = 0;
    fc.assert(
      fc.property(tree, (t) => {
        if (agree(print(t, 0))) answered++;
      }),
      campaign(5_000),
    );
    expect(answered).toBeGreaterThan(runs(5_000) / 10);
  });

  it("agrees with the full parser on generated lines", () => {
    const atom = fc.constantFrom(
      ...[
        "a",
        "b1",
        "x.y",
        "true",
        "null",
        "12",
        "0",
        "2026-01-02",
        "5f",
        "1e3",
        "-7",
        ".5",
        "0x1f",
        "'q r'",
        '"s, t"',
        "[]",
        "{}",
      ],
      ...[
        "[a, b]",
        "{ k: v, l: 3 }",
        "[[a], { b: [c] }]",
        "w x # c",
        "p:q",
        "p#q",
        "(z)",
        "",
        " ",
        "&n",
        "*n",
        "&n [b]",
        "{ <<: *n }",
        "- a",
        "~",
        "|",
        "a: b",
      ],
    );
    const line = fc.tuple(
      fc.nat(4),
      fc.constantFrom("", "- ", "- - ", "k: ", "l: ", "k: &n ", "<<: ", "m:", "k:", "- k: ", "# ", "n : ", "-"),
      atom,
    );
    let answered = 0;
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.constantFrom("\n", "\n\n", "\n# c\n", " \n"),
        (lines, join) => {
          if (agree(lines.map(([indent, lead, value]) => " ".repeat(indent) + lead + value).join(join))) answered++;
        },
      ),
      campaign(20_000),
    );
    expect(answered).toBeGreaterThan(runs(20_000) / 400);
  });

  it("agrees with the full parser on policies with a character changed", () => {
    const base = readFileSync(fileURLToPath(new URL("../../policies/lanes.yaml", import.meta.url)), "utf8").slice(
      0,
      900,
    );
    const change = fc.constantFrom(..." \n\t:#-[]{},'\"&*!|>%@`?aé0~\\\r\u00a0\u2028");
    fc.assert(
      fc.property(fc.nat(base.length), change, fc.boolean(), (at, c, replace) => {
        agree(base.slice(0, at) + c + base.slice(replace ? at + 1 : at));
      }),
      campaign(3_000),
    );
  });
});
