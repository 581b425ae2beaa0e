/** Part of the benchmark: what asking the same again costs, by how many different requests there are. */

import type { Bundle } from "../bundles.ts";
import { interleave, type Sampling } from "../interleave.ts";
import { handWritten } from "../peers/hand-written/index.ts";
import { typed } from "../peers/portcullis.ts";
import type { WorkingSetRow } from "../results.ts";
import { type Workload, workloadsOf } from "../workloads/index.ts";
import { assertRight, contendersOf, LIMIT, peersOf } from "./contenders.ts";
import { workingSet } from "./supply.ts";

const SETS = [1, 1_000, 10_000, 100_000];

export async function measureWorkingSets(
  bundle: Bundle,
  quick: boolean,
  progress: (text: string) => void,
): Promise<WorkingSetRow[]> {
  const sampling: Sampling = quick ? { rounds: 11, batch: 128, warmMs: 2 } : { rounds: 31, batch: 256, warmMs: 5 };
  const { peers } = await peersOf(bundle, [handWritten, typed]);
  const workloads = workloadsOf(bundle.data.portcullis.policy).filter(isAsked);
  for (const workload of workloads) assertRight(peers, workload);
  return workloads.flatMap((workload) => {
    const contenders = contendersOf(peers, workload);
    return (quick ? SETS.slice(0, 3) : SETS)
      .filter((set) => set <= workload.different)
      .map((set): WorkingSetRow => {
        const { kind, outcome } = workload;
        progress(`policies ${bundle.name}: ${kind}, ${set} different requests`);
        const measured = interleave(contenders, LIMIT, workingSet(workload, set), sampling);
        return { policy: bundle.name, kind, outcome, set, measured };
      });
  });
}

/** Requests of typical size: where the tables bound how many there are, of any outcome, and else allowed ones. */
function isAsked({ kind, size, outcome }: Workload): boolean {
  return size === "typical" && outcome === (kind === "lane" || kind === "tool" ? "mixed" : "allow");
}
