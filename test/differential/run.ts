/**
 * `make fuzz RUNS=n SEED=s`: generated programs from seed s on, until n of them have been compared with the reference
 * interpreter, and with `WITH=opa` with an installed OPA, too. Prints the seed of every difference as it is met, and the counts; fails when there is any.
 */

import { hasOpa } from "../plan/opa.ts";
import { compareSeeds } from "./compare.ts";

const runs = Number(process.argv[2] ?? 2000);
const first = Number(process.argv[3] ?? 1_000_000);
const opa = process.argv[4] === "opa";
if (opa && !hasOpa) {
  console.error("there is no opa: go install github.com/open-policy-agent/opa@v1.10.1");
  process.exit(2);
}
if (!Number.isSafeInteger(runs) || !Number.isSafeInteger(first) || runs < 1) {
  console.error("usage: run.ts [programs to compare] [first seed] [opa]");
  process.exit(2);
}

/** Programs between two lines of progress. */
const STEP = 400;
const started = performance.now();
let compared = 0;
let refused = 0;
let next = first;
const differences: string[] = [];
while (compared < runs) {
  const seeds = Math.min(STEP, runs - compared);
  const result = await compareSeeds(next, seeds, { opa });
  next += seeds;
  compared += result.compared;
  refused += result.refused;
  differences.push(...result.differences);
  for (const difference of result.differences) console.log(`DIFFERS ${difference}`);
  const seconds = (performance.now() - started) / 1000;
  console.error(
    `${compared} of ${runs} compared, ${differences.length} differ, next seed ${next}, ${seconds.toFixed(0)} s`,
  );
}
console.log(`seeds ${first} to ${next - 1}: ${compared} programs compared, ${refused} are no valid Rego`);
const failed = new Set(differences.map((d) => /^seed (\d+)/.exec(d)?.[1] ?? d)).size;
console.log(`${compared - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
