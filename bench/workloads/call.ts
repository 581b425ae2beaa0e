/**
 * Calls as a gateway sees them: by chains of 1, 3 and 10 agents, with 0, 1 and 5 writes, approved where the tool needs it; and of tools
 * that say what their arguments may be.
 */

import type { PolicyTables } from "../bundles.ts";
import { grantsOf } from "./grants.ts";
import { chainsOf } from "./lineage.ts";
import { type Outcome, type RequestSize, scattered, uniqueText, type Workload } from "./workload.ts";

const SIZES: Readonly<Record<RequestSize, { readonly agents: number; readonly writes: number }>> = {
  small: { agents: 1, writes: 0 },
  typical: { agents: 3, writes: 1 },
  large: { agents: 10, writes: 5 },
};
const WRITES = ["drafts", "audit_ledger"].map((table) => ({ table, mode: "append" }));

export function callWorkloads(policy: PolicyTables): Workload[] {
  const usable = (tool: PolicyTables["tools"][string]): boolean =>
    tool.enabled === true && tool.implementation_status === "implemented" && tool.approval !== "bound";
  const ready = grantsOf(policy, (tool) => usable(tool) && tool.arguments === undefined);
  const argued = grantsOf(policy, (tool) => usable(tool) && tool.arguments?.["amount_cents"] !== undefined);
  const approved = ready.filter(({ tool }) => policy.tools[tool]?.approval === "required");
  const aRole = Object.keys(policy.roles)[0] as string;
  return Object.entries(SIZES).flatMap(([size, { agents, writes }]) => {
    const chains = chainsOf(policy, agents);
    const make = (index: number, grants: typeof ready, by: string): object => {
      const { lane, tool, roles } = scattered(grants, index);
      return {
        role: roles[index % roles.length],
        lane,
        tool,
        scope: { story_id: `story-${uniqueText(index, 40, 12)}`, run_id: `run-${uniqueText(index, 41, 16)}` },
        flags: ["dry_run"],
        writes: Array.from({ length: writes }, (_, i) => WRITES[i % WRITES.length]),
        lineage: scattered(chains, index).map((agent_type, i) => ({
          agent_type,
          spawn_depth: i,
          agent_id: `run-${uniqueText(index, i, 16)}`,
        })),
        approval: { ref: `AP-${uniqueText(index, 42, 10)}`, by },
      };
    };
    const workload = (outcome: Outcome, gate: string, grants: typeof ready, by: string): Workload => ({
      kind: "call",
      size: size as RequestSize,
      what: agents === 1 ? "1 agent" : `${agents} agents`,
      outcome,
      gate,
      different: Number.POSITIVE_INFINITY,
      make: (index) => make(index, grants, by),
    });
    const withArguments = (outcome: Outcome, gate: string, most: number): Workload => ({
      ...workload(outcome, gate, argued, "m.ortiz"),
      ...{ size: "large", what: `${ARGUMENTS} arguments` },
      make: (index) => ({ ...make(index, argued, "m.ortiz"), ...argumentsOf(index, most) }),
    });
    return [
      workload("allow", "ALLOW", ready, "m.ortiz"),
      workload("late denial", "APPROVAL", approved, aRole),
      // The example organisation has no such tools.
      ...(size === "typical" && argued.length > 0
        ? [withArguments("allow", "ALLOW", 50_000), withArguments("late denial", "ARGUMENTS", 0)]
        : []),
    ];
  });
}

const ARGUMENTS = 4;

/** `most`: of the amount; 0 for one that no role may have. */
function argumentsOf(index: number, most: number): { readonly args: object; readonly facts: object } {
  const file_path = `drafts/${uniqueText(index, 43, 8)}/page.md`;
  const amount_cents = most === 0 ? 100_001 + index : 1 + (index % most);
  return {
    args: { file_path, amount_cents, mode: index % 2 === 0 ? "draft" : "final", note: uniqueText(index, 44, 24) },
    facts: { paths: { file_path } },
  };
}
