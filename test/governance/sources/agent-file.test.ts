/** Instruction files: front matter and header as the subagent specification reads them ("What is compiled"). */

import { describe, expect, it } from "vitest";
import { splitFrontMatter } from "../../../compiler/documents/front-matter.ts";
import { decodeSource } from "../../../compiler/documents/utf8.ts";
import { readAgentHeader } from "../../../compiler/governance/sources/agent-header.ts";
import { toPlain } from "../../../compiler/governance/sources/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";

function split(text: string) {
  const file = new SourceFile("AGENT_A.md", text);
  const { root, bodyStart, diagnostics } = splitFrontMatter(file);
  const matter = root === undefined ? undefined : JSON.parse(JSON.stringify(toPlain(root)));
  return { matter, body: text.slice(bodyStart), codes: diagnostics.map((d) => d.code) };
}

function header(text: string) {
  const { typeLine, typeRow, classLine, classRow, unreadable, contradicted } = readAgentHeader(
    new SourceFile("a.md", text),
    0,
  );
  return {
    line: typeLine?.value,
    row: typeRow?.value,
    class: classLine?.value,
    classRow: classRow?.value,
    unreadable: unreadable.map((u) => u.value),
    contradicted: contradicted.map((c) => c.value),
  };
}

describe("front matter", () => {
  it("stands between a first line --- and the next", () => {
    expect(split("---\na: [b]\n---\nbody\n---\n")).toEqual({ matter: { a: ["b"] }, body: "body\n---\n", codes: [] });
    expect(split("---\r\na: 1\r\n---\r\nbody")).toEqual({ matter: { a: 1 }, body: "body", codes: [] });
    expect(split("--- \t\na: 1\n---  \nbody").matter).toEqual({ a: 1 });
    expect(split("---\n---\nbody")).toEqual({ matter: null, body: "body", codes: [] });
    expect(split("---\na: 1\n---")).toEqual({ matter: { a: 1 }, body: "", codes: [] });
  });

  it("is absent otherwise", () => {
    for (const text of [
      "",
      "# A\n",
      "\n---\nNobody, and nothing.\n---\n",
      " ---\na: 1\n---\n",
      "----\na: 1\n---\n",
      "# A\n---\na: 1\n---\n",
    ]) {
      expect(split(text)).toEqual({ matter: undefined, body: text, codes: [] });
    }
  });

  it("below blank lines is a part of the body, and said to be", () => {
    for (const text of ["\n---\na: 1\n---\n", "\n \n---\nsubagents: [A]\n# B\n"])
      expect(split(text)).toEqual({ matter: undefined, body: text, codes: ["sources/late-front-matter"] });
  });

  it("may follow a byte order mark", () => {
    const { file } = decodeSource("AGENT_A.md", new TextEncoder().encode("\ufeff---\na: 1\n---\nx"));
    expect(splitFrontMatter(file).root).toBeDefined();
    expect(file.positionAt(0)).toEqual({ line: 1, column: 1 });
  });

  it("must be closed and valid", () => {
    expect(split("---\na: 1\n").codes).toEqual(["sources/unclosed-front-matter"]);
    expect(split("---").codes).toEqual(["sources/unclosed-front-matter"]);
    expect(split("---\na: [\n---\n").codes[0]).toBe("sources/invalid-yaml");
    expect(split("---\na: 1\na: 2\n---\n").codes).toEqual(["sources/duplicate-key"]);
  });
});

describe("agent header", () => {
  it("reads lines and rows", () => {
    expect(header("# A\nAGENT_TYPE: 2\n").line).toBe(2);
    expect(header("AGENT_TYPE: TYPE 1\r\n").line).toBe(1);
    expect(header("AGENT_TYPE:TYPE0").line).toBe(0);
    expect(header("AGENT_TYPE: 2-x\n").line).toBe(2);
    expect(header("| **AGENT_TYPE** | TYPE 2 |\n").row).toBe(2);
    expect(header("|**AGENT_TYPE**|TYPE2|TYPE 1|\n").row).toBe(2);
    expect(header("<!--\nAGENT_TYPE: 2\n-->\n").line).toBe(2);
    expect(header("AGENT_CLASS: `task`\n| **AGENT_CLASS** | PERSONA (MANAGER) |\n")).toMatchObject({
      class: "TASK",
      classRow: "PERSONA",
    });
  });

  it("takes the first of each, and notes others", () => {
    expect(header("AGENT_TYPE: 1\nAGENT_TYPE: 2\n")).toMatchObject({ line: 1, contradicted: [2] });
    expect(header("AGENT_TYPE: 1\nAGENT_TYPE: 1\n").contradicted).toEqual([]);
    expect(header("| **AGENT_TYPE** | TYPE 0 |\n| **AGENT_TYPE** | TYPE 2 |\n")).toMatchObject({
      row: 0,
      contradicted: [2],
    });
  });

  it("does not take what only looks like it", () => {
    const like = [
      "AGENT_TYPE: 3",
      "AGENT_TYPE: two",
      "AGENT_TYPE: 22",
      "AGENT_TYPE = 2",
      "**AGENT_TYPE:** 2",
      "agent_type: 2",
      " AGENT_TYPE: 2",
    ];
    for (const text of [
      ...like,
      "| AGENT_TYPE | TYPE 2 |",
      "| **AGENT_TYPE** | 2 |",
      " | **AGENT_TYPE** | TYPE 2 |",
      "| **AGENT_TYPE** | TYPE 2 (specialist) |",
      "| **AGENT_TYPE** | TYPE 2",
      "| **AGENT_TYPE** | TYPE 2 or 1 |",
      "| **AGENT_TYPE** | TYPE 2, |",
      "> AGENT_TYPE: 2",
      "- AGENT_TYPE: 2",
    ]) {
      const said = header(`${text}\n`);
      expect([said.line, said.row, said.unreadable], text).toEqual([undefined, undefined, [text.trim()]]);
    }
    expect(header("Every agent declares AGENT_TYPE: 2 in its header.\n")).toMatchObject({
      line: undefined,
      unreadable: [],
    });
  });

  it("skips code fences, as CommonMark closes them", () => {
    const hidden = [
      "```\nAGENT_TYPE: 2\n```\n",
      "~~~ md\nAGENT_TYPE: 2\n~~~\n",
      "````\n```\nAGENT_TYPE: 2\n````\n",
      "```\nAGENT_TYPE: 2\n",
    ];
    for (const text of [...hidden, "```\n~~~\nAGENT_TYPE: 2\n```\n", "   ```\n``` x\nAGENT_TYPE: 2\n```\n"]) {
      expect(header(text), text).toMatchObject({ line: undefined, unreadable: [] });
    }
    for (const text of [
      "```\nx\n```\nAGENT_TYPE: 2\n",
      "``` `a` ```\nAGENT_TYPE: 2\n",
      "    ```\nAGENT_TYPE: 2\n",
      "~~~\n~~~~\nAGENT_TYPE: 2\n",
    ]) {
      expect(header(text).line, text).toBe(2);
    }
  });
});
