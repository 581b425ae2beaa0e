import { describe, expect, it } from "vitest";
import { builtins } from "../../../compiler/rego/syntax/builtins.ts";
import { runCase } from "../../interpreter/outcome.ts";
import { hasCases, readCases } from "./cases.ts";
import { compile } from "./compile.ts";
import { exceptions } from "./exceptions.ts";

const nondeterministic = [...builtins().values()].filter((b) => b.nondeterministic).map((b) => b.name);

describe.skipIf(!hasCases)("the conformance cases, planned and interpreted", () => {
  it("give the wanted results", () => {
    const failures: string[] = [];
    const excepted = new Set<string>();
    const totals = new Map<string, { passed: number; failed: number; skipped: number }>();
    for (const c of readCases()) {
      const total = totals.get(c.category) ?? { passed: 0, failed: 0, skipped: 0 };
      totals.set(c.category, total);
      const fail = (message: string): void => {
        total.failed++;
        if (exceptions.has(c.note)) excepted.add(c.note);
        else failures.push(`${c.category}: ${c.note}: ${message}`);
      };
      let compiled: ReturnType<typeof compile>;
      try {
        compiled = compile(c.modules ?? [], { query: c.query, allowNondeterministic: nondeterministic });
      } catch (e) {
        fail(`crash: ${(e as Error).stack?.split("\n").slice(0, 3).join(" ") ?? e}`);
        continue;
      }
      if (compiled.policy === undefined) {
        const codes = compiled.diagnostics.map((d) => d.opa ?? d.code);
        if (c.want_error_code !== undefined && codes.includes(c.want_error_code as never)) total.passed++;
        else fail(`does not compile: ${compiled.diagnostics.map((d) => `${d.code}: ${d.message}`).join("; ")}`);
        continue;
      }
      const outcome = runCase(c, c.exact(), compiled.policy, { strict: true });
      if (outcome.kind === "pass") total.passed++;
      else if (outcome.kind === "missing") total.skipped++;
      else fail(outcome.message);
    }
    const sum = (k: "passed" | "failed" | "skipped"): number => [...totals.values()].reduce((n, t) => n + t[k], 0);
    const shown = [...totals]
      .filter(([, t]) => t.failed > 0)
      .map(([name, t]) => `${name}: ${t.passed} of ${t.passed + t.failed}`);
    console.log(
      [...shown, `${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} need a builtin`].join("\n"),
    );
    expect(failures).toEqual([]);
    expect(excepted).toEqual(new Set(exceptions.keys()));
  });
});
