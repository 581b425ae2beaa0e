/** "Did you mean". */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { didYouMean, editDistance, nearest } from "../../../compiler/rego/diagnostics/suggest.ts";
import { campaign } from "../../campaign.ts";

describe("suggest", () => {
  it("finds the nearest name within a third of the length", () => {
    expect(nearest("can_spwan", ["can_spawn", "agent_type"])).toBe("can_spawn");
    expect(nearest("ROLES", ["roles"])).toBe("roles");
    expect(nearest("x", ["abc"])).toBeUndefined();
    expect(nearest("drp", ["error", "drop"])).toBe("drop");
    expect(nearest("same", ["same"])).toBeUndefined();
    expect(didYouMean("lane", ["line", "lane_id"])).toEqual({ help: "did you mean `line`?", meant: ["line"] });
    expect(didYouMean("zzz", ["abc"])).toEqual({});
  });

  it("copes with many names and long ones", () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `tool.n${i}`);
    expect(nearest("tool.n99999x", many)).toBe("tool.n99999");
    expect(nearest("x".repeat(1_000), many)).toBeUndefined();
  });

  it("measures edits: a metric but for the bound", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const d = editDistance(a, b, 100);
        expect(d).toBe(editDistance(b, a, 100));
        expect(d === 0).toBe(a === b);
        expect(d).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(d).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
        expect(editDistance(a, b, 2)).toBe(Math.min(d, 2));
      }),
      campaign(1_000),
    );
    expect(editDistance("ab", "ba", 10)).toBe(1);
  });
});
