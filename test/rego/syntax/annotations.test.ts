import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { annotationValue } from "../../../compiler/rego/syntax/annotations.ts";
import { parseModule } from "../../../compiler/rego/syntax/parser.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { opa, runOpa } from "./oracle.ts";

function json(value: Value): unknown {
  switch (value.kind) {
    case "null":
      return null;
    case "number":
      return Number(value.text);
    case "array":
    case "set":
      return value.items.map(json);
    case "object":
      return Object.fromEntries(value.entries.map(([k, v]) => [k.kind === "string" ? k.value : "", json(v)]));
    default:
      return value.value;
  }
}

function read(text: string) {
  const file = new SourceFile("policy.rego", text);
  const { module, diagnostics } = parseModule(file);
  return {
    values: module?.annotations.map(({ annotation }) => json(annotationValue(annotation))),
    scopes: module?.annotations.map(({ annotation }) => [annotation.scope, annotation.target]),
    findings: diagnostics.map(({ code, message, span }) => {
      const place = span && file.positionAt(span.start);
      return `${place?.line}:${place?.column} ${code} ${message}`;
    }),
  };
}

const full = `# METADATA
# title: 12
# description: A package
# entrypoint: yes
# organizations: [1, x, 2020-01-01]
# authors:
# - Ada Lovelace <ada@example.com>
# - {name: Bob, email: b@x}
# - <only@mail>
# related_resources:
# - https://example.com/a b?x=y z#ü f
# - ref: "/ä/%41"
#   description: " q "
# custom:
#   date: 2020-01-01
#   time: 2001-12-14t21:59:43.10-05:00
#   hex: 0x1f
#   octal: 010
#   word: yes
#   float: 1.50
#   half: .5
#   big: 12345678901234567890123
#   none: ~
#   long: 1_000
#   list: [a, {b: c}]
package t

p := rego.metadata.chain()
`;

describe("metadata", () => {
  it("is read as OPA reads it", () => {
    expect(read(full).values).toEqual([
      {
        scope: "package",
        title: "12",
        description: "A package",
        entrypoint: true,
        organizations: ["1", "x", "2020-01-01"],
        authors: [
          { name: "Ada Lovelace", email: "ada@example.com" },
          { name: "Bob", email: "b@x" },
          { email: "only@mail" },
        ],
        related_resources: [
          { ref: "https://example.com/a%20b?x=y z#%C3%BC%20f" },
          { ref: "/%C3%A4/A", description: "q" },
        ],
        custom: {
          date: "2020-01-01T00:00:00Z",
          time: "2001-12-14T21:59:43.1-05:00",
          hex: 31,
          octal: 8,
          word: "yes",
          float: 1.5,
          half: 0.5,
          big: 1.2345678901234568e22,
          none: null,
          long: 1000,
          list: ["a", { b: "c" }],
        },
      },
    ]);
  });

  it.skipIf(!opa)("is what `rego.metadata.chain` gives", () => {
    const { stdout } = runOpa(["eval", "--stdin-input", "--format", "raw", "-d", "/dev/stdin", "data.t.p"], full);
    // Where the module cannot be read from standard input there is nothing to compare.
    if (!stdout.startsWith("[")) return;
    const chain = JSON.parse(stdout) as { annotations?: unknown }[];
    expect(read(full).values).toEqual(chain.flatMap((link) => (link.annotations ? [link.annotations] : [])));
  });

  it("belongs to the statement below, by its natural scope", () => {
    const text = `# METADATA
# scope: subpackages
package t

import data.x

# METADATA
# title: p
p := 1

# METADATA
# entrypoint: true
q := 2

# METADATA
# scope: document
q := 2 if x
`;
    expect(read(text).scopes).toEqual([
      ["subpackages", { kind: "Package" }],
      ["rule", { kind: "Rule", index: 0 }],
      ["document", { kind: "Rule", index: 1 }],
      ["document", { kind: "Rule", index: 2 }],
    ]);
  });

  it("begins at each METADATA in the first column, and nowhere else", () => {
    const text = `package t
# METADATA
# title: a
# METADATA
# title: b
p if {
  # METADATA
  # title: none
  input.x
}
  # METADATA
  # title: none either
q := 1
`;
    const values = [
      { scope: "rule", title: "a" },
      { scope: "rule", title: "b" },
    ];
    expect(read(text).values).toEqual(values);
  });

  it("knows schemas by name and in full", () => {
    const text = `package t
# METADATA
# schemas:
# - input: schema.request
# - data["a b"].c: schema["x-y"].z
# - input.n: {type: number}
p := 1
`;
    expect(read(text).values).toEqual([
      {
        scope: "rule",
        schemas: [
          { path: ["input"], schema: ["schema", "request"] },
          { path: ["data", "a b", "c"], schema: ["schema", "x-y", "z"] },
          { path: ["input", "n"], definition: { type: "number" } },
        ],
      },
    ]);
  });

  it.each([
    ["# METADATA\np := 1", "2:1", "expected METADATA block, found whitespace"],
    ["# METADATA\n# title: [\np := 1", "3:11", "yaml"],
    ["# METADATA\n# scope: rules\np := 1", "3:10", "invalid annotation scope 'rules'"],
    [
      "# METADATA\n# scope: package\np := 1",
      "3:10",
      "annotation scope 'package' must be applied to package (have rule)",
    ],
    ["# METADATA\n# title: x\nimport data.x", "2:1", "invalid annotation scope 'import'"],
    ["p := 1\n# METADATA\n# title: x", "3:1", "no statement follows it"],
    ["# METADATA\n# scope: rule\n# entrypoint: true\np := 1", "3:10", "annotation entrypoint applied to non-document"],
    ["# METADATA\n# entrypoint: maybe\np := 1", "3:15", "entrypoint must be true or false"],
    ["# METADATA\n# authors: [{}]\np := 1", "3:13", "invalid author definition"],
    ["# METADATA\n# related_resources: ['']\np := 1", "3:23", "invalid related-resource definition"],
    ["# METADATA\n# related_resources: [':x']\np := 1", "3:23", "is no URL"],
    ["# METADATA\n# schemas: [{x: schema.a}, {1: schema.b}]\np := 1", "3:29", "invalid document reference"],
    ["# METADATA\n# schemas: [{input: data.a}]\np := 1", "3:21", "invalid schema reference"],
    ["# METADATA\n# custom: 5\np := 1", "3:11", "custom must be a map"],
    ["# METADATA\n# custom: {a: .nan}\np := 1", "3:15", ".nan is no JSON value"],
    ["# METADATA\n# a: &a [*a]\n# custom: *a\np := 1", "", "illegal metadata"],
  ])("refuses %j", (text, place, message) => {
    const [found = ""] = read(`package t\n${text}\n`).findings;
    expect(found).toContain(message);
    expect(found.startsWith(place)).toBe(true);
  });
});
