/** A process of `make fuzz`: compares the seeds it is sent, and answers with what came of it. */

import { compareSeeds } from "./compare.ts";
import type { Seeds } from "./processes.ts";

process.on("message", async ({ first, count, opa }: Seeds) => {
  const tally = await compareSeeds(first, count, { opa });
  if (process.connected) process.send?.(tally);
});

// No reader of an answer is left.
process.on("disconnect", () => process.exit());
