/** A sample of what `make fuzz` does at length. */

import { describe, expect, it } from "vitest";
import { runs, SEED } from "../campaign.ts";
import { compareSeeds } from "./compare.ts";

const PROGRAMS = runs(500);

describe("generated programs", () => {
  it(`are decided by our module as by the reference interpreter (seeds ${SEED} to ${SEED + PROGRAMS - 1})`, async () => {
    const { compared, differences } = await compareSeeds(SEED, PROGRAMS);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(PROGRAMS * 0.3);
  });
});
