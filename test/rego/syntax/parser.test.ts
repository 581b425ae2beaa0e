import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RegoVersion, SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import type { Node } from "../../../compiler/rego/syntax/ast.ts";
import { parseAs, parseModule, parseQuery } from "../../../compiler/rego/syntax/parser.ts";
import { children } from "../../../compiler/rego/syntax/visit.ts";
import { isWhole } from "../../campaign.ts";
import { corpus, findings, hasCorpus } from "./corpus.ts";
import { opa, runOpa } from "./oracle.ts";
import { invalid, logic, stricter, templates, valid } from "./snippets.ts";

/** Far below what is allowed; as far as a stack may go in `make test-all`. */
const DEEP = isWhole ? 100_000 : 20_000;

const below = (text: string) => `package t\n${text}\n`;

function moduleOf(text: string) {
  const { module, diagnostics } = parseModule(new SourceFile("policy.rego", text));
  expect(diagnostics.map((d) => d.message)).toEqual([]);
  if (!module) throw new Error("no module");
  return module;
}

describe("the grammar", () => {
  it.each([...valid, ...logic, ...templates])("accepts %j", (text) => {
    expect(findings(below(text))).toEqual([]);
  });

  it("knows the text of a template string from a keyword of v1, in v0, too", () => {
    const file = new SourceFile("old.rego", 'package t\np = $"if" { true }\n');
    expect(parseAs(file, 0).diagnostics).toEqual([]);
  });

  it.each([...invalid, ...stricter])("refuses %j", (text, ...found) => {
    expect(findings(below(text))).toEqual(found);
  });

  it.skipIf(!opa)("agrees with `opa check` on what is a module", () => {
    const folder = mkdtempSync(join(tmpdir(), "rego-"));
    const good = [...valid, ...logic];
    const texts = [...good, ...invalid.map(([text]) => text)];
    try {
      for (const [i, text] of texts.entries()) writeFileSync(join(folder, `s${i}.rego`), below(text));
      const { stderr, stdout } = runOpa(["check", "-m", "0", "--format", "json", folder]);
      const errors = (JSON.parse(stderr || stdout) as { errors: { code: string; location: { file: string } }[] })
        .errors;
      const refused = new Set(
        errors.filter((e) => e.code === "rego_parse_error").map((e) => e.location.file.split(/[/\\]/).at(-1)),
      );
      for (const [i, text] of texts.entries())
        expect([text, refused.has(`s${i}.rego`)]).toEqual([text, i >= good.length]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(!hasCorpus)("reads every module and query of OPA's compliance cases", () => {
    const { modules, queries } = corpus();
    expect(modules.length).toBeGreaterThan(1_500);
    for (const text of modules) expect(findings(text), text).toEqual([]);
    for (const text of queries) expect(parseQuery(new SourceFile("query", text)).diagnostics, text).toEqual([]);
  });
});

describe("findings", () => {
  it("carry OPA's code, and help for the syntax of v0", () => {
    const { diagnostics } = parseModule(new SourceFile("p.rego", below("p[x] { x := 1 }\nallow { true }")));
    expect(diagnostics.map((d) => [d.opa, d.message, d.help])).toEqual([
      [
        "rego_parse_error",
        "`if` keyword is required before rule body",
        "the module seems to be Rego v0: `portcullis fmt --write --v0-v1` rewrites it",
      ],
      ["rego_parse_error", "`contains` keyword is required for partial set rules", "write `p contains x if { … }`"],
      ["rego_parse_error", "`if` keyword is required before rule body", "write `allow if { … }`"],
    ]);
  });

  it("are several in one run: a broken statement ends where the next begins", () => {
    expect(findings(below("p := [1\nq := 2 +\nr := 3\ns if { x := }\nt := 5"))).toEqual([
      "3:1 rego/unexpected-token",
      "4:3 rego/unexpected-token",
      "5:13 rego/unexpected-token",
    ]);
  });

  it("say that a module begins with a package", () => {
    expect(findings("")).toEqual(["1:1 rego/empty-module"]);
    expect(findings("# only this\n")).toEqual(["1:1 rego/empty-module"]);
    expect(findings("p := 1")).toEqual(["1:1 rego/package-expected"]);
  });

  it.each([
    ["brackets", `p := ${"[".repeat(DEEP)}`],
    ["closed brackets", `p := ${"[".repeat(DEEP)}${"]".repeat(DEEP)}`],
    ["braces", `p := ${"{".repeat(DEEP)}`],
    ["parentheses", `p if ${"(".repeat(DEEP)}`],
    ["calls", `p := ${"f(".repeat(DEEP)}`],
    ["comprehensions", `p := ${"[x|".repeat(DEEP)}`],
    ["template strings", `p := ${'$"{'.repeat(DEEP)}`],
    ["operators", `p := 1${"+1".repeat(DEEP)}`],
    ["calls of results", `p := f${"(1)[0]".repeat(DEEP)}`],
    ["else", `p if a\n${"else := 1 if a\n".repeat(DEEP / 10)}`],
  ])("refuse too deep a nesting of %s", (_, text) => {
    expect(findings(below(text)).map((found) => found.split(" ")[1])).toContain("rego/too-deep");
  });
});

describe("the tree", () => {
  it("has spans that hold their parts and the text they say", () => {
    const text = below('p[x].q := $"a {f(x)}" if { some k, v in {"a": 1}; not k == v with input.y as [z | z := -1] }');
    const check = (node: Node) => {
      for (const child of children(node)) {
        if (node.kind !== "Package")
          expect([node.kind, child.span.start >= node.span.start && child.span.end <= node.span.end]).toEqual([
            node.kind,
            true,
          ]);
        check(child);
      }
      if (node.kind === "Var") expect(text.slice(node.span.start, node.span.end)).toBe(node.name);
      if (node.kind === "Number") expect(text.slice(node.span.start, node.span.end)).toBe(node.text);
    };
    for (const rule of moduleOf(text).rules) check(rule);
  });

  it("keeps the exact text of numbers, and undoes escapes", () => {
    const [rule] = moduleOf(below('p := [1.50, 1E3, -0, "\\u00e9\\n", `\\n`, "\\ud800"]')).rules;
    const value = rule?.head.value;
    const items = value?.kind === "Array" ? value.items : [];
    expect(
      items.map((item) => (item.kind === "Number" ? item.text : item.kind === "String" ? item.value : undefined)),
    ).toEqual(["1.50", "1E3", "-0", "é\n", "\\n", "\ufffd"]);
  });

  it("gives each body of a rule with several a rule of its own", () => {
    const { rules } = moduleOf(below("p if { a } { b } { c }"));
    expect(rules.map((rule) => rule.span.file.text.slice(rule.span.start, rule.span.end))).toEqual([
      "p if { a }",
      "{ b }",
      "{ c }",
    ]);
  });

  it("keeps of equal keys the last value, and equal items once", () => {
    const [object, set] = moduleOf(below('p := {"a": 1, "b": 2, "a": 3}\nq := {1, 1.0, 10e-1, _, _}')).rules.map(
      (rule) => rule.head.value,
    );
    expect(object?.kind === "Object" && object.entries.map(([, v]) => v.kind === "Number" && v.text)).toEqual([
      "3",
      "2",
    ]);
    expect(set?.kind === "Set" && set.items.length).toBe(3);
  });
});

describe("a module of Rego v0", () => {
  const helps = (text: string): (string | undefined)[] =>
    parseModule(new SourceFile("old.rego", text)).diagnostics.map((d) => d.help);
  const whole = "the module seems to be Rego v0: `portcullis fmt --write --v0-v1` rewrites it";

  it("is told so at its first rule, and once", () => {
    const [first, ...others] = helps("package old\n\nallow { input.x }\n\ndeny[msg] { msg := input.y }\n");
    expect(first).toBe(`write \`allow if { … }\`; ${whole}`);
    expect(others.length).toBeGreaterThan(0);
    for (const help of others) expect(help ?? "").not.toContain(whole);
  });

  it("is no name for other faults", () => {
    expect(helps("package new\n\nallow if { ) }\n").join()).not.toContain("v0");
  });
});

describe("a module of a version that its bundle says", () => {
  const read = (text: string, version: RegoVersion) => parseModule(new SourceFile("b/m.rego", text, version));

  it.each(logic)("has in v2 what an import brings in v1: %j", (text) => {
    const [v1, v2] = [read(below(text), 1), read(below(text.replace("import rego.v2", "")), 2)];
    expect(v2.diagnostics).toEqual([]);
    const rules = ({ module }: typeof v1): string =>
      JSON.stringify(module?.rules, (_, v) => (v?.file === undefined ? v : "a span"));
    expect(rules(v2)).toBe(rules(v1));
  });

  it("cannot use the keywords of v2 as names", () => {
    for (const text of ["or := 1", "import data.and", "p if and", "f(or) := 1"]) {
      expect(read(below(text), 1).diagnostics, text).toEqual([]);
      expect(read(below(text), 2).diagnostics.length, text).toBeGreaterThan(0);
    }
  });

  it("is refused as one of v0, with the way out", () => {
    for (const text of ["p { input.x }", "p := 1", "# import rego.v1\np := 1", 'p := "import rego.v1"']) {
      const { module, diagnostics } = read(below(text), 0);
      expect(module).toBeUndefined();
      expect(diagnostics).toMatchObject([
        {
          code: "rego/version-0",
          message: "`b/m.rego` is Rego v0 by the bundle's manifest, and v0 is not read",
          help: "`portcullis fmt --write --v0-v1 b/m.rego` rewrites it for both versions",
        },
      ]);
    }
  });

  it("is one of v1 in v0, too, when it imports a later version", () => {
    expect(read(below("import rego.v1\np if input.x"), 0).diagnostics).toEqual([]);
    expect(read(below("import rego.v2\np if { input.x or input.y }"), 0).diagnostics).toEqual([]);
    expect(read(below("import rego.v1\np { input.x }"), 0).module).toBeUndefined();
  });
});
