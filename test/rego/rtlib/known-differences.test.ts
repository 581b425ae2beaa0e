import { describe, expect, it } from "vitest";
import { differences } from "./differential.ts";
import { knownDifferences } from "./known-differences.ts";
import { opaInstalled } from "./opa.ts";

describe.skipIf(!opaInstalled)("every known difference from OPA", () => {
  it("is still one, for the reason that is listed", () => {
    const stale = knownDifferences.filter((known) => {
      const found = differences([known.witness], () => false);
      return !found.some(known.holds);
    });
    expect(stale.map((known) => known.reason)).toEqual([]);
  });
});
