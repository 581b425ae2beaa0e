/** `coverage: "only"` compiles one module, which the tests run on once, and measures what two modules do. */

import { expect, it } from "vitest";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import { runTests } from "../../../compiler/governance/testing/index.ts";
import { RIGHT } from "../checks/hospital.ts";
import { virtualHost } from "../sources/virtual-host.ts";

async function measured(coverage: true | "only") {
  const { compiled, diagnostics } = await compileTests({ host: virtualHost({ p: RIGHT }), dirs: ["p"], coverage });
  if (compiled === undefined) throw new Error(diagnostics[0]?.message);
  return { isOne: compiled.wasm === compiled.covering?.wasm, report: await runTests(compiled) };
}

it("gives the same results and the same coverage", async () => {
  const [two, one] = [await measured(true), await measured("only")];
  expect([two.isOne, one.isOne]).toEqual([false, true]);
  expect(one.report.coverage).toEqual(two.report.coverage);
  const outcomes = ({ report }: typeof one) => report.results.map((r) => [r.name, r.outcome]);
  expect(outcomes(one)).toEqual(outcomes(two));
  expect(one.report.results.length).toBeGreaterThan(0);
  expect(one.report.gates).toEqual(two.report.gates);
});
