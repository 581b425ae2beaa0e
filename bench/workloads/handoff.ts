/** Deliveries of 1, 3 and 20 artifacts: records as agents write them, each with ids, texts and paths of its own. */

import type { PolicyTables } from "../bundles.ts";
import { type Outcome, type RequestSize, scattered, uniqueText, type Workload } from "./workload.ts";

const ARTIFACTS: Readonly<Record<RequestSize, number>> = { small: 1, typical: 3, large: 20 };

export function handoffWorkloads({ agents, handoff }: PolicyTables): Workload[] {
  const names = Object.keys(agents);
  const added = handoff?.required_fields ?? [];
  return Object.entries(ARTIFACTS).flatMap(([size, count]) => {
    const make = (index: number, lastStatus: string): unknown => {
      const task = `task-${uniqueText(index, 0, 12)}`;
      const paths = Array.from(
        { length: count },
        (_, i) => `work/${task}/part-${i}-${uniqueText(index, i + 1, 10)}.md`,
      );
      return {
        record: {
          handoff_id: `HO-${uniqueText(index, 40, 12)}`,
          task_id: task,
          from_agent: scattered(names, index),
          to_agent: scattered(names, index + 1),
          ...Object.fromEntries(added.map((field) => [field, `${field} of ${task}`])),
          input_scope: `the draft of ${task} and its sources`,
          actions_taken: paths.map((path, i) => `compared claim ${i} with its source and noted it in ${path}`),
          artifacts: paths.map((path, i) => ({ path, kind: "draft", status: i === count - 1 ? lastStatus : "PASS" })),
          result: "PASS",
          next_action: {
            owner: scattered(names, index + 2),
            action: `bring ${task} into house style`,
            input: paths[0],
          },
          attempted_mutations: [`drafts.${task}`],
          rulebook_update: { applied: false },
        },
        artifacts: Object.fromEntries(paths.map((path) => [path, { exists: true, file: true, contained: true }])),
      };
    };
    const workload = (outcome: Outcome, gate: string, lastStatus: string): Workload => ({
      kind: "handoff",
      size: size as RequestSize,
      what: count === 1 ? "1 artifact" : `${count} artifacts`,
      outcome,
      gate,
      different: Number.POSITIVE_INFINITY,
      make: (index) => make(index, lastStatus),
    });
    return [workload("allow", "ALLOW", "PASS"), workload("late denial", "EVIDENCE", "FAIL")];
  });
}
