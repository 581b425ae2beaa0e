/** Each pass keeps what every plan answers: held by the reference interpreter against the plan before it. */

import { describe, expect, it } from "vitest";
import { optimize, PASSES } from "../../../compiler/rego/optimize/index.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { valueOfJson } from "../../../compiler/rego/value/index.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { callBuiltin } from "../../../compiler/rego/wasm/call-builtin.ts";
import { sampled } from "../../campaign.ts";
import { runCase } from "../../interpreter/outcome.ts";
import { hasCases, readCases } from "../plan/cases.ts";
import { parsePolicyText } from "../plan/parse-text.ts";
import { readPlanJson } from "../plan/read-json.ts";
import { verifyPolicy } from "../plan/verify.ts";

const EMPTY: Value = { kind: "object", entries: [] };

describe.skipIf(!hasCases)("OPA's own plans of the conformance cases", () => {
  const cases = sampled(readCases(), 1 / 4);

  it("are valid after every pass, and give the same results after all", () => {
    const changed: string[] = [];
    for (const c of cases) {
      const policy = readPlanJson(c.plan);
      const before = runCase(c, c.exact(), policy);
      let current: Policy = policy;
      for (const [name, pass] of PASSES) {
        current = pass(current, { data: EMPTY, callBuiltin });
        expect(verifyPolicy(current), `${c.note} after ${name}`).toEqual([]);
      }
      const after = runCase(c, c.exact(), current);
      // A builtin that only the compiler has may be called while compiling.
      if (before.kind === "missing" && after.kind === "pass") continue;
      if (JSON.stringify(after) !== JSON.stringify(before))
        changed.push(`${c.note}: ${JSON.stringify(before)}, optimised ${JSON.stringify(after)}`);
    }
    expect(changed).toEqual([]);
  });

  it("stay the same objects where a pass has nothing left to do", () => {
    let settled = 0;
    for (const c of cases) {
      const policy = optimize(readPlanJson(c.plan), { data: EMPTY, callBuiltin });
      for (const [name, pass] of PASSES.filter(([n]) => n !== "decide-functions")) {
        const again = pass(policy, { data: EMPTY, callBuiltin });
        for (const [i, func] of again.funcs.entries()) {
          const before = policy.funcs[i];
          if (
            before === undefined ||
            policyToText({ ...again, funcs: [func] }) !== policyToText({ ...policy, funcs: [before] })
          )
            continue;
          expect(func, `${c.note}, ${func.name} after ${name}`).toBe(before);
          settled++;
        }
      }
    }
    expect(settled).toBeGreaterThan(0);
  });

  it("give the same results when the data is compiled in", () => {
    const changed: string[] = [];
    for (const c of cases) {
      if (typeof c.data !== "object" || c.data === null || Object.keys(c.data).length === 0) continue;
      const policy = readPlanJson(c.plan);
      const before = runCase(c, c.exact(), policy);
      const optimized = optimize(policy, { data: valueOfJson(c.data), callBuiltin });
      expect(verifyPolicy(optimized), c.note).toEqual([]);
      const after = runCase(c, c.exact(), optimized, { data: undefined });
      if (before.kind !== after.kind)
        changed.push(`${c.note}: ${JSON.stringify(before)}, optimised ${JSON.stringify(after)}`);
    }
    expect(changed).toEqual([]);
  });
});

/** The text of a policy after the passes, its plan and constants left out. */
function optimized(body: string, data: unknown = {}): string {
  const text = `plan p\n  block\n    L2 = call f(L0, L1)\n    result L2\nfunc f(L0, L1) -> L2\n${body.replace(/^/gm, "  ")}\n`;
  const result = optimize(parsePolicyText(text), { data: valueOfJson(data) });
  expect(verifyPolicy(result)).toEqual([]);
  return policyToText(result)
    .split("\n")
    .filter((line) => line.startsWith("constant") || line.startsWith("  "))
    .filter((line) => !/^ {4}(L2 = call f|result L2)/.test(line))
    .join("\n")
    .replace(/^ {2}block\n/m, "");
}

