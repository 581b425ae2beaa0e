/** The syntax tree as OPA's JSON is what `opa parse` gives for the same text. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import type { Module } from "../../../compiler/rego/syntax/ast.ts";
import { moduleToJson } from "../../../compiler/rego/syntax/ast-json.ts";
import { parseModule } from "../../../compiler/rego/syntax/parser.ts";
import { jsonText } from "../../../compiler/rego/value/json-text.ts";
import { sampled } from "../../campaign.ts";
import { removeFolder, temporaryFolder } from "../../cli/terminal.ts";
import { corpus, hasCorpus } from "./corpus.ts";
import { opa, runOpa } from "./oracle.ts";

const FORMS = `package a.b["c d"]

import data.x.y as z
import input
import rego.v2

default allow := false

allow if {
	some i, j
	some k, _ in input.xs
	z[i] == input[_].a[j]
	not k == 1 with input as {"a": 1.50} with f as count
	every a, b in [1, {2}] { a < b }
	every a in [] { a }
	not { i; null }
	{ i; j } and j or { true }
	{"k": y | some y in [y | y = 1e3]}
	f({y | y = -x})[0].s[$"a {1}{x with input as 2}"]
	io.jwt.decode(\`raw\`)
	set()
} else if input else := 3

f(x) := y if { y := x }
g.h(1, [x]) := x
p contains 1
q.r contains x if some x in data
m.n := 3
m[n] := 3 if n := 2
m[n] if n := 2
r.s[x].t if x := 123456789012345678901234567890
v = {} if { true } { false }
`;

/** Members of objects and items of sets have no order; of findings and comments nothing is said. */
function tree(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tree);
  if (typeof node !== "object" || node === null) return node;
  const members = Object.entries(node).filter(([key]) => key !== "annotations" && key !== "comments");
  const plain = Object.fromEntries(members.map(([key, value]) => [key, tree(value)]));
  if ((plain["type"] === "set" || plain["type"] === "object") && Array.isArray(plain["value"]))
    plain["value"] = plain["value"].map((item) => JSON.stringify(item)).sort();
  return plain;
}

function ours(text: string): unknown {
  const { module } = parseModule(new SourceFile("policy.rego", text));
  return tree(JSON.parse(jsonText(moduleToJson(module as Module))));
}

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

function opas(text: string): unknown {
  const file = join(folder, "policy.rego");
  writeFileSync(file, text);
  return tree(JSON.parse(runOpa(["parse", "--format", "json", file]).stdout));
}

describe("the syntax tree as JSON", () => {
  it("has a rule's head, statements and terms under OPA's names", () => {
    const { rules } = ours("package a\n\np contains _ if not input.x == 1.50\n") as { rules: unknown };
    expect(rules).toEqual([
      {
        head: { name: "p", ref: [{ type: "var", value: "p" }], key: { type: "var", value: "$0" } },
        body: [
          {
            index: 0,
            negated: true,
            terms: [
              { type: "ref", value: [{ type: "var", value: "equal" }] },
              {
                type: "ref",
                value: [
                  { type: "var", value: "input" },
                  { type: "string", value: "x" },
                ],
              },
              { type: "number", value: 1.5 },
            ],
          },
        ],
      },
    ]);
  });

  it("keeps numbers as they are written", () => {
    const { module } = parseModule(new SourceFile("policy.rego", "package a\n\np := 10000000000000000001\n"));
    expect(jsonText(moduleToJson(module as Module))).toContain(":10000000000000000001");
  });

  it.skipIf(!opa)("is that of `opa parse`, of every form", () => {
    expect(ours(FORMS)).toEqual(opas(FORMS));
  });

  it.skipIf(!opa || !hasCorpus)("is that of `opa parse`, of OPA's modules", () => {
    // A process for each: 80 ms.
    const modules = corpus().modules.filter((_, i) => i % 6 === 0);
    for (const text of sampled(modules)) expect(ours(text), text).toEqual(opas(text));
  });
});
