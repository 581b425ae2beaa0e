/** One request to each decision with which nothing is wrong. */
import type { DecisionName } from "../../statements/index.ts";

/** What the disk says of the artifact of `rightRecord`. */
export const rightEvidence = { exists: true, file: true, contained: true, resolved: "e/a.md", sha256: "ab", size: 2 };

/** What every handoff record needs. */
export const rightRecord = {
  handoff_id: "h",
  task_id: "t",
  from_agent: "a",
  to_agent: "b",
  input_scope: "s",
  actions_taken: ["did"],
  artifacts: [{ path: "e/a.md", kind: "log", status: "PASS", sha256: "ab" }],
  result: "PASS",
  next_action: { owner: "o", action: "a", input: "i" },
  rulebook_update: { applied: true, evidence_run_id: "r" },
};

/** Requests to the policy `combined`: allowed by the last gate of all, with everything in it that may be there. */
export const right: Readonly<Record<DecisionName, object>> = {
  lane: { role: "R", lane: "L" },
  tool: { role: "R", lane: "L", tool: "t" },
  subagent: {
    persona: "LEAD",
    env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
    governance: { contextSealed: true, pipelineRunApproved: true, approvalRef: "G-1", approvedBy: "me" },
  },
  lineage: {
    lineage: [
      { agent_type: "a", spawn_depth: 0, agent_id: "x" },
      { agent_type: "b", spawn_depth: 1, agent_id: "y" },
    ],
  },
  handoff: {
    record: {
      ...rightRecord,
      attempted_mutations: ["x"],
      severity: "high",
      failure: { layer: "skill", hypothesis: "h", patch: "p", result: "r" },
    },
    artifacts: { "e/a.md": rightEvidence },
  },
  exec: {
    mode: "dev",
    kind: "script",
    session: { valid: true },
    script: { path: "/q/c/x.py", sha256: "ab" },
    contract: {
      contract_id: "c",
      status: "open",
      signature_valid: true,
      expired: false,
      mode: "dev",
      declared_targets: ["t"],
      declared_operations: ["WRITE"],
    },
    hat: {
      script_sha256: "ab",
      contract_id: "c",
      declared_targets: ["t"],
      mode: "dev",
      timestamp: "now",
      signature_valid: true,
      version: 2,
      declared_operations: ["WRITE"],
      age_seconds: 1,
    },
  },
  close: {
    baseline_sha: "abc",
    contract: { signature_valid: true, expired: false },
    contract_root: "/r",
    declared_targets: ["a"],
    declared_operations: ["WRITE"],
    changed_files: [{ path: "f", resolved: "/r/a/x", operation: "WRITE" }],
  },
  call: {
    role: "R",
    lane: "L",
    tool: "t",
    scope: { k: "c-1", m: 7, n: "x" },
    flags: ["dry"],
    writes: [{ table: "log", mode: "append" }],
    lineage: [{ agent_type: "a", spawn_depth: 0, agent_id: "x" }],
    approval: { ref: "AP-1", by: "m.ortiz" },
    args: { any: "thing", n: 3 },
    facts: {
      paths: {},
      // Thursday, 1 January 2026.
      now: Date.UTC(2026, 0, 1) + 1,
      session: "s",
      history: { cap: { calls: 1, sum: 2, last_ms: { open: Date.UTC(2026, 0, 1) } } },
    },
  },
};