describe("fold-constants", () => {
  it("makes collections of constants constants, inner ones first", () => {
    expect(
      optimized(`block
  L3 = array 2
  append L3 "a"
  L4 = number "1.50"
  append L3 L4
  L5 = set
  add L5 L3
  L6 = null
  add L5 L6
  L2 = object
  insert L2 "k" L5
  insert L2 "t" true
block
  return L2`),
    ).toBe(`constant #0 {"k": {["a", 1.50], null}, "t": true}
  block
    L2 = #0
  block
    return L2`);
  });

  it("leaves collections alone that are changed elsewhere, hold what is not known, or are read in between", () => {
    for (const body of [
      `block\n  L2 = set\n  add L2 "a"\n  scan L0 as L3, L4\n    add L2 L4\nblock\n  return L2`,
      `block\n  L2 = set\n  add L2 "a"\n  blocks\n    block\n      L3 = get L0 "x"\n      add L2 "b"\nblock\n  return L2`,
      `block\n  L2 = array 1\n  append L2 L0\nblock\n  return L2`,
      `block\n  L2 = array 1\n  append L2 "a"\n  L3 = len L2\n  append L2 "b"\nblock\n  return L2`,
      `block\n  L2 = object\n  insert L2 "k" L2\nblock\n  return L2`,
      `block\n  L2 = array 1\n  append L2 "a"\n  L3 = get L0 "x"\n  append L2 "b"\nblock\n  return L2`,
    ]) {
      expect(optimized(body)).toBe(body.replace(/^/gm, "  "));
    }
  });

  it("folds nothing in a function that changes what it looked up", () => {
    const body = `block
  L2 = object
  L3 = object
  insert L2 "k" L3
  L4 = get L2 "k"
  insert L4 "x" L0
block
  return L2`;
    expect(optimized(body)).toBe(body.replace(/^/gm, "  "));
  });

  it("does not share a collection between turns of a loop, or with what changes it", () => {
    const body = `block
  L2 = array 0
  scan L0 as L3, L4
    L5 = array 1
    append L5 "a"
    append L2 L5
block
  return L2`;
    expect(optimized(body)).toContain("append L2 #0");
  });

  it("decides comparisons, type tests and look-ups", () => {
    expect(
      optimized(
        `block\n  L3 = number "1.0"\n  L4 = int 1\n  equal L3 L4\n  not-equal "a" "b"\n  L2 = true\nblock\n  return L2`,
      ),
    ).toBe("  block\n    L2 = true\n  block\n    return L2");
    expect(optimized(`block\n  equal "a" "b"\n  L2 = true\nblock\n  L2 = false\nblock\n  return L2`)).toBe(
      "  block\n    break 0\n  block\n    L2 = false\n  block\n    return L2",
    );
    expect(
      optimized(`block\n  L3 = object\n  insert L3 "a" "b"\n  is-object L3\n  L2 = get L3 "a"\nblock\n  return L2`),
    ).toContain("L2 = #");
  });

  it("makes an assignment that cannot conflict a plain one", () => {
    expect(optimized(`block\n  L2 = reset\n  L2 = once "a"\n  L2 = once "a"\nblock\n  return L2`)).toBe(
      `  block\n    L2 = reset\n    L2 = "a"\n  block\n    return L2`,
    );
    const conflict = `  block\n    L2 = reset\n    L2 = "a"\n    L2 = once "b"\n  block\n    return L2`;
    expect(optimized(`block\n  L2 = reset\n  L2 = once "a"\n  L2 = once "b"\nblock\n  return L2`)).toBe(conflict);
  });

  it("forgets what a block or a loop may have changed", () => {
    const blocks = `block
  L3 = "a"
  blocks
    block
      L4 = get L0 "x"
      L3 = "b"
  equal L3 "a"
  L2 = true
block
  return L2`;
    expect(optimized(blocks)).toBe(blocks.replace(/^/gm, "  "));
    const loop = `block
  L2 = array 0
  L3 = "a"
  scan L0 as L5, L4
    append L2 L3
    L3 = L4
block
  return L2`;
    expect(optimized(loop)).toBe(loop.replace(/^/gm, "  "));
  });
});

describe("fold-data", () => {
  it("follows references, and fails those that lead nowhere", () => {
    const body = `block\n  L3 = get L1 "roles"\n  L4 = get L3 "admin"\n  L2 = L4\nblock\n  return L2`;
    expect(optimized(body, { roles: { admin: "yes" } })).toContain(`L2 = #`);
    expect(optimized(body, { roles: {} })).toContain("break 0");
    expect(optimized(body, {})).toContain(`L3 = get L1 "roles"`);
  });
});
