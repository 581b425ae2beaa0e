import { describe, expect, it } from "vitest";
import { hasCases, readCases } from "../rego/plan/cases.ts";
import { addressDataByText } from "../rego/plan/data-keys.ts";
import { readPlanJson } from "../rego/plan/read-json.ts";
import { runCase } from "./outcome.ts";

describe.skipIf(!hasCases)("OPA's own plans of the conformance cases", () => {
  it("give the wanted results in the reference interpreter", () => {
    const failures: string[] = [];
    let passed = 0;
    for (const c of readCases()) {
      const outcome = runCase(c, c.exact(), addressDataByText(readPlanJson(c.plan)));
      if (outcome.kind === "pass") passed++;
      if (outcome.kind !== "fail") continue;
      failures.push(`${c.note}: ${outcome.message}`);
    }
    expect(failures).toEqual([]);
    // The rest need builtins that the interpreter lacks on purpose.
    expect(passed).toBeGreaterThanOrEqual(947);
  });
});
