/** The start of a sub-agent: names that are delegated to, and those that only become one in capitals. */

import type { SubagentDecision } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { decideSpawn, type SpawnDecider } from "../../../runtime/governance/spawn.ts";

const ALLOW = { allowed: true, gate: "ALLOW", reason: "context_approved" };

/** Every persona that it knows hands work to these. */
function delegating(personas: readonly string[], names: readonly string[]): SpawnDecider {
  return {
    subagent: ({ persona }) =>
      ({
        ...(personas.includes(String(persona)) ? ALLOW : { allowed: false, gate: "INTERNAL_ERROR", reason: "r" }),
        ...{ allowlistedSubagents: names, delegatedSubagents: names },
      }) as SubagentDecision,
    lineage: () => ALLOW,
  };
}
const starts = (policy: SpawnDecider, parent: string, type: string): boolean =>
  decideSpawn(policy, { lineage: [{ agent_type: parent, spawn_depth: 0 }], type, governance: {}, env: {} }).allowed;

describe("a name in capitals", () => {
  it("is the same agent's", () => {
    const policy = delegating(["NEWS_DESK"], ["WRITER", "CLAIM-CHECKER"]);
    for (const type of ["writer", "Writer", "WRITER", "claim_checker"])
      expect(starts(policy, "news_desk", type)).toBe(true);
  });

  it.each(["wr\u0131ter", "write\u0280", "\uff57riter", "writer\u200b"])("is not that of %j", (type) => {
    expect(starts(delegating(["news_desk"], ["WRITER"]), "news_desk", type)).toBe(false);
  });

  it.each([
    ["\ufb01nder", "FINDER"],
    ["ma\u00dfnahmen", "MASSNAHMEN"],
    ["\u017fcout", "SCOUT"],
  ])("is not that of %j, which grows into it", (type, name) => {
    expect(starts(delegating(["news_desk"], [name]), "news_desk", type)).toBe(false);
    expect(starts(delegating([name], ["writer"]), type, "writer")).toBe(false);
  });
});
