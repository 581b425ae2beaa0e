/**
 * The runner gives the names and verdicts of `opa test`. The corpus uses every form of a name, of a case and of a failure;
 * `verdicts.txt` is what OPA 1.22.2 says of it, one line a test and a line a case. Where an `opa` is installed, it is asked again.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import { runTests } from "../../../compiler/governance/testing/index.ts";
import type { TestCase } from "../../../compiler/rego/testing/index.ts";
import { builtins } from "../../../runtime/builtins/index.ts";
import { opa } from "../../rego/plan/opa.ts";

const folder = fileURLToPath(new URL("corpus", import.meta.url));
const verdicts = readFileSync(new URL("verdicts.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

/**
 * Where we are stricter: of a rule of two parts without a body OPA looks for cases alone, and passes it when its value is false.
 */
const STRICTER = "data.names.inner.test_false_below";

describe("the corpus of tests", () => {
  it("is large enough", () => {
    expect(verdicts.filter((line) => !line.startsWith(" ")).length).toBeGreaterThanOrEqual(300);
  });

  it("has the names and verdicts that OPA gives it", async () => {
    const { compiled, diagnostics } = await compileTests({ host: nodeHost, dirs: [folder] });
    expect(diagnostics.map((d) => d.message)).toEqual([]);
    const { results } = await runTests(compiled!, { load: { builtins } });
    const lines = results.flatMap(({ name, outcome, cases }) => [`${name} ${outcome}`, ...caseLines(cases, "  ")]);
    expect(lines).toContain(`${STRICTER} fail`);
    expect(verdicts).toContain(`${STRICTER} pass`);
    const others = (all: readonly string[]): string[] => blocks(all).filter((block) => !block.startsWith(STRICTER));
    expect(others(lines)).toEqual(others(verdicts));
  });

  it.skipIf(opa === undefined)("has OPA's verdicts on record", () => {
    const { stdout } = spawnSync(opa as string, ["test", folder, "--format", "json"], { encoding: "utf8" });
    expect(blocks(opaLines(JSON.parse(stdout)))).toEqual(blocks(verdicts));
  });
});

function caseLines(cases: readonly TestCase[] = [], indent: string): string[] {
  return cases.flatMap((c) => [`${indent}${c.name} ${c.outcome}`, ...caseLines(c.cases, `${indent}  `)]);
}

interface OpaResult {
  readonly package: string;
  readonly name: string;
  readonly skip?: boolean;
  readonly error?: unknown;
  readonly fail?: boolean;
  readonly sub_results?: OpaCases;
}
type OpaCases = { readonly [name: string]: { readonly fail?: boolean; readonly sub_results?: OpaCases } };

function opaLines(results: readonly OpaResult[]): string[] {
  return results.flatMap((r) => {
    const outcome = r.skip ? "skip" : r.error !== undefined ? "error" : r.fail ? "fail" : "pass";
    return [`${r.package}.${r.name} ${outcome}`, ...opaCaseLines(r.sub_results, "  ")];
  });
}

function opaCaseLines(cases: OpaCases = {}, indent: string): string[] {
  return Object.keys(cases)
    .sort()
    .flatMap((name) => [
      `${indent}${name} ${cases[name]?.fail ? "fail" : "pass"}`,
      ...opaCaseLines(cases[name]?.sub_results, `${indent}  `),
    ]);
}

/** A test with its cases is one block; their order is no part of a verdict. */
function blocks(lines: readonly string[]): string[] {
  return lines
    .join("\n")
    .split(/\n(?=\S)/)
    .sort();
}
