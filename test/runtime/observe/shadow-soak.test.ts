/** Whatever decides beside, fails, or is slow: answers, faults and events are those without a shadow. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { runs, SEED } from "../../campaign.ts";
import { shadowSoak } from "./shadow-soak.ts";

const bundle = readFileSync("generated/bundle.tar.gz");

it("nothing of a shadow reaches an answer, however many it is asked for", async () => {
  const { decisions, allows, asked, counts, wrong } = await shadowSoak(bundle, runs(25_000), SEED);
  expect(wrong).toEqual([]);
  // It was hard enough.
  expect(allows).toBeGreaterThan(decisions / 20);
  expect(Object.keys(asked)).toHaveLength(14);
  for (const kind of ["same", "newlyAllowed", "newlyDenied", "otherwise", "failed", "unasked"])
    expect(counts[kind], kind).toBeGreaterThan(0);
});

it("is the same for the same seed", async () => {
  expect(await shadowSoak(bundle, 1000, 7)).toEqual(await shadowSoak(bundle, 1000, 7));
});
