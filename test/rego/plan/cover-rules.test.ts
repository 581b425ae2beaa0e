/** Coverage counts the rules whose bodies succeeded, as `opa test --coverage` counts lines, and changes no answer. */
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { optimize } from "../../../compiler/rego/optimize/index.ts";
import { analyzeModules, type ModuleSources } from "../../../compiler/rego/pipeline/analyze-modules.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { COVERED, coverRules } from "../../../compiler/rego/plan/cover-rules.ts";
import { planPolicy } from "../../../compiler/rego/plan/planner.ts";
import type { Rule } from "../../../compiler/rego/syntax/ast.ts";
import { loadBackEnd } from "../../../compiler/rego/wasm/load.ts";
import { sealModule } from "../../../compiler/rego/wasm/sections.ts";
import { load } from "../../../runtime/index.ts";
import { libraryModules, librarySchemas, libraryTests } from "../../governance/library/library-modules.ts";

const MODULE = `package app

default verdict := "none"

verdict := "low" if {
	input.n < 10
} else := "mid" if {
	input.n < 20
} else := "high" if input.n < 30

big(n) if n > 100

big(n) if {
	n < -100
	not input.small
}

either if { input.a } { input.b }

names contains name if some name in input.names

names contains "fixed"

sizes[name] := size if some name, size in input.sizes

late if {
	x > 1
	x = input.n
}

sized if big(input.n)

unasked := 7
`;

const ENTRYPOINTS = ["verdict", "either", "names", "sizes", "late", "sized"];

const NO_DATA = { kind: "object", entries: [] } as const;

/** The reporting module of these sources. */
async function covering(sources: ModuleSources, entrypoints: readonly string[], isWanted: (rule: Rule) => boolean) {
  const { policy, diagnostics } = analyzeModules(sources);
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
  const { policy: reporting, rules } = coverRules(policy!, isWanted);
  const { emitModule } = await loadBackEnd();
  const { bytes } = emitModule(optimize(planPolicy(reporting, entrypoints).policy, { data: NO_DATA }));
  return { rules, wasm: await sealModule(bytes!) };
}

/** Answers to the inputs by the module itself and by the reporting one, and the rows of the rules that succeeded. */
async function covered(inputs: readonly unknown[]): Promise<{ rows: number[]; missed: number[] }> {
  const modules = [new SourceFile("app.rego", MODULE)];
  const entrypoints = ENTRYPOINTS.map((name) => `app/${name}`);
  const { compiled, diagnostics } = await compileModules({ modules, entrypoints });
  expect(diagnostics).toEqual([]);
  const { rules, wasm } = await covering({ modules }, entrypoints, () => true);
  const hits = new Set<number>();
  const plain = await load(compiled!.wasm);
  const reporting = await load(wasm, {
    builtins: [{ [COVERED]: ([rule]) => hits.add(Number(rule)) !== undefined }],
  });
  for (const name of ENTRYPOINTS)
    for (const input of inputs)
      expect(reporting.evaluate(`app/${name}`, input)).toEqual(plain.evaluate(`app/${name}`, input));
  const rows = (hit: boolean): number[] =>
    rules
      .flatMap(({ file, start }, i) => (hits.has(i) === hit ? [file.positionAt(start).line] : []))
      .sort((a, b) => a - b);
  return { rows: rows(true), missed: rows(false) };
}

describe("the coverage of rules", () => {
  it("is of rules that need no input only, when nothing is asked for", async () => {
    const { rows, missed } = await covered([undefined]);
    expect(rows).toEqual([22]);
    expect(missed).toEqual([5, 7, 9, 11, 13, 18, 18, 20, 24, 26, 31, 33]);
  });

  it.each([
    ["a first branch", { n: 1 }, [5, 22]],
    ["a later branch", { n: 15 }, [7, 22, 26]],
    ["a last branch", { n: 25 }, [9, 22, 26]],
    ["a function", { n: 101 }, [11, 22, 26, 31]],
    ["another definition of it", { n: -101 }, [5, 13, 22, 31]],
    ["a second body", { b: true }, [18, 22]],
    ["members", { names: ["a"], sizes: { a: 1 } }, [20, 22, 24]],
  ])("is of %s, when that is asked for", async (_, input, expected) => {
    expect((await covered([input])).rows).toEqual(expected);
  });

  it("adds up over what is asked", async () => {
    const { rows } = await covered([{ n: 1 }, { n: 15 }, { n: 25 }, { a: true }, { b: true }]);
    expect(rows).toEqual([5, 7, 9, 18, 18, 22, 26]);
  });

  it("is complete for the library under its own tests", async () => {
    const modules = libraryModules();
    const tests = libraryTests();
    const asked = tests.flatMap(({ name, text }) =>
      [...text.matchAll(/^(test_\w+)/gm)].map((m) => `portcullis/${name.replace(".rego", "")}/${m[1]}`),
    );
    const sources = [...modules, ...tests].map(({ name, text }) => new SourceFile(name, text));
    const { rules, wasm } = await covering(
      { modules: sources, schemas: librarySchemas() },
      [...new Set(asked)],
      (rule) => !rule.span.file.name.endsWith("_test.rego"),
    );
    const hits = new Set<number>();
    const policy = await load(wasm, {
      builtins: [{ [COVERED]: ([rule]) => hits.add(Number(rule)) !== undefined }],
    });
    for (const rule of new Set(asked)) expect(policy.evaluate(rule, undefined), rule).toBe(true);
    const missed = rules.flatMap(({ file, start }, i) =>
      hits.has(i) ? [] : [`${file.name}:${file.positionAt(start).line}`],
    );
    expect(missed).toEqual([]);
  });
});
