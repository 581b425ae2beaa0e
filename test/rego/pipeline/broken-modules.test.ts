/** A syntax error is one finding: nothing follows from it, and it hides nothing of the rest. */

import { describe, expect, it } from "vitest";
import { libraryModules } from "../../../compiler/governance/library/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/index.ts";
import { check, compile, type Diagnostic, parse } from "../../../compiler/rego/index.ts";
import { analyzeModules } from "../../../compiler/rego/pipeline/index.ts";
import { parseModule } from "../../../compiler/rego/syntax/index.ts";
import { isWhole, SEED, sampled } from "../../campaign.ts";

type Texts = Readonly<Record<string, string>>;

function found(modules: Texts): string[] {
  const { ok, diagnostics } = check({ modules });
  expect(ok).toBe(diagnostics.length === 0);
  return diagnostics.map(({ code, span }) => `${code} ${span?.file.name}:${lineOf(span)}`);
}

function told({ code, span, message }: Diagnostic): string {
  return `${code} ${span?.file.name}:${lineOf(span)} ${message}`;
}

function lineOf(span: Diagnostic["span"]): number | undefined {
  return span?.file.positionAt(span.start).line;
}

/** Two modules that use all that the first defines. */
const uses = {
  "same.rego": "package a\n\ndeny if not allow\n\nq := f(1)\n\nr := data.a.f(2)\n\ns if {\n\tf(1, t)\n\tt > 1\n}\n",
  "other.rego": "package c\n\nimport data.a\n\np if a.allow\n\nz := a.f(3)\n",
};

describe("a syntax error causes no other finding", () => {
  it.each([
    ["in a body", "package a\n\nallow if {\n\tinput.x ==\n}\n\nf(x) := x\n", 5],
    ["of a head", "package a\n\nallow iff {\n\tinput.x\n}\n\nf(x) := x\n", 3],
    ["in a rule that is never closed", "package a\n\nf(x) := [x\n\nallow if input.x\n", 5],
    ["of a function", "package a\n\nallow if input.x\n\nf(x) := x +\n", 6],
    ["of quotes that swallow rules", "package a\n\ng := input.x`\n\nallow if input.x\n\nf(x) := `x`\n", 3],
    ["of a rule without `if`", "package a\n\nallow { input.x }\n\nf(x) := x\n", 3],
    ["in a name", "package a\n\nallow if input.x\n\nf(x) := x\n".replace("all", "al(l"), 3],
    ["in a name, and of its line", "package a\n\nal\nlow if input.x\n\nf(x) := x\n", 3],
    ["in the line of a statement", "package a\n\nallow := input.x == 1 input.y == 2\n\nf(x) := x\n", 3],
    ["in a line behind a statement", "package a\n\nallow := input.x == 1\n\tor\n\tinput.y == 2\n\nf(x) := x\n", 4],
    [
      "of a head in a comment",
      "package a\n\nx if {\n\tinput.x\n}\n\n# allow if {\n\ty := input.x\n\ty > 1\n}\n\nf(x) := x\n",
      9,
    ],
    ["of a package", "package a.\n\nallow if input.x\n\nf(x) := x\n", 3],
    ["of a package that is misspelt", "packge a\n\nallow if input.x\n\nf(x) := x\n", 1],
    ["of a second package", "package b\n\npackage a\n\nallow if input.x\n\nf(x) := x\n", 3],
  ])("%s", (_, text, line) => {
    const lines = found({ ...uses, "a.rego": text });
    expect(lines.filter((l) => !l.startsWith("rego/"))).toEqual([]);
    expect(lines[0]).toMatch(new RegExp(` a\\.rego:${line}$`));
  });
});

describe("an import that cannot be read", () => {
  const rules = "\np if lib.allow\n\nq := f(count([lib.x]))\n\nr := count(1)\n";
  it.each([
    ["of nothing", "import data.\n"],
    ["of a keyword for a name", "import data.if\n"],
    ["that is misspelt", "imprt data.lib\n"],
    ["with a wrong alias", "import data.a.b as input\n"],
  ])("may bring any name, %s", (_, line) => {
    expect(found({ "a.rego": `package a\n\n${line}${rules}` }).slice(1)).toEqual([
      "analyze/builtin-arguments a.rego:9",
    ]);
  });

  it.each([["import future.keywords.adn\n"], ["import future.keywrds\n"], ["import rego.v3\n"]])(
    "may bring any keyword: %s",
    (line) => {
      const lines = found({ "a.rego": `package a\n\n${line}\np if input.x and input.y\n\nq if input.x or input.y\n` });
      expect(lines).toEqual(["rego/illegal-import a.rego:3"]);
    },
  );
});

