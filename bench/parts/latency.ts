/**
 * Part of the benchmark: REQ-14, single decisions of every workload of one policy beside code written by hand, and first
 * decisions in processes of their own.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { clockCost, newPasses, PASSES, type Percentiles, percentilesOf } from "../../compiler/cli/bench/percentiles.ts";
import type { Bundle } from "../bundles.ts";
import { type Contender, spreadOf } from "../interleave.ts";
import { handWritten } from "../peers/hand-written/index.ts";
import { typed } from "../peers/portcullis.ts";
import type { First } from "../requirement.ts";
import type { LatencyRow } from "../results.ts";
import { textsOf, type Workload, workloadsOf } from "../workloads/index.ts";
import { assertRight, contendersOf, peersOf } from "./contenders.ts";
import { newRequests } from "./supply.ts";

const FIRST = fileURLToPath(new URL("first.mjs", import.meta.url));

export async function measureLatency(
  bundle: Bundle,
  quick: boolean,
  progress: (text: string) => void,
): Promise<{ readonly rows: readonly LatencyRow[]; readonly clockNs: number }> {
  const { peers } = await peersOf(bundle, [handWritten, typed]);
  const workloads = workloadsOf(bundle.data.portcullis.policy).filter(({ outcome }) => outcome !== "mixed");
  for (const workload of workloads) assertRight(peers, workload);
  const decisions = quick ? 3_000 : 20_000;
  const timed = workloads.map((workload) => {
    progress(`policies ${bundle.name}: warming up, ${workload.kind}, ${workload.size}, ${workload.outcome}`);
    const contenders = contendersOf(peers, workload);
    if (contenders.length < 2) throw new Error(`somebody has no ${workload.kind}`);
    const supply = newRequests(workload);
    const requests = (count: number): readonly unknown[] => supply(count).map((text) => JSON.parse(text) as unknown);
    const passes = contenders.map(({ decide }) => newPasses(decide, requests, decisions));
    return { contenders, requests, passes, times: contenders.map((): Float64Array[] => []) };
  });
  // All workloads in each pass: a machine that is slow for a while is slow for a pass of each, and not for all of one.
  for (let pass = 1; pass <= PASSES; pass++) {
    progress(`policies ${bundle.name}: single decisions, pass ${pass} of ${PASSES}`);
    for (const { passes, times } of timed) for (const [i, next] of passes.entries()) times[i]?.push(next());
  }
  const measured = timed.map(({ contenders, requests, times }) => {
    const [byHand, ours] = times.map(percentilesOf) as [Percentiles, Percentiles];
    const [hand, mine] = contenders as [Contender, Contender];
    const other = { ns: afterOtherWork(mine, requests), byHandNs: afterOtherWork(hand, requests) };
    return { ...ours, byHand, afterOtherWork: other };
  });
  const rows = workloads.map((workload, i): LatencyRow => {
    const { kind, size, what, outcome } = workload;
    const percentiles = measured[i] as (typeof measured)[number];
    progress(`policies ${bundle.name}: first decision, ${kind}, ${size}, ${outcome}`);
    const asked = outcome === "allow" && (size === "typical" || !quick);
    const first = asked ? firstOf(bundle, workload, quick ? 3 : 7) : undefined;
    return { policy: bundle.name, kind, size, what, outcome, ...percentiles, ...(first && { first }) };
  });
  return { rows, clockNs: clockCost() };
}

/** More than the caches of most processors hold. */
const OTHER_WORK = new Uint8Array(64 << 20);
const LINE = 64;
const PAUSES = 21;

/** Nanoseconds of one decision when the memory of others was gone through since the last one: the median. */
function afterOtherWork({ decide }: Contender, requests: (count: number) => readonly unknown[]): number {
  const times = Array.from({ length: PAUSES }, (_, round) => {
    const [asked, ...before] = requests(1 + PAUSES) as never[];
    for (const request of before) decide(request);
    for (let at = 0; at < OTHER_WORK.length; at += LINE) OTHER_WORK[at] = round;
    const from = performance.now();
    decide(asked as never);
    return (performance.now() - from) * 1e6;
  });
  return spreadOf(times).median;
}

/** Starts this many processes, each of which loads the policy and decides once. */
function firstOf(bundle: Bundle, workload: Workload, processes: number): First {
  const times = textsOf(workload, 0, processes).map((input) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [FIRST, bundle.path, workload.kind], {
      input,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`the first decision of ${workload.kind} failed: ${stderr}`);
    const { ms, gate } = JSON.parse(stdout) as { readonly ms: number; readonly gate: string };
    if (gate !== workload.gate) throw new Error(`the first decision of ${workload.kind} is ${gate}`);
    return ms;
  });
  times.sort((a, b) => a - b);
  return { processes, medianMs: times[processes >> 1] as number, maxMs: times[processes - 1] as number };
}
