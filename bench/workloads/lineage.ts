/** Chains that the manifests permit, of 1, 3 and 10 agents, whose run ids never repeat. */

import type { PolicyTables } from "../bundles.ts";
import { type Random, randomOf } from "../random.ts";
import { type Outcome, type RequestSize, uniqueText, type Workload } from "./workload.ts";

const LENGTHS: Readonly<Record<RequestSize, number>> = { small: 1, typical: 3, large: 10 };
const CHAINS = 4096;
const SEED = 41;

export function lineageWorkloads(policy: PolicyTables): Workload[] {
  return Object.entries(LENGTHS).flatMap(([size, length]) => {
    const chains = chainsOf(policy, length);
    const workload = (outcome: Outcome, gate: string, lastDepth: number): Workload => ({
      kind: "lineage",
      size: size as RequestSize,
      what: length === 1 ? "1 agent" : `${length} agents`,
      outcome,
      gate,
      different: Number.POSITIVE_INFINITY,
      make: (index) => ({
        lineage: (chains[index % chains.length] as readonly string[]).map((agent_type, i) => ({
          agent_type,
          spawn_depth: i === length - 1 ? lastDepth : i,
          agent_id: `run-${uniqueText(index, i, 16)}`,
        })),
      }),
    });
    // A depth other than the place in the chain, which no manifest forbids.
    return [
      workload("allow", "ALLOW", length - 1),
      workload("late denial", "DEPTH_POSITION", length === 1 ? 1 : length - 2),
    ];
  });
}

/** Chains of `length` agents, drawn with a seed. */
export function chainsOf({ manifests }: PolicyTables, length: number): readonly (readonly string[])[] {
  const spawned = (type: string): readonly string[] =>
    Object.keys(manifests[type]?.can_spawn ?? {}).filter((child) => child in manifests);
  const known = new Map<string, number>();
  /** How many agents the longest chain from a type has. Manifests of the benchmark have no cycles. */
  const longest = (type: string): number => {
    const before = known.get(type);
    if (before !== undefined) return before;
    const found = 1 + Math.max(0, ...spawned(type).map(longest));
    known.set(type, found);
    return found;
  };
  const walk = (random: Random): readonly string[] => {
    const chain: string[] = [];
    for (let from = Object.keys(manifests); chain.length < length; from = [...spawned(chain.at(-1) as string)])
      chain.push(random.pick(from.filter((type) => longest(type) >= length - chain.length)));
    return chain;
  };
  const random = randomOf(SEED);
  return Array.from({ length: CHAINS }, () => walk(random));
}
