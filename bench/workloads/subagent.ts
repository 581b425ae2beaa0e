/** Delegations: each with an approval of its own. */

import type { PolicyTables } from "../bundles.ts";
import { type Outcome, scattered, uniqueText, type Workload } from "./workload.ts";

export function subagentWorkloads({ agents }: PolicyTables): Workload[] {
  const personas = Object.entries(agents)
    .filter(([, agent]) => agent.type === 1 && agent.allowlist.length > 0)
    .map(([name]) => name);
  const workload = (outcome: Outcome, gate: string, approvalRef: (index: number) => string): Workload => ({
    kind: "subagent",
    size: "typical",
    what: "",
    outcome,
    gate,
    different: Number.POSITIVE_INFINITY,
    make: (index) => ({
      persona: scattered(personas, index),
      governance: {
        contextSealed: true,
        pipelineRunApproved: true,
        approvalRef: approvalRef(index),
        approvedBy: `editor-${uniqueText(index, 1, 10)}`,
      },
      env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
    }),
  });
  return [
    workload("allow", "ALLOW", (index) => `APPROVAL-${uniqueText(index, 0, 12)}`),
    workload("late denial", "APPROVAL_REF", () => "   "),
  ];
}
