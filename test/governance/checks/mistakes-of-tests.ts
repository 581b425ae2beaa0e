/** Mistakes in what decision tests ask: ids that the policy does not hold, which are denied whatever the test is about. */

import type { Mistake } from "./hospital.ts";

const asking = (decision: string, input: string, expect = "{ allowed: false }"): Mistake["files"] => ({
  "tests/more.yaml": `decision: ${decision}\ncases:\n  - name: n\n    input: ${input}\n    expect: ${expect}\n`,
});
const matrix = (roles: string, allowed = "[NURSE, PHYSICIAN]"): Mistake["files"] => ({
  "tests/more.yaml": `decision: lane\nmatrices:\n  - name: n\n    axes: { role: ${roles}, lane: [WARD] }\n    allow: [{ role: ${allowed}, lane: WARD }]\n`,
});
const id = "pipeline/unknown-test-id tests/more.yaml:4";

export const MISTAKES_OF_TESTS: readonly Mistake[] = [
  {
    name: "a misspelt role that a test asks for",
    files: asking("lane", "{ role: NURS, lane: PHARMACY }"),
    found: `${id}:20 NURS`,
    help: "did you mean `NURSE`?",
  },
  {
    name: "a misspelt role for which a test expects leave",
    files: asking("lane", "{ role: NURS, lane: WARD }", "{ allowed: true, gate: ALLOW }"),
    found: `${id}:20 NURS`,
    help: "did you mean `NURSE`?",
  },
  {
    name: "a misspelt lane that a test asks for",
    files: asking("lane", "{ role: NURSE, lane: PHARMACIE }"),
    found: `${id}:33 PHARMACIE`,
    help: "did you mean `PHARMACY`?",
  },
  {
    name: "a misspelt tool that a test asks for",
    files: asking("tool", "{ role: NURSE, lane: WARD, tool: dose.relase }"),
    found: `${id}:45 dose.relase`,
    help: "did you mean `dose.release`?",
  },
  {
    name: "an unknown tool, denied for whatever reason",
    files: asking("tool", "{ role: NURSE, lane: WARD, tool: shell.run }"),
    found: `${id}:45 shell.run`,
    help: "where that is the point of the test, expect the `gate` or the `reason` too",
  },
  {
    name: "a misspelt mode that a test asks for",
    files: asking("exec", "{ mode: rond, kind: inline }"),
    found: `${id}:20 rond`,
    help: "did you mean `round`?",
  },
  {
    name: "a misspelt kind of what is to be executed",
    files: asking("exec", "{ mode: round, kind: inlin }"),
    found: `${id}:33 inlin`,
    help: "did you mean `inline`?",
  },
  {
    name: "a misspelt agent type in a chain that a test asks with",
    files: asking("lineage", "{ lineage: [{ agent_type: dsk }] }"),
    found: `${id}:38 dsk`,
    help: "did you mean `desk`?",
  },
  {
    name: "a misspelt persona that a test asks for",
    files: asking("subagent", "{ persona: WARD_DSK, subagent: CHARTER }"),
    found: `${id}:23 WARD_DSK`,
    help: "did you mean `WARD_DESK`?",
  },
  {
    name: "a misspelt value of an axis",
    files: matrix("[PHYSICIAN, NURS]", "PHYSICIAN"),
    found: `${id}:31 NURS`,
    help: "did you mean `NURSE`?",
  },
  {
    name: "an allow by a gate that denies",
    files: asking("lane", "{ role: NURSE, lane: WARD }", "{ allowed: true, gate: ROLE }"),
    found: "pipeline/contradictory-test tests/more.yaml:5:36 ROLE",
  },
  {
    name: "a denial by the gate of every allow",
    files: asking("lane", "{ role: NURSE, lane: WARD }", "{ allowed: false, gate: ALLOW }"),
    found: "pipeline/contradictory-test tests/more.yaml:5:37 ALLOW",
  },
];

/** Tests about unknown ids. */
export const RIGHT_TESTS: readonly Mistake["files"][] = [
  asking("lane", "{ role: NURS, lane: WARD }", "{ allowed: false, gate: ROLE }"),
  asking("tool", "{ role: NURSE, lane: WARD, tool: shell.run }", "{ allowed: false, reason: tool_not_registered }"),
  asking("lineage", "{ lineage: [{ agent_type: porter }] }"),
  matrix("{ every: roles, also: [NOBODY, NURS, nurse] }"),
  matrix("[NURSE, PHYSICIAN, nurse]"),
];
