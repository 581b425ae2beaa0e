/** Part of the benchmark: what a decision costs the caller with a listener, beside one without. */

import { type LoadOptions, load, metrics, type Policy } from "@portcullis/runtime";
import type { Bundle } from "../bundles.ts";
import { type Contender, interleave, type Sampling } from "../interleave.ts";
import type { ListeningRow } from "../results.ts";
import { workloadsOf } from "../workloads/index.ts";
import { newRequests } from "./supply.ts";

export const NOBODY = "no listener";

export async function measureListening(
  bundle: Bundle,
  quick: boolean,
  progress: (text: string) => void,
): Promise<ListeningRow[]> {
  const sampling: Sampling = quick ? { rounds: 21, batch: 128, warmMs: 5 } : { rounds: 61, batch: 256, warmMs: 20 };
  const listening = (options: LoadOptions): Promise<Policy> => load(bundle.bytes, options);
  const onDecision = (): void => {};
  const metered = await listening({});
  metrics(metered);
  // Each face is an instance of its own. Two of them have no listener: how much these differ is noise.
  const policies: readonly (readonly [string, Policy])[] = [
    [NOBODY, await listening({})],
    ["the same again", await listening({})],
    ["every hundredth heard", await listening({ onDecision, sample: 0.01 })],
    ["every decision heard", await listening({ onDecision })],
    ["counted and timed", metered],
  ];
  const workloads = workloadsOf(bundle.data.portcullis.policy).filter(
    ({ kind, size, outcome }) => (kind === "tool" || kind === "call") && size === "typical" && outcome === "allow",
  );
  return workloads.map((workload): ListeningRow => {
    const { kind } = workload;
    progress(`policies ${bundle.name}: ${kind}, with listeners`);
    const contenders = policies.map(
      ([name, policy]): Contender => ({
        name,
        decide: kind === "tool" ? (request) => policy.tool(request) : (request) => policy.call(request),
      }),
    );
    return { policy: bundle.name, kind, measured: interleave(contenders, NOBODY, newRequests(workload), sampling) };
  });
}
