/**
 * The first decision of a process: `node first.mjs BUNDLE KIND`, the request as JSON on standard input. Plain JavaScript on the
 * built runtime, so that nothing else warms the process up. Prints milliseconds.
 */

import { readFileSync } from "node:fs";
import { load } from "@portcullis/runtime";

const [bundle, kind] = process.argv.slice(2);
const text = readFileSync(0, "utf8");
const policy = await load(readFileSync(bundle));
const request = JSON.parse(text);
const from = performance.now();
const decision = policy[kind](request);
const took = performance.now() - from;
if (policy.lastFault !== undefined) throw new Error(policy.lastFault.message);
process.stdout.write(JSON.stringify({ ms: took, gate: decision.gate }));
