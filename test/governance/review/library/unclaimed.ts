/**
 * Mutants of the library that let something through, and that no claim finds: each with the reason. One that is found after all,
 * or that the library no longer has, fails.
 */

import type { Mutant } from "../../../mutation/mutants.ts";

interface Unclaimed {
  readonly module: string;
  /** The beginning of the line that is changed. All that is changed there is meant. */
  readonly on: string;
  readonly reason: string;
}

const MANIFESTS = "what a manifest lets be started has a manifest, or the set does not compile";

const UNCLAIMED: readonly Unclaimed[] = [
  { module: "lineage.rego", on: "count(input.lineage) == 1", reason: MANIFESTS },
  { module: "lineage.rego", on: '} else := {"allowed": false, "gate": "AGENT_MANIFEST"', reason: MANIFESTS },
  { module: "lineage.rego", on: "not manifested(input.lineage[last])", reason: MANIFESTS },
  { module: "lineage.rego", on: "manifested(agent) if policy.manifests[agent.agent_type]", reason: MANIFESTS },
  { module: "lineage.rego", on: "last := count(input.lineage) - 1", reason: MANIFESTS },
];

const met = new Set<Unclaimed>();

export function reasonOf({ module, on }: Mutant): string | undefined {
  const found = UNCLAIMED.find((one) => one.module === module && on.startsWith(one.on));
  if (found !== undefined) met.add(found);
  return found?.reason;
}

/** Entries of these modules that no mutant met. */
export function unmet(modules: readonly string[]): string[] {
  return UNCLAIMED.filter((one) => modules.includes(one.module) && !met.has(one)).map(
    ({ module, on }) => `${module}  ${on}`,
  );
}
