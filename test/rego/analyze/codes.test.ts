/** Every code has a case that brings it about, and nothing else; helps say what was meant. */

import { describe, expect, it } from "vitest";
import { type AnalyzeOptions, analyze, analyzeCodes, convertModule } from "../../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { readCases } from "./corpus.ts";
import { analyzed, parse, query } from "./helpers.ts";

/** Codes that need options, which the corpus cannot give. */
const fixtures: readonly { readonly code: string; readonly text: string; readonly options: AnalyzeOptions }[] = [
  {
    code: "analyze/data-conflict",
    text: "package t\np := 1",
    options: { dataExists: (path) => path.join("/") === "t/p" },
  },
  {
    code: "analyze/else-below-keys",
    text: "package t\np[x] := 1 if some x in input.xs\np.a.b := 1 if input.y else := 2",
    options: {},
  },
  { code: "analyze/number-key", text: "package t\np[1.0] := 1", options: {} },
  { code: "analyze/nondeterministic-builtin", text: "package t\np := time.now_ns()", options: {} },
  {
    code: "analyze/nondeterministic-builtin",
    text: 'package t\np := http.send({"url": ""})',
    options: { allowNondeterministic: ["time.now_ns"] },
  },
  {
    code: "analyze/unavailable-builtin",
    text: 'package t\np := upper("a")',
    options: { availableBuiltins: new Set(["lower", "eq"]) },
  },
  { code: "analyze/with-path", text: 'package t\np if { x := "a"; input.a with input[x] as 1 }', options: {} },
  {
    code: "analyze/undefined-schema",
    text: "package t\n# METADATA\n# schemas:\n#   - input: schema.x\np := 1",
    options: { schemas: new Map(), requireSchemas: true },
  },
  {
    code: "analyze/invalid-schema",
    text: "package t\n# METADATA\n# schemas:\n#   - input: {type: x}\np := 1",
    options: {},
  },
  {
    code: "analyze/beyond-capabilities",
    text: 'package t\np := $"{input.x}"',
    options: { language: { features: new Set(["rego_v1"]), futureKeywords: new Set() } },
  },
  { code: "analyze/empty-query", text: "package t", options: { queries: [{ ...query("true"), body: [] }] } },
  {
    code: "analyze/unsafe-expression",
    text: "package t\np if { input.x[count(y)] = z; not z with input as [y | false] }",
    options: {},
  },
];

/** A code of choosing entrypoints, which is beside the analysis. */
const ENTRYPOINTS = ["pipeline/no-entrypoint"];

describe("fixtures", () => {
  it.each(fixtures.filter((f) => f.code !== "analyze/unsafe-expression").map((f) => [f.code, f] as const))(
    "%s",
    (code, { text, options }) => {
      expect(analyzed(text, options).diagnostics.map((d) => d.code)).toEqual([code]);
    },
  );

  it("cover every code, with the corpus", () => {
    const seen = new Set<string>([...fixtures.map((f) => f.code), ...ENTRYPOINTS]);
    for (const { code } of convertModule(new SourceFile("old.rego", "package t\n\nif = 1\n")).diagnostics)
      seen.add(code);
    for (const c of readCases()) {
      for (const d of analyze(
        c.modules.map((m) => parse(m.text, m.name)),
        { strict: c.strict },
      ).diagnostics) {
        seen.add(d.code);
      }
    }
    expect(Object.keys(analyzeCodes).filter((code) => !seen.has(code))).toEqual([]);
  });

  it("are explained", () => {
    for (const [code, { explain, message }] of Object.entries(analyzeCodes)) {
      expect(explain.length, code).toBeGreaterThan(60);
      expect(message, code).not.toMatch(/\.$/);
    }
  });

  it("are allowed by name", () => {
    expect(analyzed("package t\np := time.now_ns()", { allowNondeterministic: ["time.now_ns"] }).diagnostics).toEqual(
      [],
    );
    expect(
      analyzed("package t\np if count([]) == 0 with count as opa.runtime").diagnostics.map((d) => d.code),
    ).toContain("analyze/nondeterministic-builtin");
  });
});

describe("help", () => {
  const help = (text: string): (string | undefined)[] => analyzed(text).diagnostics.map((d) => d.help);

  it.each([
    ["package t\np := cuont([1])", "did you mean `count`?"],
    ["package t\np := json.marshall(1)", "did you mean `json.marshal`?"],
    ["package t\nis_admin(x) := x\np := is_admn(1)", "did you mean `is_admin`?"],
    ["package t\nimport data.lib\np := lib.chek(1)", undefined],
    ["package t\nallowed := true\np if alowed", "did you mean `allowed`?"],
    ["package t\np if { user := 1; usr == user }", "did you mean `user`?"],
    ["package t\np if { inptu.x }", "did you mean `input`?"],
    ["package t\nimport data.helpers\np if helper.x", "did you mean `helpers`?"],
    ["package t\np if xyzzy", undefined],
    ['package t\nq := {"name": 1}\np := q.nmae', "did you mean `name`?"],
  ])("%s", (text, expected) => {
    expect(help(text)[0]).toBe(expected);
  });

  it("names a function of another package in full", () => {
    const { diagnostics } = analyze([
      parse("package t\nimport data.lib\np := lib.chek(1)"),
      parse("package lib\ncheck(x) := x", "b.rego"),
    ]);
    expect(diagnostics.map((d) => d.help)).toEqual(["did you mean `data.lib.check`?"]);
  });

  it("shows the definitions that conflict", () => {
    const [found] = analyzed("package t\np := 1\np contains 2").diagnostics;
    expect(found?.related?.length).toBe(1);
  });
});
