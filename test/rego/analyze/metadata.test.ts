/** Annotations: where they belong, what rules see of them, and the schemas of the type checker. */

import { describe, expect, it } from "vitest";
import { analyzed, checked, showGroup, where } from "./helpers.ts";

describe("rego.metadata", () => {
  const policy = checked({
    "a.rego": `# METADATA
# scope: subpackages
# title: all of it
package a
x := 1
`,
    "b.rego": `# METADATA
# title: b
package a.b

# METADATA
# title: farther

# METADATA
# title: nearer
p := rego.metadata.rule()

# METADATA
# title: beside the else
e := 1 if input.a
else := [rego.metadata.rule(), rego.metadata.chain()]

# METADATA
# title: chained
# custom: {n: [1, 2.50]}
q := rego.metadata.chain()

r := rego.metadata.rule()

s contains x if some x in rego.metadata.chain()

# METADATA
# title: document
# scope: document
d := rego.metadata.chain() if input.a
`,
  });

  it("gives a rule the first of its annotations", () => {
    expect(showGroup(policy, "a.b.p")).toEqual(
      ['#1 if eq(#1, {"scope": "rule", "title": "farther"})'].map(
        (t) => expect.stringContaining(t.slice(6)) as unknown,
      ),
    );
  });

  it("gives the chain, nearest first", () => {
    const [text] = showGroup(policy, "a.b.q");
    const titles = [...(text ?? "").matchAll(/"title": "([^"]*)"/g)].map((m) => m[1]);
    const paths = [...(text ?? "").matchAll(/"path": (\[[^\]]*\])/g)].map((m) => m[1]);
    expect(titles).toEqual(["chained", "b", "all of it"]);
    expect(paths).toEqual(['["a", "b", "q"]', '["a", "b"]', '["a"]']);
    expect(text).toContain('"custom": {"n": [1, 2.5]}');
  });

  it("gives an else none of its rule's", () => {
    const [text] = showGroup(policy, "a.b.e");
    expect(text).toContain('{"path": ["a", "b", "e"]}');
    expect(text).not.toContain("beside the else");
  });

  it("has an entry for a rule without annotations", () => {
    expect(showGroup(policy, "a.b.r")[0]).toContain("{}");
    expect(showGroup(policy, "a.b.s")[0]).toContain('{"path": ["a", "b", "s"]}');
  });

  it("knows documents", () => {
    expect(showGroup(policy, "a.b.d")[0]).toMatch(
      /"path": \["a", "b", "d"\]\}, \{"annotations": \{"scope": "document"/,
    );
  });

  it("has no place in a query's rule-less surroundings", () => {
    expect(policy.builtins).not.toContain("rego.metadata.rule");
  });
});

describe("placed annotations", () => {
  const { annotations } = checked(`# METADATA
# title: t
package t
# METADATA
# entrypoint: true
# schemas:
#   - input: {type: object, properties: {a: {type: string}}}
#   - data.x: schema.x
p := input.a
`);

  it("have scope, path and value", () => {
    expect(annotations.map((a) => [a.scope, a.path, a.entrypoint])).toEqual([
      ["package", ["t"], false],
      ["document", ["t", "p"], true],
    ]);
  });

  it("have the schemas that are known", () => {
    expect(annotations[1]?.schemas).toEqual([
      { path: ["input"], schema: { type: "object", properties: { a: { type: "string" } } } },
    ]);
  });
});

