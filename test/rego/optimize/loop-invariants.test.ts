import { describe, expect, it } from "vitest";
import { hoistInvariants } from "../../../compiler/rego/optimize/loop-invariants.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { parsePolicyText } from "../plan/parse-text.ts";
import { verifyPolicy } from "../plan/verify.ts";

describe("loop-invariants", () => {
  const hoisted = (body: string): string => {
    const policy = parsePolicyText(
      `plan p\n  block\n    L2 = call p(L0, L1)\n    result L2\nfunc p(L0, L1) -> L2\n${body.replace(/^/gm, "  ")}\n`,
      [{ kind: "object", entries: [] }],
    );
    const result = hoistInvariants(policy);
    expect(verifyPolicy(result)).toEqual([]);
    const text = policyToText(result);
    return text.slice(text.indexOf("func p")).split("\n").slice(1, -1).join("\n");
  };

  it("makes a repeated look-up once, and those in its result", () => {
    expect(
      hoisted(`block
  not
    L3 = get L0 "x"
    L4 = get #0 L3
    not-equal L4 false
  L5 = get L0 "x"
  L6 = get #0 L5
  L2 = L6
block
  return L2`),
    ).toBe(`  block
    blocks
      block
        L7 = get L0 "x"
      block
        is-defined L7
        L8 = get #0 L7
  block
    not
      is-defined L7
      is-defined L8
      not-equal L8 false
    is-defined L7
    is-defined L8
    L2 = L8
  block
    return L2`);
  });

  it("takes look-ups out of loops, and leaves single ones and those under a with alone", () => {
    expect(
      hoisted(`block\n  scan L1 as L3, L4\n    L5 = get L0 "x"\n    equal L5 L4\n    L2 = L5\nblock\n  return L2`),
    ).toContain('    blocks\n      block\n        L6 = get L0 "x"');
    const single = `block\n  L3 = get L0 "x"\n  L2 = L3\nblock\n  return L2`;
    expect(hoisted(single)).toBe(single.replace(/^/gm, "  "));
    const override = `block
  L3 = get L0 "x"
  with L0 ["x"] = L1
    L4 = get L0 "x"
    L2 = L4
block
  return L2`;
    expect(hoisted(override)).toBe(override.replace(/^/gm, "  "));
  });

  it("keeps a local that is tested or assigned elsewhere", () => {
    const text = hoisted(`block
  L3 = get L0 "x"
block
  is-undefined L3
  L4 = get L0 "x"
  L2 = L4
block
  return L2`);
    expect(text).toContain("is-defined L5\n    L3 = L5");
    expect(text).toContain("is-undefined L3");
  });
});
