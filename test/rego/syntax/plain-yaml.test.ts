/** The quick reader of metadata blocks against the library: the same nodes, at the same places, or none. */

import { describe, expect, it } from "vitest";
import { isMap, isScalar, isSeq, parseDocument } from "yaml";
import { readPlainYaml } from "../../../compiler/rego/syntax/plain-yaml.ts";
import { runs, SEED } from "../../campaign.ts";
import { Random } from "../plan/generate/random.ts";

/** A node of the library's with what is asked of it: kind, quoted or not, range. */
function shown(node: unknown): unknown {
  if (isMap(node)) {
    const items = node.items.map(({ key, value }) => ({ key: shown(key), value: shown(value) }));
    return { kind: "map", items, range: node.range };
  }
  if (isSeq(node)) return { kind: "list", items: node.items.map(shown), range: node.range };
  if (isScalar(node)) return { kind: "scalar", value: node.value, plain: node.type === "PLAIN", range: node.range };
  return { kind: "other", node };
}

function byLibrary(text: string): unknown {
  const document = parseDocument(text, {
    schema: "failsafe",
    prettyErrors: false,
    logLevel: "silent",
  });
  return document.errors.length > 0 ? document.errors.map(String) : shown(document.contents);
}

function agree(text: string): boolean {
  const node = readPlainYaml(text);
  if (node !== undefined)
    expect({ text, node }).toEqual({
      text,
      node: byLibrary(text),
    });
  return node !== undefined;
}

const block = `title: Who may read
description: |
  The first line: with a colon.

    deeper, # no comment
  the last

scope: document
schemas:
  - input: schema["app"].input
  - data.users: schema.users
related_resources:
- https://example.org/a#b
- ref: https://example.org/b
  description: "one: \\u2019two\\u2019"
custom:
  id: A-1
  aliases:
    - 'x y'
    - 12
  nested:
    selector:
      - type: cloud
        subtypes:
          - service: ec2
            provider: aws
  frameworks:
    cis-1.2:
      - 1.4
`.replaceAll("\\u2019", "\u2019");

describe("the quick reader of metadata blocks", () => {
  it("reads what blocks are mostly written in, as the library does", () => {
    expect(agree(block)).toBe(true);
    expect(agree(block.replace("|", "|-"))).toBe(true);
    for (const text of ["a: b\n", "\n\n  a: b\n  c: d\n\n", "a:\n- b\n\n- c\nd: e\n", "a: |\n  b\n\n\n"])
      expect([text, agree(text)]).toEqual([text, true]);
  });

  it.each([
    ["nothing", ""],
    ["a line without an end", "a: b"],
    ["a text alone", "a\n"],
    ["a list alone", "- a\n"],
    ["a key without a value", "a:\nb: c\n"],
    ["a key twice", "a: b\na: c\n"],
    ["a text that goes on", "a: b\n  c\n"],
    ["a folded text", "a: >\n  b\n"],
    ["a literal text with an indent of its own", "a: |2\n   b\n"],
    ["a literal text that begins with an empty line", "a: |\n\n  b\n"],
    ["a list in a line", "a: [b]\n"],
    ["a mapping in a line", "a: {b: c}\n"],
    ["an alias", "a: &x b\nc: *x\n"],
    ["a tag", "a: !!int 1\n"],
    ["a comment", "a: b # c\n"],
    ["a comment in a line of its own", "# a\nb: c\n"],
    ["a mark of a document", "---\na: b\n"],
    ["a tab", "a:\tb\n"],
    ["a carriage return", "a: b\r\n"],
    ["a colon in a text", "a: b: c\n"],
    ["an escape", 'a: "\\n"\n'],
    ["an open quote", 'a: "b\n'],
    ["lines that stand between two others", "a:\n    b: c\n  d: e\n"],
    ["a list of lists", "a:\n- - b\n"],
    ["a dash alone", "a:\n-\n  b: c\n"],
    ["spaces alone", "a: b\n  \nc: d\n"],
  ])("leaves %s to the library", (_, text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });

  it("reads what it reads of changed blocks as the library does", () => {
    const random = new Random(SEED);
    const lines = block.split("\n");
    const bits = [
      " ",
      "  ",
      "\n",
      "- ",
      "-",
      ":",
      ": ",
      "#",
      " #",
      "|",
      ">",
      '"',
      "'",
      "a",
      "1",
      "a: b",
      "[",
      "&a",
      "~",
      "?",
    ];
    let read = 0;
    for (let i = 0; i < runs(20_000); i++) {
      const from = random.int(lines.length);
      let text = lines.slice(from, from + 1 + random.int(12)).join("\n");
      if (random.chance(0.95)) text += "\n";
      for (let changes = random.int(4); changes > 0; changes--) {
        const at = random.int(text.length + 1);
        const bit = bits[random.int(bits.length)] as string;
        text = text.slice(0, at) + bit + text.slice(at + random.int(3));
      }
      if (agree(text)) read++;
    }
    expect(read).toBeGreaterThan(runs(20_000) / 20);
  });
});