describe("a syntax error hides nothing of the rest", () => {
  const broken = "package a\n\none := cuont([])\n\ntwo if {\n\tinput.x ==\n}\n\n# METADATA\n# scope: rle\nthree := x\n";

  it("of its file", () => {
    expect(found({ "a.rego": broken })).toEqual([
      "rego/unexpected-token a.rego:7",
      "rego/illegal-metadata a.rego:10",
      "analyze/undefined-function a.rego:3",
      "analyze/unsafe-var a.rego:11",
    ]);
  });

  it("of the other modules of its package, and of those that use it", () => {
    const same = "package a\n\nfour := two\n\nfive := tow\n";
    const other = 'package b\n\nimport data.a\n\nsix if count(a.two) == "a"\n';
    const rest = found({ "a.rego": broken, "same.rego": same, "other.rego": other }).filter(
      (f) => !f.includes(" a.rego"),
    );
    expect(rest).toEqual(["analyze/match-error other.rego:5", "analyze/unsafe-var same.rego:5"]);
  });

  it("where only what stands above a broken statement is about that one", () => {
    const text = "package a\n\n# METADATA\n# scope: package\nx := +\n\n# METADATA\n# title: y\ny := 1\n";
    expect(found({ "a.rego": text })).toEqual(["rego/unexpected-token a.rego:5"]);
  });
});

describe("a module with a syntax error", () => {
  it("is never compiled, though nothing else be wrong", async () => {
    const modules = { "a.rego": "package a\n\nx := 1\n\ny := +\n" };
    const { compiled, diagnostics } = await compile({ modules, entrypoints: ["a/x"] });
    expect(compiled).toBeUndefined();
    expect(diagnostics.map((d) => d.code)).toEqual(["rego/unexpected-token"]);
    expect(Object.keys(parse(modules["a.rego"]))).toEqual(["module", "diagnostics"]);
  });
});

/** Ways to break a rule that begins at `start` and ends before `end`. */
const breaks: readonly [name: string, (rule: string) => string][] = [
  ["an operator without an operand", (rule) => rule.replace(/\n?\}?$/, " ==$&")],
  ["a bracket too many", (rule) => rule.replace(/\(|$/, "([")],
  ["a bracket too few", (rule) => rule.replace(/[)}\]]$/, "")],
  ["a misspelt keyword", (rule) => rule.replace(/ (?:if|contains|:=) /, " iff ")],
  ["no keyword", (rule) => rule.replace(/ if /, " ")],
  ["a quote that opens a string", (rule) => rule.replace(/"|$/, "")],
  ["a back-tick", (rule) => `${rule}\``],
  ["a character of no language", (rule) => rule.replace(/\w\b/, "§")],
  ["a half", (rule) => rule.slice(0, rule.length / 2)],
];

describe("of a library with one broken rule only that is told", () => {
  const files = libraryModules.map(({ name, text }) => new SourceFile(name, text));
  const cases = files.flatMap((file) =>
    (parseModule(file).module?.rules ?? []).flatMap(({ span: { start, end } }) =>
      breaks.map(([how, change]) => {
        const text = file.text.slice(0, start) + change(file.text.slice(start, end)) + file.text.slice(end);
        return { file, how, start, broken: new SourceFile(file.name, text) };
      }),
    ),
  );

  it("nothing is told where no rule is broken", () => {
    expect(analyzeModules({ modules: files }).diagnostics).toEqual([]);
    expect(cases.length).toBeGreaterThan(1000);
  });

  // Each reads the whole library: a third, another one with each seed, tells as much.
  const tried = isWhole ? cases.filter((_, i) => i % 3 === SEED % 3) : sampled(cases);

  it.each(tried.map((c) => [`${c.file.name} at ${c.start}: ${c.how}`, c] as const))("%s", (_, c) => {
    const modules = files.map((file) => (file === c.file ? c.broken : file));
    const { policy, diagnostics } = analyzeModules({ modules });
    if (parseModule(c.broken).module !== undefined) return;
    expect(policy).toBeUndefined();
    expect(diagnostics.filter((d) => !d.code.startsWith("rego/")).map(told)).toEqual([]);
    expect(diagnostics.map((d) => d.span?.file)).toContain(c.broken);
  });
});
