/** Which answers differ between two policies, question by question. */

import type { Policy } from "@portcullis/runtime";
import { type Answer, Asker, questions, type Space, type SpaceName } from "../decision-space.ts";
import type { PolicyIds } from "../policy-ids.ts";

/** What became of an answer. */
export type ChangeKind = "newly-allowed" | "newly-denied" | "changed-reason";
export const CHANGE_KINDS: readonly ChangeKind[] = ["newly-allowed", "newly-denied", "changed-reason"];

/** One question that two policies answer differently. */
export interface Change {
  readonly kind: ChangeKind;
  readonly space: SpaceName;
  /** By axis: `{role, lane, tool}`. */
  readonly request: { readonly [axis: string]: string };
  readonly before: Answer;
  readonly after: Answer;
}

export function compareDecisions(space: Space, before: Policy, after: Policy, step: () => void): Change[] {
  const [old, fresh] = [new Asker(before), new Asker(after)];
  const changes: Change[] = [];
  for (const ids of questions(space)) {
    step();
    const [a, b] = [old.ask(space, ids), fresh.ask(space, ids)];
    const kind = changeOf(a, b);
    if (kind === undefined) continue;
    const request = Object.fromEntries(space.axes.map((axis, i) => [axis, ids[i] as string]));
    changes.push({ kind, space: space.name, request, before: a, after: b });
  }
  return changes;
}

export function changeOf(a: Answer, b: Answer): ChangeKind | undefined {
  if (a.allowed !== b.allowed) return b.allowed ? "newly-allowed" : "newly-denied";
  return a.gate === b.gate && a.reason === b.reason ? undefined : "changed-reason";
}

/** Every id that either policy knows: one that is new or gone is a question, too. */
export function unionOf(a: PolicyIds, b: PolicyIds): PolicyIds {
  const both = (x: readonly string[], y: readonly string[]): string[] => [...new Set([...x, ...y])].sort();
  return {
    roles: both(a.roles, b.roles),
    lanes: both(a.lanes, b.lanes),
    tools: both(a.tools, b.tools),
    agents: both(a.agents, b.agents),
    subagents: both(a.subagents, b.subagents),
    types: both(a.types, b.types),
  };
}
