import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyze } from "../../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { planPolicy } from "../../../compiler/rego/plan/planner.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import type { Module } from "../../../compiler/rego/syntax/ast.ts";
import { parseModule } from "../../../compiler/rego/syntax/parser.ts";
import { campaign } from "../../campaign.ts";
import { hasCases, readCases } from "./cases.ts";
import { programs } from "./programs/index.ts";

function parse(texts: readonly string[]): Module[] {
  return texts.flatMap((text, i) => parseModule(new SourceFile(`m${i}.rego`, text)).module ?? []);
}

/** The plan as text, in which places in the sources do not show. */
function planned(modules: readonly Module[]): string | undefined {
  const { policy } = analyze(modules);
  if (policy === undefined) return undefined;
  const entrypoints = policy.groups.filter((g) => g.kind !== "function").map((g) => g.path.join("/"));
  return policyToText(planPolicy(policy, entrypoints).policy);
}

/** Modules, and rules in them, in an order that the numbers say. */
function shuffled(modules: readonly Module[], order: readonly number[]): Module[] {
  const by = <T>(list: readonly T[], from: number): T[] =>
    list
      .map((x, i) => [order[(from + i) % order.length] as number, x] as const)
      .sort(([a], [b]) => a - b)
      .map(([, x]) => x);
  return by(
    modules.map((m, i) => ({ ...m, rules: by(m.rules, i + 1) })),
    0,
  );
}

describe("plans do not depend on the order of what they are made from", () => {
  const orders = fc.array(fc.integer(), { minLength: 7, maxLength: 23 });

  it("for the small programs", () => {
    const sets = programs.map((p) => parse(p.modules));
    fc.assert(
      fc.property(fc.constantFrom(...sets), orders, (modules, order) => {
        expect(planned(shuffled(modules, order))).toBe(planned(modules));
      }),
      campaign(100),
    );
  });

  it.skipIf(!hasCases)("for the conformance cases with several rules", () => {
    const sets = readCases().map((c) => parse(c.modules ?? []));
    const several = sets.filter((modules) => modules.length > 1 || (modules[0]?.rules.length ?? 0) > 1);
    for (const [i, modules] of several.entries()) {
      expect(planned(shuffled(modules, [3 * i, 1, 2, -i, 5, -4, 7]))).toBe(planned(modules));
    }
  });
});
