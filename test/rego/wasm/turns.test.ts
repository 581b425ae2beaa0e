/** What loops let out of their turns is whole: generated programs against an installed OPA. */

import { expect, it } from "vitest";
import { runs, SEED } from "../../campaign.ts";
import { compareTurns } from "../../differential/turns.ts";
import { hasOpa } from "../plan/opa.ts";

const PROGRAMS = runs(60);

it.skipIf(!hasOpa)("values that loops make are OPA's, however they get out of a turn", async () => {
  expect((await compareTurns(SEED, PROGRAMS)).differences).toEqual([]);
});
