/** Part of the benchmark: what asking the same again costs, with the cache of decisions and without, by how much is asked again. */

import type { Bundle } from "../bundles.ts";
import { type Contender, interleave, type Sampling } from "../interleave.ts";
import { handWritten } from "../peers/hand-written/index.ts";
import { CACHED, cached, typed } from "../peers/portcullis.ts";
import type { WorkingSetRow } from "../results.ts";
import { textsOf, type Workload, workloadsOf } from "../workloads/index.ts";
import { assertRight, contendersOf, LIMIT, peersOf } from "./contenders.ts";
import { workingSet } from "./supply.ts";

const SETS = [1, 1_000, 10_000, 100_000];
/** How many texts are parsed at a time while a set is asked once. */
const CHUNK = 1000;

export async function measureWorkingSets(
  bundle: Bundle,
  quick: boolean,
  progress: (text: string) => void,
): Promise<WorkingSetRow[]> {
  const sampling: Sampling = quick ? { rounds: 11, batch: 128, warmMs: 2 } : { rounds: 31, batch: 256, warmMs: 5 };
  const { peers } = await peersOf(bundle, [handWritten, typed, cached]);
  const workloads = workloadsOf(bundle.data.portcullis.policy).filter(isAsked);
  for (const workload of workloads) assertRight(peers, workload);
  return workloads.flatMap((workload) => {
    const contenders = contendersOf(peers, workload);
    return (quick ? SETS.slice(0, 3) : SETS)
      .filter((set) => set <= workload.different)
      .map((set): WorkingSetRow => {
        const { kind, outcome } = workload;
        progress(`policies ${bundle.name}: ${kind}, ${set} different requests`);
        // What a cache has room for is in it, and what it has no room for has pushed out the rest.
        for (const contender of contenders) if (contender.name === CACHED) askAll(contender, workload, set);
        const measured = interleave(contenders, LIMIT, workingSet(workload, set), sampling);
        return { policy: bundle.name, kind, outcome, set, measured };
      });
  });
}

/** Requests of typical size: where the tables bound how many there are, of any outcome, and else allowed ones. */
function isAsked({ kind, size, outcome }: Workload): boolean {
  return size === "typical" && outcome === (kind === "lane" || kind === "tool" ? "mixed" : "allow");
}

function askAll({ decide }: Contender, workload: Workload, set: number): void {
  for (let from = 0; from < set; from += CHUNK)
    for (const text of textsOf(workload, from, Math.min(CHUNK, set - from))) decide(JSON.parse(text) as never);
}
