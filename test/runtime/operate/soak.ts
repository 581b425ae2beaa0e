/**
 * Decides as fast as it can while a server replaces the bundle every 100 ms: `make soak` (SECONDS=600). Prints a line every ten
 * seconds; exits 1 for a decision that is wrong, missing or of two revisions, and for memory that grows. Before it, the soak of
 * a ledger that is required, and of a shadow that is never heard: from a fresh seed, which it prints.
 */

import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";

import { httpSource, ReloadablePolicy } from "@portcullis/runtime";
import { packBundle } from "../../../compiler/rego/bundle/index.ts";
import { shadowSoak } from "../observe/shadow-soak.ts";
import { policyFiles } from "../trust/bundles.ts";
import { BundleServer } from "./bundle-server.ts";
import { recordSoak } from "./record-soak.ts";

const SECONDS = Number(process.env["SECONDS"] ?? 600);
const OWNERS = ["ann", "bob"];
const MOST_GROWTH = 8 << 20;
/** Memory is the least of this many samples: some policies that were replaced a moment ago wait for their finalizers. */
const SAMPLES = 6;

const seed = Number(process.env["PORTCULLIS_SEED"] ?? randomInt(2 ** 31));
const example = readFileSync("generated/bundle.tar.gz");
const { missing, ...recorded } = await recordSoak(example, SECONDS * 100, seed);
console.info(`seed ${seed}:`, JSON.stringify(recorded));
const { decisions: asked, records, refused, refusedSaid, allows, recordedAllows, problems } = recorded;
const { wrong: differing, ...shadowed } = await shadowSoak(example, SECONDS * 100, seed);
console.info("with a shadow:", JSON.stringify(shadowed));
const isRecorded = allows === recordedAllows && records + refused === asked && refused === refusedSaid;

const pair = await Promise.all(OWNERS.map(async (owner) => packBundle(await policyFiles({ owner, revision: owner }))));
const server = await new BundleServer(pair[0] as Uint8Array).start();
const policies = await ReloadablePolicy.follow(httpSource(server.url, { minDelay: 10, maxDelay: 20 }));
let swaps = 0;
const swapping = setInterval(() => {
  server.bundle = pair[++swaps % 2] as Uint8Array;
}, 100);

let [decisions, seen] = [0, 0];
const samples: number[] = [];
let current = policies.current;
const started = performance.now();
const wrong: string[] = [...missing.map((mark) => `an allow is not in the ledger: ${mark}`), ...problems, ...differing];
if (!isRecorded) wrong.push("the ledger's counts do not agree");
let reported = 0;
while (performance.now() - started < SECONDS * 1000 && wrong.length === 0) {
  for (let i = 0; i < 2000; i++) {
    const policy = policies.current;
    const allowed = OWNERS.filter((user) => {
      const decision = policy.evaluate("app/decision", { user }) as { readonly allowed?: unknown } | undefined;
      return decision?.allowed === true;
    });
    if (allowed.join() !== policy.revision || policy.faults > 0)
      wrong.push(`${allowed.join()} under ${policy.revision}`);
    decisions += OWNERS.length;
  }
  if (policies.current !== current) {
    current = policies.current;
    seen++;
  }
  const seconds = Math.floor((performance.now() - started) / 1000);
  if (seconds >= reported + 10) {
    reported = seconds;
    // What the server remembers of its requests is no memory of ours.
    server.requests.length = 0;
    // What the first collection finds, the second frees.
    for (let i = 0; i < 2; i++) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
    const memory = heapUsed + external + arrayBuffers;
    samples.push(memory);
    const growth = Math.min(...samples.slice(-SAMPLES)) - Math.min(...samples.slice(0, SAMPLES));
    if (growth > MOST_GROWTH) wrong.push(`memory grew by ${growth} bytes`);
    const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
    console.info(`${seconds} s: ${decisions} decisions, ${seen} swaps, heap ${mb(memory)}, process ${mb(rss)}`);
  }
  await new Promise((resolve) => setImmediate(resolve));
}
const { failures = 0, lastError } = policies.status() ?? {};
if (failures > 0) wrong.push(`the last check failed: ${lastError?.message}`);
policies.close();
clearInterval(swapping);
await server.stop();
console.info(wrong.length === 0 ? `sound: ${decisions} decisions over ${seen} swaps` : wrong.join("\n"));
process.exitCode = wrong.length === 0 ? 0 : 1;
