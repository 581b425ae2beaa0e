/** Matrices of decision tests: every value that is written is asked, and what is expected of what is allowed is asked as written. */

import { describe, expect, it } from "vitest";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import { runTests } from "../../../compiler/governance/testing/index.ts";
import { virtualHost } from "../sources/virtual-host.ts";

const SET = {
  "roles.yaml": "roles: [{ role_id: CLERK }]\n",
  "lanes.yaml": "lanes: [{ lane_id: DESK, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [pay] } }]\n",
  "tool_registry.yaml": "tools: [{ tool_name: pay, enabled: true, implementation_status: implemented }]\n",
};

async function ran(matrix: string) {
  const files = { ...SET, "tests/a.yaml": `decision: tool\nmatrices:\n  - ${matrix}\n` };
  const { compiled, diagnostics } = await compileTests({ host: virtualHost({ p: files }), dirs: ["p"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return (await runTests(compiled)).results.map(({ name, failure }) => [name, failure]);
}

const PAYS = "role: [CLERK], lane: [DESK], tool: [pay]";
const PAY = "role: CLERK, lane: DESK, tool: pay";

describe("a matrix", () => {
  it("asks for numbers that are one number as doubles, and knows which one is allowed", async () => {
    const n = "n: [9007199254740992, 9007199254740993]";
    const results = await ran(
      `{ name: m, input: { ${PAY} }, axes: { ${n} }, allow: [{ n: [9007199254740992, 9007199254740993] }] }`,
    );
    expect(results).toEqual([
      ["tool: m [n=9007199254740992]", undefined],
      ["tool: m [n=9007199254740993]", undefined],
    ]);
    const [first, second] = await ran(
      `{ name: m, input: { ${PAY} }, axes: { ${n} }, allow: [{ n: 9007199254740993 }] }`,
    );
    expect(first?.[1]).toMatch(/^`allowed` is true, expected false/);
    expect(second?.[1]).toBeUndefined();
  });

  it("expects what it says of the combinations that are allowed, `allowed: false` too", async () => {
    const [only] = await ran(`{ name: m, axes: { ${PAYS} }, allow: [{ ${PAY} }], expect: { allowed: false } }`);
    expect(only?.[1]).toMatch(/^`allowed` is true, expected false/);
    expect(await ran(`{ name: m, axes: { ${PAYS} }, allow: [{ ${PAY} }], expect: { gate: ALLOW } }`)).toEqual([
      ['tool: m [role="CLERK", lane="DESK", tool="pay"]', undefined],
    ]);
  });
});
