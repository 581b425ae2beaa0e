/** Part of the benchmark: what one policy costs beside decisions, and whether many decisions leave anything behind. */

import type { Bundle } from "../bundles.ts";
import { type Cost, costOf, growthOf } from "../footprint.ts";
import { typed } from "../peers/portcullis.ts";
import type { Results } from "../results.ts";
import { textsOf, workloadsOf } from "../workloads/index.ts";
import { contendersOf, peersOf } from "./contenders.ts";

const REQUESTS = 1000;

export async function measureCosts(
  bundle: Bundle,
  quick: boolean,
  progress: (text: string) => void,
): Promise<{ readonly cost: Cost; readonly growth: Results["growth"] }> {
  progress(`policies ${bundle.name}: cost`);
  const cost = await costOf(bundle, bundle.name === "L" || quick ? 3 : 9);
  if (bundle.name !== "M") return { cost, growth: [] };
  const { peers } = await peersOf(bundle, [typed]);
  const workloads = workloadsOf(bundle.data.portcullis.policy).filter(({ size }) => size === "typical");
  const growth = peers.map((peer) => {
    progress(`policies ${bundle.name}: memory, ${peer.name}`);
    const questions = workloads.flatMap((workload) =>
      contendersOf([peer], workload).map(({ decide }) => ({
        decide,
        requests: textsOf(workload, 0, REQUESTS).map((text) => JSON.parse(text) as unknown),
      })),
    );
    return { name: peer.name, ...growthOf(questions, quick ? 100_000 : 5_000_000) };
  });
  return { cost, growth };
}
