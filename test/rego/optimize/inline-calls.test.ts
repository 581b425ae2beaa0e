import { describe, expect, it } from "vitest";
import { inlineCalls } from "../../../compiler/rego/optimize/inline-calls.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { parsePolicyText } from "../plan/parse-text.ts";
import { verifyPolicy } from "../plan/verify.ts";

describe("inline-calls", () => {
  /** The body of `p`, which calls `q`, after inlining alone. */
  const inlined = (caller: string, callee: string, params = "L0, L1"): string => {
    const indent = (body: string): string => body.replace(/^/gm, "  ");
    const policy = parsePolicyText(
      `plan p\n  block\n    L2 = call p(L0, L1)\n    result L2\nfunc p(L0, L1) -> L2\n${indent(caller)}\nfunc q(${params}) -> L3\n${indent(callee)}\n`,
    );
    const result = inlineCalls(policy);
    expect(verifyPolicy(result)).toEqual([]);
    const text = policyToText(result);
    return text.slice(text.indexOf("func p"), text.indexOf("func q")).split("\n").slice(1, -1).join("\n");
  };
  const CALLER = `block\n  L3 = call q(L0, L1)\n  not-equal L3 false\n  L2 = "yes"\nblock\n  return L2`;

  it("puts a short rule of one body in the place of its call, with locals of its own", () => {
    expect(inlined(CALLER, `block\n  L4 = get L0 "x"\n  equal L4 "y"\n  L3 = true\nblock\n  return L3`)).toBe(`  block
    L4 = get L0 "x"
    equal L4 "y"
    L3 = true
    not-equal L3 false
    L2 = "yes"
  block
    return L2`);
  });

  it("keeps calls of rules with several bodies, of dear rules called twice, and of functions that return from inside", () => {
    const several = `block\n  L3 = once true\nblock\n  L4 = get L0 "x"\n  L3 = once L4\nblock\n  return L3`;
    const dear = `block\n  L3 = array 0\n  scan L0 as L4, L5\n    append L3 L5\nblock\n  return L3`;
    const inside = `block\n  L4 = true\n  return L4\n  L3 = true\nblock\n  return L3`;
    for (const callee of [several, inside, dear]) expect(inlined(CALLER, callee)).toContain("call q(L0, L1)");
  });

  it("does not make a rule that scans run once a turn", () => {
    const caller = `block\n  L2 = array 0\n  scan L0 as L4, L5\n    L3 = call q(L0, L1)\n    append L2 L3\nblock\n  return L2`;
    const callee = `block\n  L4 = L0\n  blocks\n    block\n      scan L4 as L5, L6\n        equal L6 "x"\n  L3 = L4\nblock\n  return L3`;
    expect(inlined(caller, callee)).toContain("call q(L0, L1)");
  });

  it("binds arguments, tests those that may be undefined, and resets what an earlier turn may have left", () => {
    const caller = `block\n  scan L0 as L4, L5\n    L3 = call q(L0, L1, L0, L5)\n    L2 = once L3\nblock\n  return L2`;
    const callee = `block\n  blocks\n    block\n      L6 = get L4 "x"\n      L7 = once L6\n  is-undefined L7\n  L3 = L5\nblock\n  return L3`;
    expect(inlined(caller, callee, "L0, L1, L4, L5")).toBe(`  block
    scan L0 as L4, L5
      is-defined L0
      L6 = L0
      L7 = L5
      L8 = reset
      blocks
        block
          L9 = get L6 "x"
          L8 = once L9
      is-undefined L8
      L3 = L7
      L2 = once L3
  block
    return L2`);
  });
});
