/** Lanes and tools: there are as many different requests as the tables have pairs and triples. */

import type { PolicyTables } from "../bundles.ts";
import { grantsOf } from "./grants.ts";
import { type Outcome, scatter, scattered, type Workload } from "./workload.ts";

const ONE_SIZE = { size: "typical", what: "" } as const;

export function laneWorkloads({ roles, lanes }: PolicyTables): Workload[] {
  const [roleIds, laneIds] = [Object.keys(roles), Object.keys(lanes)];
  const all = Array.from({ length: roleIds.length * laneIds.length }, (_, pair) => pair);
  const roleOf = (pair: number): string => roleIds[pair % roleIds.length] as string;
  const laneOf = (pair: number): string => laneIds[Math.floor(pair / roleIds.length)] as string;
  const admitted = (pair: number): boolean => lanes[laneOf(pair)]?.roles[roleOf(pair)] === true;
  const workload = (outcome: Outcome, gate: string | undefined, pairs: readonly number[]): Workload => ({
    kind: "lane",
    ...ONE_SIZE,
    outcome,
    gate,
    different: pairs.length,
    make: (index) => {
      const pair = scattered(pairs, index);
      return { role: roleOf(pair), lane: laneOf(pair) };
    },
  });
  return [
    workload("allow", "ALLOW", all.filter(admitted)),
    workload(
      "late denial",
      "LANE_ROLE",
      all.filter((pair) => !admitted(pair)),
    ),
    workload("mixed", undefined, all),
  ];
}

export function toolWorkloads(policy: PolicyTables): Workload[] {
  const granted = (outcome: Outcome, gate: string, status: (status: string | undefined) => boolean): Workload => {
    const grants = grantsOf(policy, (tool) => tool.enabled === true && status(tool.implementation_status));
    const rolesEach = grants.reduce((least, { roles }) => Math.min(least, roles.length), Number.POSITIVE_INFINITY);
    return {
      kind: "tool",
      ...ONE_SIZE,
      outcome,
      gate,
      different: grants.length * rolesEach,
      make: (index) => {
        const { lane, tool, roles } = scattered(grants, index);
        return { role: roles[Math.floor(index / grants.length) % rolesEach], lane, tool };
      },
    };
  };
  const { roles, lanes, tools } = policy;
  const [roleIds, laneIds, toolIds] = [Object.keys(roles), Object.keys(lanes), Object.keys(tools)];
  const triples = roleIds.length * laneIds.length * toolIds.length;
  return [
    granted("allow", "ALLOW", (status) => status === "implemented"),
    granted("late denial", "TOOL_IMPLEMENTED", (status) => status !== "implemented"),
    {
      kind: "tool",
      ...ONE_SIZE,
      outcome: "mixed",
      gate: undefined,
      different: triples,
      make: (index) => {
        const at = scatter(index, triples);
        const rest = Math.floor(at / roleIds.length);
        return {
          role: roleIds[at % roleIds.length],
          lane: laneIds[rest % laneIds.length],
          tool: toolIds[Math.floor(rest / laneIds.length)],
        };
      },
    },
  ];
}
