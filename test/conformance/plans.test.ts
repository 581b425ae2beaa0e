/**
 * The back end alone, in our own runtime: OPA's plan of each case to a module, and its answer. It passes wherever the whole
 * pipeline passes from the case's modules (conformance.test.ts), so at least as often. A sample of them in `make test`.
 */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { optimize } from "../../compiler/rego/optimize/index.ts";
import { builtins } from "../../compiler/rego/syntax/builtins.ts";
import { availableBuiltins } from "../../compiler/rego/wasm/available-builtins.ts";
import { loadBackEnd } from "../../compiler/rego/wasm/load.ts";
import { isNative } from "../../compiler/rego/wasm/native-builtins.ts";
import { sealModule } from "../../compiler/rego/wasm/sections.ts";
import { sampled } from "../campaign.ts";
import { addressDataByText } from "../rego/plan/data-keys.ts";
import { readPlanJson } from "../rego/plan/read-json.ts";
import { assertVerified } from "../rego/plan/verify.ts";
import { type Case, difference, readCases } from "./cases.ts";
import { ALLOWED, evaluateModule } from "./evaluate-case.ts";
import { exceptions, supersededCases } from "./exceptions.ts";

const { emitModule } = await loadBackEnd();
const AVAILABLE = availableBuiltins(builtins().keys(), ALLOWED);
const dir = fileURLToPath(new URL("../../../shared/conformance/rego-v1", import.meta.url));
const cases = existsSync(dir) ? sampled(readCases(dir)).map((c) => c.case) : [];

async function problem(c: Case): Promise<string | undefined> {
  const read = addressDataByText(readPlanJson(c.plan));
  assertVerified(read);
  const policy = optimize(read, { data: { kind: "object", entries: [] } });
  // A builtin that no host has is refused by name, as it is when the modules are compiled.
  const missing = policy.builtins.find(({ name }) => !isNative(name) && !AVAILABLE.has(name));
  if (missing !== undefined) return difference(c, { kind: "error", code: "unknown", message: missing.name });
  const { bytes, diagnostics } = emitModule(policy);
  if (bytes === undefined) {
    const message = diagnostics.map((d) => d.message).join("; ");
    return difference(c, { kind: "error", code: diagnostics[0]?.opa ?? "unknown", message });
  }
  return difference(c, await evaluateModule(await sealModule(bytes), c));
}

describe.skipIf(cases.length === 0)("OPA's own plans of its cases", () => {
  it("pass as modules in our runtime wherever the case passes from its modules", async () => {
    const failures: string[] = [];
    let passed = 0;
    let planned = 0;
    for (const c of cases) {
      if (c.plan === undefined || c.plan === null) continue;
      planned++;
      let found: string | undefined;
      try {
        found = await problem(c);
      } catch (error) {
        found = String(error);
      }
      if (found === undefined) passed++;
      else if (!exceptions.has(c.note) && !supersededCases.has(c.note)) failures.push(`${c.note}: ${found}`);
    }
    console.log(`${passed} of ${planned} plans pass`);
    expect(failures).toEqual([]);
    expect(passed).toBeGreaterThanOrEqual(cases.length - exceptions.size - supersededCases.size);
  });
});