describe("schemas", () => {
  const schemas = new Map<string, unknown>([
    [
      "user",
      { type: "object", properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string" } } } },
    ],
    [
      "acme/any",
      {
        anyOf: [
          { type: "object", properties: { a: { type: "number" } } },
          { type: "object", properties: { b: { type: "string" } } },
        ],
      },
    ],
    [
      "all",
      { allOf: [{ type: "object", properties: { a: { type: "number" } } }, { properties: { b: { type: "string" } } }] },
    ],
    [
      "tree",
      {
        $ref: "#/$defs/node",
        $defs: { node: { type: "object", properties: { v: { type: "number" }, next: { $ref: "#/$defs/node" } } } },
      },
    ],
    ["tuple", { type: "array", prefixItems: [{ type: "number" }, { type: "string" }] }],
    ["nullable", { type: ["string", "null"] }],
    ["open", { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "number" } }],
    ["enum", { enum: ["a", 1] }],
  ]);

  const say = (annotation: string, rule: string): string[] =>
    analyzed(`package t\n# METADATA\n# schemas:\n#   - ${annotation}\n${rule}`, {
      schemas,
      requireSchemas: true,
    }).diagnostics.map((d) => `${d.message}${d.help ? ` (${d.help})` : ""}`);

  it.each([
    ["a property", "input: schema.user", "p := input.name", []],
    [
      "no such property",
      "input: schema.user",
      "p := input.nam",
      ['undefined ref: input.nam: have "nam", want one of "name", "tags" (did you mean `name`?)'],
    ],
    [
      "items",
      "input: schema.user",
      "p if abs(input.tags[0]) == 1",
      ["abs: invalid argument(s): have (string), want (number)"],
    ],
    [
      "below the input",
      "input.user: schema.user",
      "p := input.user.nam",
      ['undefined ref: input.user.nam: have "nam", want one of "name", "tags" (did you mean `name`?)'],
    ],
    ["beside it", "input.user: schema.user", "p := input.other.nam", []],
    [
      "of data",
      "data.users: schema.user",
      "p := data.users.nam",
      ['undefined ref: data.users.nam: have "nam", want one of "name", "tags" (did you mean `name`?)'],
    ],
    ["anyOf", "input: schema.acme.any", "p := [input.a, input.b]", []],
    [
      "none of anyOf",
      "input: schema.acme.any",
      "p := input.c",
      ['undefined ref: input.c: have "c", want one of "a", "b" (did you mean `a`?)'],
    ],
    ["allOf", "input: schema.all", "p := [input.a, input.b]", []],
    [
      "not in allOf",
      "input: schema.all",
      "p := input.c",
      ['undefined ref: input.c: have "c", want one of "a", "b" (did you mean `a`?)'],
    ],
    ["recursive", "input: schema.tree", "p := input.next.next.next.v", []],
    [
      "recursive, first level",
      "input: schema.tree",
      "p := input.nxt",
      ['undefined ref: input.nxt: have "nxt", want one of "next", "v" (did you mean `next`?)'],
    ],
    ["tuple", "input: schema.tuple", "p := abs(input[1])", ["abs: invalid argument(s): have (string), want (number)"]],
    ["several types", "input: schema.nullable", "p if input == null", []],
    [
      "other types",
      "input: schema.nullable",
      "p if input == 1",
      ["match error: left is any<null, string>, right is number"],
    ],
    ["additional properties", "input: schema.open", "p := input.z + 1", []],
    ["enum", "input: schema.enum", "p := input.x", []],
    ["unknown schema", "input: schema.usr", "p := input.x", ["undefined schema: schema.usr (did you mean `user`?)"]],
    [
      "invalid schema",
      "input: {type: nothing}",
      "p := input.x",
      ["unable to use the schema of input: unknown type `nothing`"],
    ],
    [
      "contradiction",
      "input: {allOf: [{type: string}, {type: number}]}",
      "p := input",
      ["unable to use the schema of input: the schemas of allOf are of different types: string and number"],
    ],
    [
      "dangling reference",
      'input: {"$ref": "#/nowhere"}',
      "p := input",
      ["unable to use the schema of input: reference `#/nowhere` leads nowhere"],
    ],
    [
      "remote reference",
      'input: {"$ref": "http://x/y"}',
      "p := input",
      ["unable to use the schema of input: reference `http://x/y` leads out of the schema"],
    ],
  ])("%s", (_, annotation, rule, expected) => {
    expect(say(annotation, rule)).toEqual(expected);
  });

  it("are of one rule only", () => {
    const text = "package t\n# METADATA\n# schemas:\n#   - input: schema.user\np := input.name\nq := input.other";
    expect(analyzed(text, { schemas, requireSchemas: true }).diagnostics).toEqual([]);
  });

  it("may be global", () => {
    const global = new Map([["", schemas.get("user")]]);
    expect(analyzed("package t\np := input.nam", { schemas: global }).diagnostics.map(where)).toEqual([
      'rego_type_error a.rego:2:6 undefined ref: input.nam: have "nam", want one of "name", "tags"',
    ]);
    expect(analyzed("package t\np := 1", { schemas: new Map([["", 1]]) }).diagnostics.map(where)).toEqual([
      "rego_type_error - unable to use the schema of input: a schema is an object or `true`",
    ]);
  });

  it("are silent when none are given", () => {
    expect(analyzed("package t\n# METADATA\n# schemas:\n#   - input: schema.user\np := input.nam").diagnostics).toEqual(
      [],
    );
  });
});
