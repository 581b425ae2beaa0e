/** What differs is marked in the tables of the page, which need no browser for their cells. */

import { expect } from "vitest";
import type { exploreFacts, OpenedPolicy } from "../../../../compiler/governance/review/index.ts";

type Facts = Awaited<ReturnType<typeof exploreFacts>>;
interface Cells {
  toolInLane(tool: string, lane: string, role?: string): { readonly state: string };
  roleInLane(role: string, lane: string): { readonly state: string };
}
const page: string = "../../../../compiler/governance/review/explore/page/cells.mjs";
const { cellsOf } = (await import(page)) as { cellsOf: (facts: Facts, policies: object) => Cells };

const UNMARKED = ["allow", "request", "person", "deny"];

/** Decisions on a role that changed are marked in the tables of that role, and in those of every role. */
export function expectMarked(facts: Facts, before: OpenedPolicy, now: OpenedPolicy): void {
  const cells = cellsOf(facts, { now: now.policy, before: before.policy });
  const decisions = facts.changes?.decisions;
  for (const kind of ["newly-allowed", "newly-denied"] as const) {
    for (const { space, request } of decisions?.[kind].shown ?? []) {
      const { role = "", lane = "", tool = "" } = request;
      if (space !== "lane" && space !== "tool") continue;
      const states =
        space === "lane"
          ? [cells.roleInLane(role, lane).state]
          : [cells.toolInLane(tool, lane, role).state, cells.toolInLane(tool, lane).state];
      for (const state of states) expect(UNMARKED, JSON.stringify(request)).not.toContain(state);
    }
  }
}

/** What is said otherwise of a tool that somebody may use is marked wherever it may be used. */
export function expectRulesMarked(facts: Facts, before: OpenedPolicy, now: OpenedPolicy): void {
  const cells = cellsOf(facts, { now: now.policy, before: before.policy });
  for (const { rule } of facts.changes?.rules.shown ?? []) {
    const tool = /^(?:approval|arguments) of (.*)$/.exec(rule)?.[1];
    if (tool === undefined) continue;
    const states = facts.lanes.map(([lane]) => cells.toolInLane(tool, lane).state);
    expect(states.filter((state) => state !== "deny").every((state) => !UNMARKED.includes(state))).toBe(true);
  }
}
