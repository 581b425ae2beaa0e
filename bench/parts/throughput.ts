/**
 * Part of the benchmark: decisions a second, by benny, over a thousand parsed requests again and again. benny runs one contender
 * after the other and counts everything, garbage collection too; so these are rates of a busy service, and the ratios are those
 * of the interleaved rounds.
 */

import benny from "benny";
import type { Bundle } from "../bundles.ts";
import { handWritten } from "../peers/hand-written/index.ts";
import { typed } from "../peers/portcullis.ts";
import type { ThroughputRow } from "../results.ts";
import { textsOf, workloadsOf } from "../workloads/index.ts";
import { assertRight, contendersOf, peersOf } from "./contenders.ts";

const REQUESTS = 1024;

export async function measureThroughput(
  bundle: Bundle,
  quick: boolean,
  progress: (text: string) => void,
): Promise<ThroughputRow[]> {
  const options = quick ? { minSamples: 3, maxTime: 0.1 } : { minSamples: 10, maxTime: 1 };
  const { peers } = await peersOf(bundle, [handWritten, typed]);
  const workloads = workloadsOf(bundle.data.portcullis.policy).filter(
    ({ size, outcome }) => size === "typical" && outcome === "allow",
  );
  for (const workload of workloads) assertRight(peers, workload);
  const rows: ThroughputRow[] = [];
  for (const workload of workloads) {
    const { kind } = workload;
    progress(`policies ${bundle.name}: decisions a second, ${kind}`);
    const texts = textsOf(workload, 0, REQUESTS);
    const cases = contendersOf(peers, workload).map(({ name, decide }) =>
      benny.add(
        name,
        () => {
          const requests = texts.map((text) => JSON.parse(text) as never);
          let next = 0;
          return () => decide(requests[next++ % REQUESTS] as never);
        },
        options,
      ),
    );
    const summary = await benny.suite(kind, ...cases);
    for (const { name, ops, margin } of summary.results)
      rows.push({ policy: bundle.name, kind, name, perSecond: ops, marginPercent: margin });
  }
  return rows;
}
