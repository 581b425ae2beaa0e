/**
 * One request to each decision with which nothing is wrong but, perhaps, its ids: what a search starts from. Whether it is
 * allowed is the policy's to say. A new gate that needs a new member needs it here.
 */

import type { JsonObject } from "@portcullis/rego/value";
import type { DecisionKind } from "@portcullis/runtime";

/** A decision that can be asked, and the request. */
export interface Question {
  readonly kind: DecisionKind;
  readonly input: JsonObject;
}

export const HANDOFF: JsonObject = {
  record: {
    handoff_id: "h-1",
    task_id: "t-1",
    from_agent: "a",
    to_agent: "b",
    input_scope: "the task",
    actions_taken: ["did it"],
    artifacts: [{ path: "report.md", kind: "report", status: "PASS" }],
    result: "PASS",
    next_action: { owner: "b", action: "review it", input: "report.md" },
    rulebook_update: { applied: true, evidence_run_id: "run-1" },
  },
  artifacts: { "report.md": { exists: true, file: true, contained: true } },
};

export interface ExecFacts {
  readonly mode: string;
  readonly root: string;
  readonly extension: string;
  readonly age: number;
}

/** A script with a packet that a person signed for it. */
export function execScript({ mode, root, extension, age }: ExecFacts): JsonObject {
  const contract = { contract_id: "c-1", mode, declared_targets: ["a"], declared_operations: ["WRITE"] };
  return {
    mode,
    kind: "script",
    session: { valid: true },
    script: { path: `${root}/c-1/run${extension}`, sha256: "ab" },
    contract: { ...contract, status: "open", signature_valid: true, expired: false },
    hat: {
      ...contract,
      script_sha256: "ab",
      timestamp: "2026-01-01T00:00:00Z",
      signature_valid: true,
      age_seconds: age,
    },
  };
}

export const CLOSE: JsonObject = {
  baseline_sha: "abc",
  contract: { signature_valid: true, expired: false },
  contract_root: "/repo",
  declared_targets: ["src"],
  declared_operations: ["CREATE", "WRITE", "DELETE", "RENAME", "MODE"],
  changed_files: [{ path: "src/a.ts", resolved: "/repo/src/a.ts", operation: "WRITE" }],
};

export function subagentTurn(persona: string): JsonObject {
  return {
    persona,
    env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
    governance: { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1" },
  };
}

/** A chain by its types, each agent at its place. */
export function chainOf(types: readonly string[]): JsonObject[] {
  return types.map((agent_type, spawn_depth) => ({ agent_type, spawn_depth, agent_id: `agent-${spawn_depth}` }));
}

/** A person's approval. */
export const APPROVAL: JsonObject = { ref: "AP-1", by: "a person" };
