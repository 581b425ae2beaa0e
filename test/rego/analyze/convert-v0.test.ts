/** Modules of Rego v0 become what `opa fmt --v0-v1` makes of them; what only a person can change is said. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { convertModule } from "../../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { parseModule } from "../../../compiler/rego/syntax/index.ts";
import { cachedOpaModule } from "../../conformance/opa-release.ts";
import { opa, runOpa } from "../syntax/oracle.ts";

const convert = (text: string) => convertModule(new SourceFile("old.rego", text));

/** What stands below the package, and below `import rego.v1`. */
const rules: readonly (readonly [string, string, string])[] = [
  ["a body", "p { input.x }", "p if input.x\n"],
  ["a partial set", 'p[x] { x := "a" }', 'p contains x if x := "a"\n'],
  ["a partial set without a body", 'p["a"]', 'p contains "a"\n'],
  ["a partial set behind a dot", "p.a { input.x }", 'p contains "a" if input.x\n'],
  ["a partial object", "p[k] = v { v := input[k] }", "p[k] := v if v := input[k]\n"],
  ["a value", "p = 1", "p := 1\n"],
  ["a default", "default p = false", "default p := false\n"],
  ["a function", "f(x) = y { y := x + 1 }", "f(x) := y if y := x + 1\n"],
  ["a function without a body", 'f("a")', 'f("a")\n'],
  ["a function without arguments", "f() = 1 { input.x }", "f := 1 if input.x\n"],
  ["several bodies", "p { input.a } { input.b }", "p if input.a\n\np if input.b\n"],
  ["several bodies of a set", "p[x] { x := 1 } { x := 2 }", "p contains x if x := 1\n\np contains x if x := 2\n"],
  ["an else", "p = 1 { input.a } else = 2 { input.b }", "p := 1 if input.a\n\nelse := 2 if input.b\n"],
  ["a longer name", "p.q.r { input.x }", "p.q.r if input.x\n"],
  ["a longer name alone", "p.q.r", "p.q.r := true\n"],
  ["statements on one line", "p { input.x; input.y }", "p if {\n\tinput.x\n\tinput.y\n}\n"],
  ["comments", "# above\np { # open\n\tinput.x # behind\n}", "# above\np if { # open\n\tinput.x # behind\n}\n"],
  ["a call of contains", 'p { contains(input.x, "a") }', 'p if contains(input.x, "a")\n'],
];

const whole: readonly (readonly [string, string, string])[] = [
  [
    "imports of keywords",
    "package a\n\nimport future.keywords.in # c\nimport data.b\n\np { 1 in input.x }\n",
    "package a\n\n# c\nimport data.b\nimport rego.v1\n\np if 1 in input.x\n",
  ],
  [
    "every, which brings in",
    "package a\n\nimport future.keywords.every\n\np { every x in input.xs { x in [1] } }\n",
    "package a\n\nimport rego.v1\n\np if every x in input.xs { x in [1] }\n",
  ],
  [
    "a module that is one of v1 already",
    "package a\n\nimport rego.v1\n\np contains x if some x in input.xs\n",
    "package a\n\nimport rego.v1\n\np contains x if some x in input.xs\n",
  ],
  [
    "keywords that v1 has to import",
    "package a\n\nimport future.keywords.not\n\np { not { input.x } }\n",
    "package a\n\nimport future.keywords.not\nimport rego.v1\n\np if not { input.x }\n",
  ],
  [
    "an import on the line above a rule",
    "package a\nimport future.keywords.if\np if input.x\n",
    "package a\n\nimport rego.v1\n\np if input.x\n",
  ],
  ["a package alone", "package a\n", "package a\n\nimport rego.v1\n"],
];

const refused: readonly (readonly [string, string, string])[] = [
  ["deprecated builtins", "p { any([input.x]) }", "deprecated built-in function calls in expression: any"],
  [
    "deprecated builtins in terms",
    'p = x { x := [re_match("a", "b")] }',
    "deprecated built-in function calls in expression: re_match",
  ],
  ["a rule called input", "input = 1", "rules must not shadow input (use a different rule name)"],
  ["an argument called data", "f(data) = 1", "args must not shadow data (use a different variable name)"],
  ["a variable called input", "p { input := 1 }", "variables must not shadow input (use a different variable name)"],
  ["a rule called by a keyword", "if = 1", "cannot be converted to Rego v1: if keyword cannot be used for rule name"],
  ["two imports of one name", "import data.a\nimport data.b.a", "import must not shadow import data.a"],
];

describe("convertModule", () => {
  it.each(rules)("writes %s", (_, text, expected) => {
    expect(convert(`package a\n\n${text}\n`).text).toBe(`package a\n\nimport rego.v1\n\n${expected}`);
  });

  it.each(whole)("writes %s", (_, text, expected) => {
    expect(convert(text).text).toBe(expected);
  });

  it.each(refused)("refuses %s", (_, text, message) => {
    const { text: converted, diagnostics } = convert(`package a\n\n${text}\n`);
    expect(converted).toBeUndefined();
    expect(diagnostics.map((d) => d.message)).toEqual([message]);
  });

  it("says which name keeps a module from being one of v1", () => {
    const { text, diagnostics } = convert("package a\n\np = in { in := 1 }\n");
    expect(text).toBeUndefined();
    expect(diagnostics.map((d) => [d.code, d.span?.start])).toEqual([["analyze/not-convertible", 15]]);
  });

  it("gives a module of v1 to v1 as it is", () => {
    const { diagnostics } = convert("package a\n\nimport rego.v1\n\np { input.x }\n");
    expect(diagnostics.map((d) => d.code)).toEqual(["rego/missing-if"]);
  });

  it.skipIf(opa === undefined)("is what a real opa does", () => {
    const folder = mkdtempSync(join(tmpdir(), "rego-"));
    try {
      const file = join(folder, "old.rego");
      const texts = [
        ...rules.map(([, text]) => `package a\n\n${text}\n`),
        ...whole.map(([, text]) => text),
        ...refused.map(([, text]) => `package a\n\n${text}\n`),
      ];
      for (const text of texts) {
        writeFileSync(file, text);
        const theirs = runOpa(["fmt", "--v0-v1", file]);
        expect(convert(text).text, text).toBe(theirs.ok ? theirs.stdout : undefined);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const module = cachedOpaModule();
  const data = module && join(module, "v1/format/testfiles/v0_to_v1");
  it.skipIf(data === undefined || !existsSync(data))("converts OPA's own test data as OPA does", () => {
    const folder = data as string;
    const names = readdirSync(folder).filter((name) => name.endsWith(".rego"));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const path = join(folder, name);
      const { text } = convert(readFileSync(path, "utf8"));
      const expected = existsSync(`${path}.error`) ? undefined : readFileSync(`${path}.formatted`, "utf8");
      expect(text?.trim(), name).toBe(expected?.trim());
    }
  });
});

describe("a module of v0 that is read as v1", () => {
  const helps = (text: string) => parseModule(new SourceFile("old.rego", text)).diagnostics.map((d) => d.help ?? "");

  it("is told which command rewrites it, whatever its first fault is", () => {
    expect(helps("package a\n\np { in := 1 }\n")[0]).toContain("`portcullis fmt --write --v0-v1` rewrites it");
    expect(helps("package a\n\nevery = 1\n")[0]).toContain("`portcullis fmt --write --v0-v1` rewrites it");
  });

  it("is not converted, where it is not v0", () => {
    expect(helps("package a\n\nimport rego.v1\n\np { input.x }\n").join()).not.toContain("v0-v1");
  });
});
