/** A sign calls what its name means in the module, as OPA reads it. The answers are those of OPA 1.22.2. */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { analyze } from "../../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { analyzed, parse } from "./helpers.ts";

async function answerOf(...texts: readonly string[]): Promise<unknown> {
  const modules = texts.map((text, i) => new SourceFile(`${i}.rego`, text));
  const { compiled, diagnostics } = await compileModules({ modules, entrypoints: ["t"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return (await load(compiled.wasm)).evaluate("t", { x: 5, amount: 5, limit: 100 });
}

describe("a sign", () => {
  it.each([
    ["lt(a, b) if a > b", "p if 1 < 2\nq if 2 < 1", { q: true }],
    ["equal(a, b) := a", "p if 1 == 1\nq := 1 == 3", { p: true, q: 1 }],
    ["neq(a, b) := [a, b]", "p := 1 != 2", { p: [1, 2] }],
    ["eq(a, b) := false", 'q if 1 = 1\nr if { x := 1; x }\ns := $"{input.x}"', { r: true, s: "5" }],
    ["assign(a, b) := a", "p if { x = 1; x := 1; x == 1 }\nq if { input := 1 }", { p: true, q: true }],
    ["minus(a, b) := 7", "p := -input.x\nq := -3\nr := 3 - 2", { p: 7, q: -3, r: 7 }],
    ["plus(a, b) := sprintf(`%v-%v`, [a, b])", "p := 1 + 2 + 3 * 4", { p: "1-2-12" }],
    ["plus(a) := a", "p := x if 5 + x", { p: 5 }],
    ["plus(a, b) := 7", "p := 1 + 1 if false else := 2 + 2\nq[x + 1] := 2 if some x in [1]", { p: 7, q: { 7: 2 } }],
    ["or(a, b) := 7", "p := {1} | {2}\nq := [x | x := {1}]\nr := [(1 | 2)]", { p: 7, q: [[1]], r: [7] }],
    ["and(a, b) := 7", "p := {1} & {2}", { p: 7 }],
    ["gte(a, b) := a\nlte(a, b) := b\ngt(a, b) := 3", "p := [1 >= 2, 1 <= 2, 1 > 2]", { p: [1, 2, 3] }],
    ["mul(a, b) := a\ndiv(a, b) := b\nrem(a, b) := 3", "p := [1 * 2, 1 / 2, 1 % 2]", { p: [1, 2, 3] }],
    ["internal.member_2(a, b) := a", "p := 4 in [2]\nq if some x in [2]", { internal: {}, p: 4, q: true }],
    ["internal.member_3(a, b, c) := c", "p := (1, 2 in [3])", { internal: {}, p: [3] }],
    ["default lt(_, _) := false\nlt(a, b) if a > b", "p := 1 < 2\nq := 2 < 1", { p: false, q: true }],
  ])("calls a rule of the package: %s", async (rules, uses, expected) => {
    expect(await answerOf(`package t\n\n${uses}\n`, `package t\n\n${rules}\n`)).toEqual(expected);
  });

  it("calls what an import names", async () => {
    const answer = await answerOf("package t\nimport data.lib.lt\np := [1 < 2, 2 < 1]", "package lib\nlt(a, b) := a");
    expect(answer).toEqual({ p: [1, 2] });
  });

  it("calls the builtin where only a package below or beside has the name", async () => {
    const beside = ["package t.lt\nx := 1", "package other\nlt(a, b) if a > b"];
    expect(await answerOf("package t\np if 1 < 2", ...beside)).toMatchObject({ p: true });
  });

  it("changes its meaning in every file of the package, and a warning says so", async () => {
    const limits = "package t\n\ndefault allow := false\n\nallow if input.amount < input.limit\n";
    const versions = 'package t\n\nlt(a, b) if semver.compare(a, b) == -1\n\nold if lt(input.client, "2.0.0")\n';
    expect(await answerOf(limits, versions)).toEqual({ allow: false });
    const { diagnostics } = analyze([parse(limits, "limits.rego"), parse(versions, "versions.rego")]);
    expect(diagnostics.map(({ code, severity, message }) => ({ code, severity, message }))).toEqual([
      {
        code: "analyze/captured-operator",
        severity: "warning",
        message: "`<` calls `data.t.lt` here, not the builtin",
      },
    ]);
  });

  it("is explained where a variable has its name", () => {
    expect(analyzed("package t\nf(lt) if lt < 3").diagnostics.map((d) => d.help)).toEqual([
      "`<` calls `lt`: rename the variable",
    ]);
  });
});
