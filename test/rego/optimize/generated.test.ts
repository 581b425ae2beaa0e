/** Generated programs through the passes, one more each time: always valid, always the same answer. */

import { describe, expect, it } from "vitest";
import { parseJson as parseSource, toValue } from "../../../compiler/governance/sources/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { PASSES } from "../../../compiler/rego/optimize/index.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { runs, SEED } from "../../campaign.ts";
import { BudgetExceeded, interpret, PolicyError } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { print, toJson, type Val } from "../../interpreter/value.ts";
import { compile } from "../plan/compile.ts";
import { type Generated, generate } from "../plan/generate/index.ts";
import { verifyPolicy } from "../plan/verify.ts";

const PROGRAMS = runs(400);
const EMPTY: Value = { kind: "object", entries: [] };

function answer(policy: Policy, program: Generated, data: Val | undefined): string {
  const input = parseJson(JSON.stringify(program.input));
  try {
    return print(toJson(interpret(policy, program.package, { input, data, strict: true, budget: 2_000_000 })));
  } catch (error) {
    if (error instanceof PolicyError) return "conflict";
    if (error instanceof BudgetExceeded) return "too long";
    throw error;
  }
}

function valueOfData(data: unknown): Value {
  const { root } = parseSource(new SourceFile("data.json", JSON.stringify(data)));
  return root === undefined ? EMPTY : toValue(root);
}

describe("generated programs", () => {
  it.each([
    ["host", false],
    ["bundle", true],
  ])("give the same answer after each pass, data from the %s", (_, compiledIn) => {
    const differences: string[] = [];
    let compared = 0;
    for (let seed = SEED; seed < SEED + PROGRAMS; seed++) {
      const program = generate(seed);
      const { policy } = compile(program.modules, { entrypoints: [program.package] });
      if (policy === undefined) continue;
      const hostData = parseJson(JSON.stringify(program.data));
      const wanted = answer(policy, program, hostData);
      const data = compiledIn ? valueOfData(program.data) : EMPTY;
      // The index has the same answers, too.
      let current = compile(program.modules, { entrypoints: [program.package], indexFrom: 2 }).policy as Policy;
      for (const [name, pass] of PASSES) {
        current = pass(current, { data });
        const findings = verifyPolicy(current);
        if (findings.length > 0) differences.push(`seed ${seed} after ${name}: ${JSON.stringify(findings[0])}`);
        const found = answer(current, program, compiledIn ? undefined : hostData);
        if (found !== wanted && wanted !== "too long")
          differences.push(`seed ${seed} after ${name}: ${found}, not ${wanted}`);
        if (differences.length > 0) break;
      }
      compared++;
    }
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(PROGRAMS * 0.2);
  });
});
