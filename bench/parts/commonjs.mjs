/**
 * One package, both ways in: `node commonjs.mjs BUNDLE`, `{ kind: [request, …] }` as JSON on standard input. Plain JavaScript
 * on the built runtime, so that any Node runs it. Both are loaded into one process and decide the same requests in turns: a
 * machine that is busy slows both. Prints, for each kind, nanoseconds by `import` and the median of the ratios.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const WARM = 40;
const ROUNDS = 200;

const [bundle] = process.argv.slice(2);
const requests = JSON.parse(readFileSync(0, "utf8"));
const bytes = readFileSync(bundle);
const imported = await import("@portcullis/runtime");
const required = createRequire(import.meta.url)("@portcullis/runtime");
if (imported.load === required.load) throw new Error("`require` gives the modules of `import`: nothing to compare");
const [byImport, byRequire] = [await imported.load(bytes), await required.load(bytes)];

/** Nanoseconds a decision. */
function timed(policy, kind, list) {
  const from = process.hrtime.bigint();
  for (const request of list) policy[kind](request);
  return Number(process.hrtime.bigint() - from) / list.length;
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

const found = {};
for (const [kind, list] of Object.entries(requests)) {
  const times = [];
  const ratios = [];
  for (let round = 0; round < WARM + ROUNDS; round++) {
    // Who comes second finds the requests in the processor's caches: they take turns at that, too.
    const isFirst = round % 2 === 0;
    const first = timed(isFirst ? byImport : byRequire, kind, list);
    const second = timed(isFirst ? byRequire : byImport, kind, list);
    const [one, other] = isFirst ? [first, second] : [second, first];
    if (round < WARM) continue;
    times.push(one);
    ratios.push(other / one);
  }
  found[kind] = { import: median(times), ratio: median(ratios) };
}
if (byImport.faults + byRequire.faults > 0)
  throw new Error(byRequire.lastFault?.message ?? byImport.lastFault?.message);
process.stdout.write(JSON.stringify({ node: process.version, found }));
