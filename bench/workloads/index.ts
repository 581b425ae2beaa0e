/** Every workload of a policy, in the order of the decision kinds: sizes, and for each an allow and a late denial. */

import type { PolicyTables } from "../bundles.ts";
import { callWorkloads } from "./call.ts";
import { closeWorkloads } from "./close.ts";
import { execWorkloads } from "./exec.ts";
import { handoffWorkloads } from "./handoff.ts";
import { laneWorkloads, toolWorkloads } from "./lane-and-tool.ts";
import { lineageWorkloads } from "./lineage.ts";
import { subagentWorkloads } from "./subagent.ts";
import type { Workload } from "./workload.ts";

export { ASKED, type Outcome, type RequestSize, type Workload } from "./workload.ts";

export function workloadsOf(policy: PolicyTables): Workload[] {
  return [
    ...laneWorkloads(policy),
    ...toolWorkloads(policy),
    ...subagentWorkloads(policy),
    ...lineageWorkloads(policy),
    ...handoffWorkloads(policy),
    ...execWorkloads(policy),
    ...closeWorkloads(),
    ...callWorkloads(policy),
  ];
}

/** The texts of requests `from` and after, as a service receives them. */
export function textsOf({ make }: Workload, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => JSON.stringify(make(from + i)));
}
