/** Every allow is in the ledger or was denied, and counts agree to one: under hostile requests, a slow sink and a full disk. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runs, SEED } from "../../campaign.ts";
import { recordSoak } from "./record-soak.ts";

const bundle = readFileSync("generated/bundle.tar.gz");

describe("a ledger that is required", () => {
  it("holds every allow that was given, and counts the rest", async () => {
    const soak = await recordSoak(bundle, runs(200_000), SEED);
    const { decisions, allows, records, recordedAllows, refused, refusedSaid, full, missing, problems } = soak;
    expect(problems).toEqual([]);
    expect(missing).toEqual([]);
    expect(recordedAllows).toBe(allows);
    expect(records + refused).toBe(decisions);
    expect(refusedSaid).toBe(refused);
    // It was hard enough.
    expect(allows).toBeGreaterThan(decisions / 10);
    expect(refused).toBeGreaterThan(decisions / 20);
    expect(full).toBeGreaterThan(2);
  });

  it("is the same for the same seed", async () => {
    expect(await recordSoak(bundle, 1500, 7)).toEqual(await recordSoak(bundle, 1500, 7));
  });
});
