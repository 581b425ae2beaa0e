/** `make fuzz RUNS=n SEED=s`: n generated programs from seed s on; prints every difference, and the count. */

import { compareSeeds } from "./compare.ts";

const runs = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? 1_000_000);
const started = performance.now();
const STEP = 400;
let compared = 0;
let refused = 0;
const differences: string[] = [];
for (let done = 0; done < runs; done += STEP) {
  const result = await compareSeeds(seed + done, Math.min(STEP, runs - done));
  compared += result.compared;
  refused += result.refused;
  differences.push(...result.differences);
  for (const difference of result.differences) console.log(`DIFFERS ${difference}`);
  console.error(`${Math.min(done + STEP, runs)} of ${runs}, ${((performance.now() - started) / 1000).toFixed(0)} s`);
}
console.log(`seeds ${seed} to ${seed + runs - 1}: ${compared} programs compared, ${refused} are no valid Rego`);
console.log(`${compared - differences.length} passed, ${differences.length} failed`);
process.exitCode = differences.length === 0 ? 0 : 1;
